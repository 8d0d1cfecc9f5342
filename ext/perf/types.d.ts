// The types of perf_hooks: https://nodejs.org/api/perf_hooks.html

/** How long a loop was idle and active, in ms. */
export interface Utilization {
  idle: number;
  active: number;
  /** active / (idle + active) */
  utilization: number;
}

/** What a custom inspection gets as its options, as far as it looks at them. */
export interface Depth {
  depth?: number | null;
}

/** Times of a connection, of the Fetch standard. */
interface ConnectionTiming {
  ALPNNegotiatedProtocol: string;
  domainLookupStartTime: number;
  domainLookupEndTime: number;
  connectionStartTime: number;
  connectionEndTime: number;
  secureConnectionStartTime: number;
}

/** What a fetch took: https://fetch.spec.whatwg.org/#fetch-timing-info */
export interface FetchTiming {
  startTime: number;
  endTime: number;
  redirectStartTime: number;
  redirectEndTime: number;
  postRedirectStartTime: number;
  finalServiceWorkerStartTime: number;
  finalNetworkRequestStartTime: number;
  finalNetworkResponseStartTime: number;
  finalConnectionTimingInfo?: ConnectionTiming | null;
  encodedBodySize: number;
  decodedBodySize: number;
}

/** performance.nodeTiming: milestones in ms since timeOrigin, -1 for those to come. */
export interface NodeTiming {
  name: string;
  entryType: string;
  startTime: number;
  duration: number;
  nodeStart: number;
  v8Start: number;
  bootstrapComplete: number;
  environment: number;
  loopStart: number;
  loopExit: number;
  idleTime: number;
  [milestone: string]: unknown;
}

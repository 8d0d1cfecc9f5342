// Where modules tell of what trace events are made of (internal/perf/trace): functions that are there while somebody traces their
// category, and undefined else.

/** Phases of events: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU */
export type Phase = "b" | "n" | "e" | "B" | "E" | "C" | "R" | "I" | "M";

interface Sinks {
  /** The console's timers and counters: phase, name, and what the event has to tell. */
  console: ((phase: Phase, name: string, data?: unknown) => void) | undefined;
  /** An entry of the performance timeline. */
  performance: ((entry: PerformanceEntry) => void) | undefined;
  /** The number of rejections that were not handled at once, and of those that were handled after. */
  rejections: ((unhandled: number, handledAfter: number) => void) | undefined;
  /** A step of node:vm begins; gives what is to be called at its end. */
  vm: ((name: string, filename?: string) => () => void) | undefined;
  /** A socket is about to be connected. */
  connect: ((socket: Connecting, options: Destination) => void) | undefined;
}

/** A socket, as far as its connecting is told of. */
export interface Connecting {
  once(event: string, listener: () => void): unknown;
}

/** Where a socket goes. */
export interface Destination {
  path?: string | undefined;
  host?: string | undefined;
  port?: number | string | undefined;
}

export const sinks: Sinks = {
  console: undefined,
  performance: undefined,
  rejections: undefined,
  vm: undefined,
  connect: undefined,
};

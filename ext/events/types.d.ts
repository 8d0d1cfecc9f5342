// The type of `EventEmitter`, which is a function with a prototype: https://nodejs.org/api/events.html

export type EventName = string | symbol;
/** A function that takes what the event has; a listener names the types that it expects. */
export type Listener = (...args: any[]) => unknown;

/** Options of `once` and `on`. */
export interface WaitOptions {
  signal?: AbortSignal;
  /** Names of events that end the iterator. */
  close?: EventName[];
  /** An emitter that can pause does so with more events than this in the queue, and goes on below lowWaterMark. */
  highWaterMark?: number;
  highWatermark?: number;
  lowWaterMark?: number;
  lowWatermark?: number;
  /** Iterates over the first arguments instead of arrays of them. */
  [firstEventParam: symbol]: unknown;
}

export interface EventEmitter {
  on(type: EventName, listener: Listener): this;
  once(type: EventName, listener: Listener): this;
  off(type: EventName, listener: Listener): this;
  addListener(type: EventName, listener: Listener): this;
  removeListener(type: EventName, listener: Listener): this;
  prependListener(type: EventName, listener: Listener): this;
  prependOnceListener(type: EventName, listener: Listener): this;
  removeAllListeners(type?: EventName): this;
  /** Calls the listeners; false if there are none. */
  emit(type: EventName, ...args: unknown[]): boolean;
  eventNames(): EventName[];
  listenerCount(type: EventName, listener?: Listener): number;
  listeners(type: EventName): Listener[];
  rawListeners(type: EventName): Listener[];
  getMaxListeners(): number;
  setMaxListeners(limit: number): this;
}

/** A class that is called without `new` too, by old-style inheritance: `EventEmitter.call(this)`. */
export interface EventEmitterConstructor {
  new (options?: { captureRejections?: boolean }): EventEmitter;
  readonly prototype: EventEmitter;
  call(self: object, options?: { captureRejections?: boolean }): void;
  /** What the constructor does. */
  init(this: object, options?: { captureRejections?: boolean }): void;
  EventEmitter: EventEmitterConstructor;
  readonly EventEmitterAsyncResource: EventEmitterConstructor;
  readonly captureRejectionSymbol: symbol;
  readonly errorMonitor: symbol;
  readonly kMaxEventTargetListeners: symbol;
  readonly kMaxEventTargetListenersWarned: symbol;
  captureRejections: boolean;
  defaultMaxListeners: number;
  usingDomains: boolean;
  addAbortListener(signal: AbortSignal, listener: Listener): Disposable;
  getEventListeners(target: object, type: EventName): (Listener | { handleEvent?: Listener })[];
  getMaxListeners(target: object): number;
  listenerCount(target: object, type: EventName): number;
  on(target: object, type: EventName, options?: object): AsyncIterator<unknown[]>;
  once(target: object, type: EventName, options?: object): Promise<unknown[]>;
  setMaxListeners(limit?: number, ...targets: object[]): void;
}

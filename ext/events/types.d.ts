// The type of `EventEmitter`, which is a function with a prototype: https://nodejs.org/api/events.html

type EventName = string | symbol;
type Listener = (...args: any[]) => void;

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
  getEventListeners(target: object, type: EventName): Listener[];
  getMaxListeners(target: object): number;
  listenerCount(target: object, type: EventName): number;
  on(target: object, type: EventName, options?: object): AsyncIterator<unknown[]>;
  once(target: object, type: EventName, options?: object): Promise<unknown[]>;
  setMaxListeners(limit?: number, ...targets: object[]): void;
}

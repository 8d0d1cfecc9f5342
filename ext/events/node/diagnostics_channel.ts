// node:diagnostics_channel, https://nodejs.org/api/diagnostics_channel.html

import { diagnostics } from "internal/events/diagnostics";
import { codes } from "internal/core/errors";
import { nextTick } from "internal/core/task_queues";
import { validateFunction } from "internal/core/validators";

const { apply } = Reflect;

// A channel nobody holds and nobody subscribes to can go; one with subscribers or stores is kept by `active`.
const channels = new Map<string | symbol, WeakRef<Channel>>();
const active = new Set<Channel>();
const cleanup = new FinalizationRegistry<string | symbol>((name) => {
  if (channels.get(name)?.deref() === undefined) channels.delete(name);
});

function rethrowLater(error: unknown): void {
  nextTick(() => {
    throw error;
  });
}

type Subscription = (message: unknown, name: string | symbol) => void;
type Transform = ((data: unknown) => unknown) | undefined;
/** An AsyncLocalStorage. */
interface Store {
  run<R>(value: unknown, fn: () => R): R;
  withScope(value: unknown): { dispose(): void };
}

// The context value for a store: the data itself or what the transform of bindStore() makes of it.
function storeValue(transform: Transform, data: unknown) {
  return transform === undefined ? data : transform(data);
}

/** A named channel. Made with channel(name). */
class Channel {
  _subscribers: Subscription[] | undefined;
  _stores: Map<Store, Transform> | undefined;
  name: string | symbol;

  constructor(name: string | symbol) {
    this._subscribers = undefined;
    this._stores = undefined;
    this.name = name;
    channels.set(name, new WeakRef(this));
    cleanup.register(this, name);
  }

  static [Symbol.hasInstance](instance: unknown): boolean {
    return typeof instance === "object" && instance !== null && Channel.prototype.isPrototypeOf(instance);
  }

  get hasSubscribers(): boolean {
    return this._subscribers !== undefined || this._stores !== undefined;
  }

  #settle(): void {
    if (this.hasSubscribers) active.add(this);
    else active.delete(this);
  }

  /** `subscription(message, name)` is called for each published message. */
  subscribe(subscription: Subscription): void {
    validateFunction(subscription, "subscription");
    // A new list each time: a publish in progress walks the old one.
    this._subscribers = this._subscribers === undefined ? [subscription] : [...this._subscribers, subscription];
    this.#settle();
  }

  /** Returns whether `subscription` was subscribed. */
  unsubscribe(subscription: Subscription): boolean {
    const list = this._subscribers;
    const at = list === undefined ? -1 : list.indexOf(subscription);
    if (at < 0) return false;
    this._subscribers = list!.length === 1 ? undefined : list!.filter((_, i) => i !== at);
    this.#settle();
    return true;
  }

  /** runStores() makes `store` (an AsyncLocalStorage) hold the data, or `transform(data)`. */
  bindStore(store: Store, transform?: Transform): void {
    const stores = new Map(this._stores);
    stores.set(store, transform);
    this._stores = stores;
    this.#settle();
  }

  unbindStore(store: Store): boolean {
    if (this._stores === undefined || !this._stores.has(store)) return false;
    const stores = new Map(this._stores);
    stores.delete(store);
    this._stores = stores.size === 0 ? undefined : stores;
    this.#settle();
    return true;
  }

  /** Calls the subscribers. What they throw becomes an uncaught exception, never an error of the publisher. */
  publish(data: unknown): void {
    const list = this._subscribers;
    if (list === undefined) return;
    for (let i = 0; i < list.length; i++) {
      try {
        list[i]!(data, this.name);
      } catch (error) {
        rethrowLater(error);
      }
    }
  }

  /** Calls `fn.apply(thisArg, args)` inside the bound stores, after publishing `data`. */
  runStores<A extends unknown[], R>(data: unknown, fn: (...args: A) => R, thisArg?: unknown, ...args: A): R {
    let run = () => {
      this.publish(data);
      return apply(fn, thisArg, args);
    };
    if (this._stores !== undefined) {
      for (const [store, transform] of this._stores) {
        const next = run;
        run = () => {
          let value: unknown;
          try {
            value = storeValue(transform, data);
          } catch (error) {
            rethrowLater(error);
            return next();
          }
          return store.run(value, next);
        };
      }
    }
    return run();
  }

  /** `using scope = channel.withStoreScope(data)`: runStores() without a function. */
  withStoreScope(data: unknown): StoreScope {
    return new StoreScope(this, data);
  }
}

/** The disposable of Channel.withStoreScope(): leaves the stores, last entered first. */
class StoreScope {
  #scopes: { dispose(): void }[] = [];

  constructor(channel: Channel, data: unknown) {
    if (channel._stores !== undefined) {
      for (const [store, transform] of channel._stores) {
        try {
          this.#scopes.push(store.withScope(storeValue(transform, data)));
        } catch (error) {
          rethrowLater(error);
        }
      }
    }
    channel.publish(data);
  }

  [Symbol.dispose](): void {
    for (let scope; (scope = this.#scopes.pop()) !== undefined;) scope.dispose();
  }
}

/** The channel with this name (a string or symbol); the same object for the same name. */
function channel(name: string | symbol): Channel {
  const known = channels.get(name)?.deref();
  if (known !== undefined) return known;
  if (typeof name !== "string" && typeof name !== "symbol") {
    throw new codes.ERR_INVALID_ARG_TYPE("channel", ["string", "symbol"], name);
  }
  return new Channel(name);
}

function subscribe(name: string | symbol, subscription: Subscription): void {
  channel(name).subscribe(subscription);
}

function unsubscribe(name: string | symbol, subscription: Subscription): boolean {
  return channel(name).unsubscribe(subscription);
}

/** Whether anybody listens to the channel; does not create it. */
function hasSubscribers(name: string | symbol): boolean {
  return channels.get(name)?.deref()?.hasSubscribers ?? false;
}

// The channel for one event of a tracing or bounded channel: made from the name, or taken from the given object.
function channelFrom(nameOrChannels: unknown, event: string, className: string): Channel {
  if (typeof nameOrChannels === "string") return channel(`tracing:${nameOrChannels}:${event}`);
  if (typeof nameOrChannels === "object" && nameOrChannels !== null) {
    const given = (nameOrChannels as Record<string, unknown>)[event];
    if (given instanceof Channel) return given;
    if (given === undefined || given === null) throw new TypeError("Cannot convert undefined or null to object");
    throw new codes.ERR_INVALID_ARG_TYPE(`nameOrChannels.${event}`, ["Channel"], given);
  }
  throw new codes.ERR_INVALID_ARG_TYPE("nameOrChannels", ["string", "object", className], nameOrChannels);
}

/** Subscriptions by the names of the channels. */
type Handlers = { [event: string]: Subscription | undefined };

function subscribeAll(self: object, events: string[], handlers: Handlers): void {
  for (const event of events) if (handlers[event]) (self as Record<string, Channel>)[event]?.subscribe(handlers[event]);
}

function unsubscribeAll(self: object, events: string[], handlers: Handlers): boolean {
  let done = true;
  for (const event of events)
    if (handlers[event] && !(self as Record<string, Channel>)[event]?.unsubscribe(handlers[event])) done = false;
  return done;
}

const tracingEvents = ["start", "end", "asyncStart", "asyncEnd", "error"];

/** Five channels for one kind of operation: start, end, asyncStart, asyncEnd, error. */
class TracingChannel {
  declare start: Channel;
  declare end: Channel;
  declare asyncStart: Channel;
  declare asyncEnd: Channel;
  declare error: Channel;

  constructor(nameOrChannels: unknown) {
    for (const event of tracingEvents) {
      Object.defineProperty(this, event, {
        value: channelFrom(nameOrChannels, event, "TracingChannel"),
        enumerable: true,
      });
    }
  }

  get hasSubscribers(): boolean {
    return (
      this.start.hasSubscribers ||
      this.end.hasSubscribers ||
      this.asyncStart.hasSubscribers ||
      this.asyncEnd.hasSubscribers ||
      this.error.hasSubscribers
    );
  }

  subscribe(handlers: Handlers): void {
    subscribeAll(this, tracingEvents, handlers);
  }

  unsubscribe(handlers: Handlers): boolean {
    return unsubscribeAll(this, tracingEvents, handlers);
  }

  /** Traces a synchronous call; `context` gets `result` or `error`. */
  traceSync(
    fn: (...values: unknown[]) => unknown,
    context: { result?: unknown; error?: unknown } = {},
    thisArg?: unknown,
    ...args: unknown[]
  ) {
    if (!this.hasSubscribers) return apply(fn, thisArg, args);
    const { start, end, error } = this;
    return start.runStores(context, () => {
      try {
        const result = apply(fn, thisArg, args);
        context.result = result;
        return result;
      } catch (reason) {
        context.error = reason;
        error.publish(context);
        throw reason;
      } finally {
        end.publish(context);
      }
    });
  }

  /** Traces a function that returns a promise. */
  tracePromise(
    fn: (...values: unknown[]) => unknown,
    context: { error?: unknown; result?: unknown } = {},
    thisArg?: unknown,
    ...args: unknown[]
  ) {
    if (!this.hasSubscribers) return apply(fn, thisArg, args);
    const { start, end, asyncStart, asyncEnd, error } = this;
    const onRejected = (reason: unknown) => {
      context.error = reason;
      error.publish(context);
      asyncStart.publish(context);
      asyncEnd.publish(context);
      return Promise.reject(reason);
    };
    const onFulfilled = (result: unknown) => {
      context.result = result;
      asyncStart.publish(context);
      asyncEnd.publish(context);
      return result;
    };
    return start.runStores(context, () => {
      try {
        const result = apply(fn, thisArg, args);
        const promise = result instanceof Promise ? result : Promise.resolve(result);
        return promise.then(onFulfilled, onRejected);
      } catch (reason) {
        context.error = reason;
        error.publish(context);
        throw reason;
      } finally {
        end.publish(context);
      }
    });
  }

  /** Traces a function that takes an error-first callback as argument number `position` (-1 = the last one). */
  traceCallback(
    fn: (...values: unknown[]) => unknown,
    position: number = -1,
    context: { error?: unknown; result?: unknown } = {},
    thisArg?: unknown,
    ...args: unknown[]
  ) {
    if (!this.hasSubscribers) return apply(fn, thisArg, args);
    const { start, end, asyncStart, asyncEnd, error } = this;
    const at = position < 0 ? args.length + position : position;
    const callback = args[at];
    validateFunction(callback, "callback");
    args[at] = function (...results: unknown[]) {
      const [reason, result] = results;
      if (reason) {
        context.error = reason;
        error.publish(context);
      } else {
        context.result = result;
      }
      // asyncStart's stores hold while the callback runs: that is where the program goes on.
      asyncStart.runStores(context, () => {
        try {
          return apply(callback, this, results);
        } finally {
          asyncEnd.publish(context);
        }
      });
    };
    return start.runStores(context, () => {
      try {
        return apply(fn, thisArg, args);
      } catch (reason) {
        context.error = reason;
        error.publish(context);
        throw reason;
      } finally {
        end.publish(context);
      }
    });
  }
}

function tracingChannel(nameOrChannels: unknown): TracingChannel {
  return new TracingChannel(nameOrChannels);
}

const boundedEvents = ["start", "end"];

/** Two channels, start and end, for a scope. */
class BoundedChannel {
  declare start: Channel;
  declare end: Channel;

  constructor(nameOrChannels: unknown) {
    for (const event of boundedEvents) {
      Object.defineProperty(this, event, {
        value: channelFrom(nameOrChannels, event, "BoundedChannel"),
        enumerable: true,
      });
    }
  }

  get hasSubscribers(): boolean {
    return this.start.hasSubscribers || this.end.hasSubscribers;
  }

  subscribe(handlers: Handlers): void {
    subscribeAll(this, boundedEvents, handlers);
  }

  unsubscribe(handlers: Handlers): boolean {
    return unsubscribeAll(this, boundedEvents, handlers);
  }

  /** `using scope = bounded.withScope(context)`: start is published now, end when the scope is disposed. */
  withScope(context: unknown = {}): BoundedChannelScope {
    return new BoundedChannelScope(this, context);
  }

  /** Calls `fn.apply(thisArg, args)` inside a scope. */
  run<A extends unknown[], R>(context: { result?: unknown }, fn: (...args: A) => R, thisArg?: unknown, ...args: A): R {
    context ??= {};
    const scope = this.withScope(context);
    try {
      const result = apply(fn, thisArg, args);
      context.result = result;
      return result;
    } finally {
      scope[Symbol.dispose]();
    }
  }
}

/** See BoundedChannel.withScope(). */
class BoundedChannelScope {
  #end: Channel | undefined;
  #context: unknown;
  #stores: StoreScope | undefined;

  constructor(bounded: BoundedChannel, context: unknown) {
    if (!bounded.hasSubscribers) return;
    this.#end = bounded.end;
    this.#context = context;
    this.#stores = bounded.start.withStoreScope(context);
  }

  [Symbol.dispose](): void {
    const end = this.#end;
    if (end === undefined) return;
    this.#end = undefined;
    end.publish(this.#context);
    this.#stores![Symbol.dispose]();
  }
}

function boundedChannel(nameOrChannels: unknown): BoundedChannel {
  return new BoundedChannel(nameOrChannels);
}

// So that console methods reach their channels without loading this module.
require("internal/console/state").diagnostics = { channel };

diagnostics.loaded = true;
require("internal/module/cjs").hooks.traced = true;

export default {
  channel,
  hasSubscribers,
  subscribe,
  tracingChannel,
  unsubscribe,
  boundedChannel,
  Channel,
  TracingChannel,
  BoundedChannel,
};

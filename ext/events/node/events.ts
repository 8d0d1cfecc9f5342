// node:events, https://nodejs.org/api/events.html
//
// Listener arrays of up to `copyLimit` entries are never changed once they are in `_events`: adding and removing
// makes a new array. So emit() can walk them without the defensive copy. Longer arrays are changed in place (adding
// many listeners stays linear) and emit() copies those.

import {
  kMaxEventTargetListeners,
  kMaxEventTargetListenersWarned,
  isEventTarget,
  kEvents,
  listenerLimits,
} from "internal/events/shared";
import type {
  EventEmitterConstructor,
  EventName,
  EventEmitter as Emitter,
  Listener,
  WaitOptions,
} from "internal/events/types";

// `{ __proto__: null }` would be ten times slower than create(null) in this engine.
const { create, defineProperty, defineProperties, getPrototypeOf } = Object;
const { apply, ownKeys } = Reflect;

const copyLimit = 32;

// Errors are rare; their module is not part of the start.
const codes = () => require("internal/core/errors").codes;

const kCapture = Symbol("kCapture");
const kShapeMode = Symbol("shapeMode");
const kErrorMonitor = Symbol("events.errorMonitor");
const kRejection = Symbol.for("nodejs.rejection");

/** `captureRejections`: what async listeners reject with is emitted as an error. */
type Options = { captureRejections?: boolean };

/** What stands in a table of listeners: a function, or the wrapper of `once`, which leads back to it. */
type Entry = Listener & { listener?: Listener };
/** Several listeners of one event. `warned`: the warning of a leak has been given. */
type Entries = Entry[] & { warned?: boolean };
type Table = { [type: EventName]: Entry | Entries | undefined };

/** The emitter's own state beside its public face. */
interface State extends Emitter {
  _events: Table | undefined;
  _eventsCount: number;
  _maxListeners: number | undefined;
  [kCapture]: boolean;
  [kShapeMode]: boolean;
  [kRejection]?(error: unknown, type: EventName, ...args: unknown[]): void;
}

/** An EventTarget, as far as the functions for both kinds need it. */
interface Target {
  readonly [kEvents]: Map<string, { size: number }> | undefined;
  [kMaxEventTargetListeners]?: number;
  [kMaxEventTargetListenersWarned]?: boolean;
}

/**
 * The class of most things that emit events in Node's API. Callable without `new` (old style inheritance).
 * `options.captureRejections`: rejections of async listeners are emitted as 'error' (or given to
 * `[Symbol.for("nodejs.rejection")]`).
 */
function EventEmitter(this: State, options?: Options): void {
  EventEmitter.init.call(this, options);
}

EventEmitter.init = function (this: State, options?: Options): void {
  const events = this._events;
  if (events === undefined || events === getPrototypeOf(this)._events) {
    this._events = create(null);
    this._eventsCount = 0;
    this[kShapeMode] = false;
  } else {
    this[kShapeMode] = true;
  }
  this._maxListeners ||= undefined;
  if (options !== undefined && options?.captureRejections) {
    (require("internal/core/validators").validateBoolean as Check)(
      options.captureRejections,
      "options.captureRejections",
    );
    this[kCapture] = true;
  } else {
    this[kCapture] = prototype[kCapture];
  }
};

const prototype: State = EventEmitter.prototype;
prototype._events = undefined;
prototype._eventsCount = 0;
prototype._maxListeners = undefined;
defineProperty(prototype, kCapture, { value: false, writable: true, enumerable: false });

function checkListener(listener: unknown): void {
  if (typeof listener !== "function") throw new (codes().ERR_INVALID_ARG_TYPE)("listener", "Function", listener);
}

function checkLimit(name: string, value: unknown): void {
  (require("internal/core/validators").validateNumber as Check)(value, name, 0);
}

/** 0 means no limit. Throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE. */
prototype.setMaxListeners = function setMaxListeners(n) {
  checkLimit("setMaxListeners", n);
  this._maxListeners = n;
  return this;
};

function maxListenersOf(emitter: State): number {
  const own = emitter._maxListeners;
  return own === undefined ? listenerLimits.default : own;
}

prototype.getMaxListeners = function getMaxListeners() {
  return maxListenersOf(this);
};

// ---------------------------------------------------------------------------------------------- emit

// What a listener returned, when the emitter captures rejections.
function watchResult(emitter: State, result: unknown, type: EventName, args: unknown[]): void {
  try {
    const then = (result as PromiseLike<unknown>).then;
    if (typeof then === "function") {
      // Not in this job: the error is emitted from a tick, so that it can throw without rejecting a promise again.
      const { nextTick } = require("internal/core/task_queues");
      then.call(result as PromiseLike<unknown>, undefined, (error: unknown) =>
        nextTick(emitRejection, emitter, error, type, args),
      );
    }
  } catch (error) {
    emitter.emit("error", error);
  }
}

function emitRejection(emitter: State, error: unknown, type: EventName, args: unknown[]): void {
  if (typeof emitter[kRejection] === "function") {
    emitter[kRejection](error, type, ...args);
    return;
  }
  // An 'error' listener that rejects again must not come back here.
  const capture = emitter[kCapture];
  try {
    emitter[kCapture] = false;
    emitter.emit("error", error);
  } finally {
    emitter[kCapture] = capture;
  }
}

function throwUnhandled(error: unknown): never {
  if (error instanceof Error) throw error;
  let text: unknown;
  try {
    text = require("node:util").inspect(error);
  } catch {
    text = error;
  }
  const unhandled = new (codes().ERR_UNHANDLED_ERROR)(text);
  unhandled.context = error;
  throw unhandled;
}

// emit('error'): monitors first; without listeners the error is thrown.
function prepareError(emitter: State, args: unknown[]): void {
  const events = emitter._events;
  if (events !== undefined) {
    if (events[kErrorMonitor] !== undefined) emitter.emit(kErrorMonitor, ...args);
    if (events.error !== undefined) return;
  }
  throwUnhandled(args[0]);
}

// All arguments of emit() but the type.
function restOf(args: ArrayLike<unknown>): unknown[] {
  const rest = [];
  for (let i = 1; i < args.length; i++) rest.push(args[i]);
  return rest;
}

/**
 * Calls the listeners of `type` in order, synchronously. Returns whether there were any. The first three arguments
 * have names, because they can be passed on without an arguments object.
 */
prototype.emit = function emit(type: EventName, a?: unknown, b?: unknown, c?: unknown): boolean {
  const argc = arguments.length;
  if (type === "error") prepareError(this, restOf(arguments));
  const events = this._events;
  if (events === undefined) return false;
  const handler = events[type];
  if (handler === undefined) return false;
  if (typeof handler !== "function") {
    emitToAll(this, type, handler, argc, a, b, c, argc > 4 ? restOf(arguments) : undefined);
    return true;
  }
  let result: unknown;
  switch (argc) {
    case 0:
    case 1:
      result = handler.call(this);
      break;
    case 2:
      result = handler.call(this, a);
      break;
    case 3:
      result = handler.call(this, a, b);
      break;
    case 4:
      result = handler.call(this, a, b, c);
      break;
    default:
      result = handler.apply(this, restOf(arguments));
  }
  if (result !== undefined && result !== null && this[kCapture]) watchResult(this, result, type, restOf(arguments));
  return true;
};

// Several listeners: a loop for each number of arguments, small enough for the engine to compile what they call into them.
function emitToAll(
  emitter: State,
  type: EventName,
  list: Entries,
  argc: number,
  a: unknown,
  b: unknown,
  c: unknown,
  args: unknown[] | undefined,
): void {
  const listeners = list.length <= copyLimit ? list : list.slice();
  switch (argc) {
    case 0:
    case 1:
      call0(emitter, type, listeners);
      break;
    case 2:
      call1(emitter, type, listeners, a);
      break;
    case 3:
      call2(emitter, type, listeners, a, b);
      break;
    case 4:
      call3(emitter, type, listeners, a, b, c);
      break;
    default:
      callMany(emitter, type, listeners, args!);
  }
}

function call0(emitter: State, type: EventName, listeners: Entry[]): void {
  for (let i = 0, length = listeners.length; i < length; i++) {
    const result: unknown = listeners[i]!.call(emitter);
    if (result !== undefined && result !== null && emitter[kCapture]) watchResult(emitter, result, type, []);
  }
}
function call1(emitter: State, type: EventName, listeners: Entry[], a: unknown): void {
  for (let i = 0, length = listeners.length; i < length; i++) {
    const result: unknown = listeners[i]!.call(emitter, a);
    if (result !== undefined && result !== null && emitter[kCapture]) watchResult(emitter, result, type, [a]);
  }
}
function call2(emitter: State, type: EventName, listeners: Entry[], a: unknown, b: unknown): void {
  for (let i = 0, length = listeners.length; i < length; i++) {
    const result: unknown = listeners[i]!.call(emitter, a, b);
    if (result !== undefined && result !== null && emitter[kCapture]) watchResult(emitter, result, type, [a, b]);
  }
}
function call3(emitter: State, type: EventName, listeners: Entry[], a: unknown, b: unknown, c: unknown): void {
  for (let i = 0, length = listeners.length; i < length; i++) {
    const result: unknown = listeners[i]!.call(emitter, a, b, c);
    if (result !== undefined && result !== null && emitter[kCapture]) watchResult(emitter, result, type, [a, b, c]);
  }
}
function callMany(emitter: State, type: EventName, listeners: Entry[], args: unknown[]): void {
  for (let i = 0, length = listeners.length; i < length; i++) {
    const result: unknown = listeners[i]!.apply(emitter, args);
    if (result !== undefined && result !== null && emitter[kCapture]) watchResult(emitter, result, type, args);
  }
}
defineProperty(prototype.emit, "length", { value: 1, configurable: true });

// ---------------------------------------------------------------------------------------------- adding

function warnAboutLeak(emitter: State, type: EventName, list: Entries, limit: number): void {
  list.warned = true;
  const { inspect } = require("node:util");
  const warning = new Error(
    `Possible EventEmitter memory leak detected. ${list.length} ${String(type)} listeners added to ` +
      `${inspect(emitter, { depth: -1 })}. MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`,
  ) as Error & { emitter: object; type: EventName; count: number };
  warning.name = "MaxListenersExceededWarning";
  warning.emitter = emitter;
  warning.type = type;
  warning.count = list.length;
  require("node:process").emitWarning(warning);
}

function add<E extends State>(emitter: E, type: EventName, listener: Entry, prepend: boolean): E {
  if (typeof listener !== "function") checkListener(listener);
  let events = emitter._events;
  let existing: Entry | Entries | undefined;
  if (events === undefined) {
    events = emitter._events = create(null) as Table;
    emitter._eventsCount = 0;
  } else {
    // Before the listener is added, so that the event cannot reach itself.
    if (events.newListener !== undefined) {
      emitter.emit("newListener", type, listener.listener ?? listener);
      events = emitter._events!;
    }
    existing = events[type];
  }
  if (existing === undefined) {
    events[type] = listener;
    ++emitter._eventsCount;
    return emitter;
  }
  let list: Entries;
  if (typeof existing === "function") {
    list = events[type] = prepend ? [listener, existing] : [existing, listener];
  } else if (existing.length < copyLimit) {
    // Faster than slice() or spread for a handful of entries.
    list = prepend ? [listener] : [];
    for (let i = 0; i < existing.length; i++) list.push(existing[i]!);
    if (!prepend) list.push(listener);
    if (existing.warned) list.warned = true;
    events[type] = list;
  } else {
    // An array of exactly copyLimit entries may be walked by an emit() right now, a longer one is copied there.
    list = existing.length > copyLimit ? existing : existing.slice();
    if (existing.warned) list.warned = true;
    events[type] = list;
    if (prepend) list.unshift(listener);
    else list.push(listener);
  }
  const limit = maxListenersOf(emitter);
  if (limit > 0 && list.length > limit && !list.warned) warnAboutLeak(emitter, type, list, limit);
  return emitter;
}

prototype.addListener = function addListener(type, listener) {
  return add(this, type, listener, false);
};
prototype.on = prototype.addListener;

prototype.prependListener = function prependListener(type, listener) {
  return add(this, type, listener, true);
};

// The function that stands for `listener` until its first call; its `listener` property leads back.
function onceWrapper(target: State, type: EventName, listener: Listener): Entry {
  checkListener(listener);
  let fired = false;
  const wrapper: Entry = function (a?: unknown, b?: unknown) {
    if (fired) return;
    target.removeListener(type, wrapper);
    fired = true;
    switch (arguments.length) {
      case 0:
        return listener.call(target);
      case 1:
        return listener.call(target, a);
      case 2:
        return listener.call(target, a, b);
      default:
        return apply(listener, target, arguments);
    }
  };
  wrapper.listener = listener;
  return wrapper;
}

prototype.once = function once(type, listener) {
  this.on(type, onceWrapper(this, type, listener));
  return this;
};

prototype.prependOnceListener = function prependOnceListener(type, listener) {
  this.prependListener(type, onceWrapper(this, type, listener));
  return this;
};

// ---------------------------------------------------------------------------------------------- removing

function clearType(emitter: State, events: Table, type: EventName): void {
  if (emitter[kShapeMode]) {
    // Emitters that came with a prepared `_events` (streams) keep its shape.
    events[type] = undefined;
    --emitter._eventsCount;
  } else if (--emitter._eventsCount === 0) {
    emitter._events = create(null);
  } else if (emitter._eventsCount > 3 || !leaveOut(emitter, events, type)) {
    delete events[type];
  }
}

/**
 * Gives the emitter a new `_events` without `type`: to delete a property that is not the last one makes the object a
 * hash table for good, which takes longer than to copy the few others. False, and nothing done, where it has symbols.
 */
function leaveOut(emitter: State, events: Table, type: EventName): boolean {
  const others: Table = create(null);
  let count = 0;
  for (const key in events) {
    const listener = events[key];
    if (listener === undefined || key === type) continue;
    others[key] = listener;
    count++;
  }
  if (count !== emitter._eventsCount) return false;
  emitter._events = others;
  return true;
}

/** Removes the listener that was added last among equal ones. */
prototype.removeListener = function removeListener(type, listener) {
  checkListener(listener);
  const events = this._events;
  if (events === undefined) return this;
  const existing = events[type];
  if (existing === undefined) return this;
  if (existing === listener || (existing as Entry).listener === listener) {
    clearType(this, events, type);
    if (events.removeListener !== undefined)
      this.emit("removeListener", type, (existing as Entry).listener || listener);
    return this;
  }
  if (typeof existing === "function") return this;
  let at = existing.length - 1;
  while (at >= 0 && existing[at] !== listener && existing[at]!.listener !== listener) at--;
  if (at < 0) return this;
  if (existing.length > copyLimit) {
    existing.splice(at, 1);
  } else if (existing.length === 2) {
    events[type] = existing[1 - at];
  } else if (existing.length === 1) {
    clearType(this, events, type);
  } else {
    const list: Entries = [];
    for (let i = 0; i < existing.length; i++) if (i !== at) list.push(existing[i]!);
    if (existing.warned) list.warned = true;
    events[type] = list;
  }
  if (events.removeListener !== undefined) this.emit("removeListener", type, listener);
  return this;
};
prototype.off = prototype.removeListener;

prototype.removeAllListeners = function removeAllListeners(type?) {
  const events = this._events;
  if (events === undefined) return this;
  if (events.removeListener === undefined) {
    // Nobody wants to know.
    if (arguments.length === 0) {
      this._events = create(null);
      this._eventsCount = 0;
    } else if (events[type!] !== undefined) {
      if (--this._eventsCount === 0) this._events = create(null);
      else delete events[type!];
    }
    this[kShapeMode] = false;
    return this;
  }
  if (arguments.length === 0) {
    for (const key of ownKeys(events)) if (key !== "removeListener") this.removeAllListeners(key);
    this.removeAllListeners("removeListener");
    this._events = create(null);
    this._eventsCount = 0;
    this[kShapeMode] = false;
    return this;
  }
  const listeners = events[type!];
  if (typeof listeners === "function") {
    this.removeListener(type!, listeners);
  } else if (listeners !== undefined) {
    const list = listeners.slice();
    for (let i = list.length - 1; i >= 0; i--) this.removeListener(type!, list[i]!);
  }
  return this;
};

// ---------------------------------------------------------------------------------------------- asking

function listenersOf(emitter: State, type: EventName, unwrap: boolean): Listener[] {
  const existing = emitter._events?.[type];
  if (existing === undefined) return [];
  if (typeof existing === "function") return unwrap ? [existing.listener || existing] : [existing];
  return unwrap ? existing.map((listener) => listener.listener || listener) : existing.slice();
}

prototype.listeners = function listeners(type) {
  return listenersOf(this, type, true);
};

/** Like listeners(), but with the wrappers that once() makes. */
prototype.rawListeners = function rawListeners(type) {
  return listenersOf(this, type, false);
};

function countListeners(this: State, type: EventName, listener?: Listener | null): number {
  const existing = this._events?.[type];
  if (existing === undefined) return 0;
  if (typeof existing === "function") {
    return listener === undefined || listener === null || existing === listener || existing.listener === listener
      ? 1
      : 0;
  }
  if (listener === undefined || listener === null) return existing.length;
  let count = 0;
  for (const one of existing) if (one === listener || one.listener === listener) count++;
  return count;
}
prototype.listenerCount = countListeners;
defineProperty(countListeners, "name", { value: "listenerCount", configurable: true });

prototype.eventNames = function eventNames() {
  if (!(this._eventsCount > 0)) return [];
  const events = this._events!;
  return ownKeys(events).filter((key) => events[key] !== undefined);
};

// ---------------------------------------------------------------------------------------------- statics

const asyncModule = () => require("internal/events/async");
const isTarget = (value: unknown): value is Target => isEventTarget(value);

/** Listeners of an EventEmitter or EventTarget, as an array. */
function getEventListeners(emitterOrTarget: unknown, type: EventName): (Listener | { handleEvent?: Listener })[] {
  if (typeof (emitterOrTarget as Emitter | undefined)?.listeners === "function")
    return (emitterOrTarget as Emitter).listeners(type);
  if (isTarget(emitterOrTarget))
    return require("web/event_target").getTargetListeners(emitterOrTarget as EventTarget, type);
  throw new (codes().ERR_INVALID_ARG_TYPE)("emitter", ["EventEmitter", "EventTarget"], emitterOrTarget);
}

function getMaxListeners(emitterOrTarget: unknown): number {
  if (typeof (emitterOrTarget as State | undefined)?.getMaxListeners === "function")
    return maxListenersOf(emitterOrTarget as State);
  if (isTarget(emitterOrTarget)) return emitterOrTarget[kMaxEventTargetListeners] ?? listenerLimits.default;
  throw new (codes().ERR_INVALID_ARG_TYPE)("emitter", ["EventEmitter", "EventTarget"], emitterOrTarget);
}

/** Sets the limit of the given emitters and targets, or the default when none is given. */
function setMaxListeners(n: number = listenerLimits.default, ...eventTargets: unknown[]): void {
  checkLimit("setMaxListeners", n);
  if (eventTargets.length === 0) {
    listenerLimits.default = n;
    return;
  }
  for (const target of eventTargets) {
    if (isTarget(target)) {
      target[kMaxEventTargetListeners] = n;
      target[kMaxEventTargetListenersWarned] = false;
    } else if (typeof (target as Emitter | undefined)?.setMaxListeners === "function") {
      (target as Emitter).setMaxListeners(n);
    } else {
      throw new (codes().ERR_INVALID_ARG_TYPE)("eventTargets", ["EventEmitter", "EventTarget"], target);
    }
  }
}

/** The number of listeners of an EventEmitter or EventTarget. */
function listenerCount(emitter: unknown, type: EventName): number {
  if (typeof (emitter as Emitter | undefined)?.listenerCount === "function")
    return (emitter as Emitter).listenerCount(type);
  if (isTarget(emitter)) return emitter[kEvents]?.get(String(type))?.size ?? 0;
  throw new (codes().ERR_INVALID_ARG_TYPE)("emitter", ["EventEmitter", "EventTarget"], emitter);
}

/** Promise of the arguments of the next `type` event; rejects on 'error' and when `options.signal` aborts. */
async function once(emitter: object, type: EventName, options: WaitOptions = {}): Promise<unknown[]> {
  return asyncModule().once(emitter, type, options);
}

/** Async iterator over the argument arrays of all further `type` events. Options: signal, close, highWaterMark, lowWaterMark. */
function on(emitter: object, type: EventName, options: WaitOptions = {}): AsyncIterator<unknown[]> {
  return asyncModule().on(emitter, type, options);
}

/** Calls `listener` when `signal` aborts (at once, in a microtask, when it is aborted already), even if propagation was stopped. */
function addAbortListener(signal: AbortSignal, listener: Listener): Disposable {
  return asyncModule().addAbortListener(signal, listener);
}

Object.assign(EventEmitter, {
  once,
  on,
  getEventListeners,
  getMaxListeners,
  listenerCount,
  EventEmitter,
  usingDomains: false,
});

defineProperties(EventEmitter, {
  captureRejectionSymbol: { value: kRejection, writable: true, enumerable: true, configurable: true },
  captureRejections: {
    configurable: true,
    enumerable: true,
    get: () => EventEmitter.prototype[kCapture],
    set(value: unknown) {
      (require("internal/core/validators").validateBoolean as Check)(value, "EventEmitter.captureRejections");
      EventEmitter.prototype[kCapture] = value;
    },
  },
  EventEmitterAsyncResource: {
    configurable: true,
    enumerable: true,
    get: () => asyncModule().getEventEmitterAsyncResource(),
    set: undefined,
  },
  errorMonitor: { value: kErrorMonitor, writable: true, enumerable: true, configurable: true },
  defaultMaxListeners: {
    enumerable: true,
    get: () => listenerLimits.default,
    set(value: number) {
      checkLimit("defaultMaxListeners", value);
      listenerLimits.default = value;
    },
  },
  kMaxEventTargetListeners: { value: kMaxEventTargetListeners },
  kMaxEventTargetListenersWarned: { value: kMaxEventTargetListenersWarned },
});
Object.assign(EventEmitter, { setMaxListeners, addAbortListener });

export default EventEmitter as unknown as EventEmitterConstructor;

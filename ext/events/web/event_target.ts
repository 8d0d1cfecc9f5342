// Event, CustomEvent, EventTarget (DOM standard, https://dom.spec.whatwg.org/#events) and Node's NodeEventTarget.
//
// There is no tree of targets: an event is always at its target, so capture only takes part in the identity of
// a listener. What a listener throws becomes an uncaught exception on the next tick, as in Node.

import { codes } from "internal/core/errors";
import {
  kEvents,
  kMaxEventTargetListeners,
  kMaxEventTargetListenersWarned,
  kResistStopPropagation,
  kWeakHandler,
  listenerLimits,
} from "internal/events/shared";
import { nextTick } from "internal/core/task_queues";

export { kEvents, kMaxEventTargetListeners, kMaxEventTargetListenersWarned, kResistStopPropagation, kWeakHandler };

const { nowMs } = native("process");
const { defineProperty, defineProperties } = Object;
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

/** Init dictionary key: true makes `isTrusted` true. Only for built-in modules. */
export const kTrustEvent = Symbol("kTrustEvent");
/** Methods a subclass may have: told when a listener was added or removed, with (size, type, listener, once, capture, passive, weak)
 * and (size, type, listener, capture, weak). */
export const kNewListener = Symbol("kNewListener");
export const kRemoveListener = Symbol("kRemoveListener");
/** NodeEventTarget: method that makes the Event for emit(), with (value, type). */
export const kCreateEvent = Symbol("kCreateEvent");
/** NodeEventTarget: dispatches a plain value; Event listeners get kCreateEvent's event, `on` listeners the value. */
export const kHybridDispatch = Symbol("kHybridDispatch");
const kNodeStyle = Symbol("kIsNodeStyleListener");
const kHandlers = Symbol("kHandlers");

/** Makes members of a class prototype enumerable, as Web IDL attributes and operations are. */
export function makeEnumerable(prototype: object, ...keys: string[]): void {
  for (const key of keys) defineProperty(prototype, key, { enumerable: true });
}

/** The dictionary of `new Event`. */
export interface EventInit {
  bubbles?: boolean;
  cancelable?: boolean;
  composed?: boolean;
  [kTrustEvent]?: boolean;
}

/** The function half of a listener; a listener may name a class of events that it expects. */
type ListenerFunction = { call(this: unknown, event: Event): unknown }["call"];
/** What addEventListener takes. */
export type EventCallback = ListenerFunction | { handleEvent?: ListenerFunction };

/** The options of addEventListener. */
export interface ListenerOptions {
  capture?: boolean;
  once?: boolean;
  passive?: boolean;
  signal?: AbortSignal;
  [kNodeStyle]?: boolean;
  [kResistStopPropagation]?: boolean;
  [kWeakHandler]?: object;
}

type Inspect = typeof import("internal/util/inspect").inspect;
/** The options that a custom inspection gets. */
type InspectContext = { depth?: number | null };

// ---------------------------------------------------------------------------------------------- Event

const cancelableFlag = 1;
const bubblesFlag = 2;
const composedFlag = 4;
const canceledFlag = 8;
const stopFlag = 16;
const stopNowFlag = 32;
const dispatchFlag = 64;
const trustedFlag = 128;
const passiveFlag = 256;

// Access to an event's private state for the dispatch below; assigned in Event's static block.
let beginDispatch: (event: Event, target: unknown) => void;
let endDispatch: (event: Event) => void;
let hasFlag: (event: Event, flag: number) => boolean;
let setPassive: (event: Event, on: boolean) => void;

export class Event {
  #type: string;
  #flags: number;
  #timeStamp: number;
  #target: unknown;

  /** `new Event(type, { bubbles, cancelable, composed })`. Throws ERR_MISSING_ARGS, ERR_INVALID_ARG_TYPE. */
  constructor(type: string | undefined, options: EventInit | null | undefined = undefined) {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("type");
    let flags = 0;
    if (options !== undefined && options !== null) {
      if (typeof options !== "object" || Array.isArray(options)) {
        throw new codes.ERR_INVALID_ARG_TYPE("options", "Object", options);
      }
      if (options.bubbles) flags |= bubblesFlag;
      if (options.cancelable) flags |= cancelableFlag;
      if (options.composed) flags |= composedFlag;
      if (options[kTrustEvent]) flags |= trustedFlag;
    }
    this.#type = `${type}`;
    this.#flags = flags;
    this.#timeStamp = nowMs();
    this.#target = null;
  }

  static {
    beginDispatch = (event, target) => {
      event.#target = target;
      event.#flags |= dispatchFlag;
    };
    endDispatch = (event) => {
      event.#flags &= ~(dispatchFlag | stopFlag | stopNowFlag);
    };
    hasFlag = (event, flag) => (event.#flags & flag) !== 0;
    setPassive = (event, on) => {
      if (on) event.#flags |= passiveFlag;
      else event.#flags &= ~passiveFlag;
    };
  }

  static #check(event: unknown): void {
    if (typeof event !== "object" || event === null || !(#type in event)) throw new codes.ERR_INVALID_THIS("Event");
  }

  /** Legacy way to set type, bubbles and cancelable of an event that is not being dispatched. */
  initEvent(type: unknown, bubbles = false, cancelable = false): void {
    Event.#check(this);
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("type");
    if (this.#flags & dispatchFlag) return;
    this.#type = `${type}`;
    this.#flags = (bubbles ? bubblesFlag : 0) | (cancelable ? cancelableFlag : 0);
    this.#target = null;
  }

  [inspectCustom](depth: number, options: InspectContext, inspect: Inspect): string {
    const name = this.constructor.name;
    if (depth < 0) return name;
    const inner = { ...options, depth: Number.isInteger(options.depth) ? options.depth! - 1 : options.depth };
    return `${name} ${inspect(
      {
        type: this.type,
        defaultPrevented: this.defaultPrevented,
        cancelable: this.cancelable,
        timeStamp: this.timeStamp,
      },
      inner,
    )}`;
  }

  stopImmediatePropagation(): void {
    Event.#check(this);
    this.#flags |= stopFlag | stopNowFlag;
  }

  preventDefault(): void {
    Event.#check(this);
    if ((this.#flags & (cancelableFlag | passiveFlag)) === cancelableFlag) this.#flags |= canceledFlag;
  }

  get target() {
    Event.#check(this);
    return this.#target;
  }

  /** The target while the event is being dispatched, else null. */
  get currentTarget() {
    Event.#check(this);
    return this.#flags & dispatchFlag ? this.#target : null;
  }

  get srcElement() {
    Event.#check(this);
    return this.#target;
  }

  get type(): string {
    Event.#check(this);
    return this.#type;
  }

  get cancelable(): boolean {
    Event.#check(this);
    return (this.#flags & cancelableFlag) !== 0;
  }

  get defaultPrevented(): boolean {
    Event.#check(this);
    return (this.#flags & canceledFlag) !== 0;
  }

  /** Milliseconds since performance.timeOrigin. */
  get timeStamp(): number {
    Event.#check(this);
    return this.#timeStamp;
  }

  composedPath() {
    Event.#check(this);
    return this.#flags & dispatchFlag ? [this.#target] : [];
  }

  get returnValue(): boolean {
    Event.#check(this);
    return (this.#flags & canceledFlag) === 0;
  }

  set returnValue(value: unknown) {
    Event.#check(this);
    if (!value) this.preventDefault();
  }

  get bubbles(): boolean {
    Event.#check(this);
    return (this.#flags & bubblesFlag) !== 0;
  }

  get composed(): boolean {
    Event.#check(this);
    return (this.#flags & composedFlag) !== 0;
  }

  get eventPhase(): number {
    Event.#check(this);
    return this.#flags & dispatchFlag ? 2 : 0;
  }

  get cancelBubble(): boolean {
    Event.#check(this);
    return (this.#flags & stopFlag) !== 0;
  }

  set cancelBubble(value: unknown) {
    Event.#check(this);
    if (value) this.#flags |= stopFlag;
  }

  stopPropagation(): void {
    Event.#check(this);
    this.#flags |= stopFlag;
  }

  /** True for events that the runtime itself dispatched. */
  get isTrusted(): boolean {
    Event.#check(this);
    return (this.#flags & trustedFlag) !== 0;
  }
}

const phases = {
  NONE: { value: 0, enumerable: true },
  CAPTURING_PHASE: { value: 1, enumerable: true },
  AT_TARGET: { value: 2, enumerable: true },
  BUBBLING_PHASE: { value: 3, enumerable: true },
};
defineProperties(Event, phases);
defineProperties(Event.prototype, phases);
defineProperty(Event.prototype, Symbol.toStringTag, { configurable: true, value: "Event" });
makeEnumerable(
  Event.prototype,
  "initEvent",
  "stopImmediatePropagation",
  "preventDefault",
  "target",
  "currentTarget",
  "srcElement",
  "type",
  "cancelable",
  "defaultPrevented",
  "timeStamp",
  "composedPath",
  "returnValue",
  "bubbles",
  "composed",
  "eventPhase",
  "cancelBubble",
  "stopPropagation",
  "isTrusted",
);

export class CustomEvent extends Event {
  #detail: unknown;

  /** `new CustomEvent(type, { detail, ...EventInit })`; `detail` is null when left out. */
  constructor(type: string, options: (EventInit & { detail?: unknown }) | null | undefined = undefined) {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("type");
    super(type, options);
    this.#detail = options?.detail ?? null;
  }

  get detail() {
    if (typeof this !== "object" || this === null || !(#detail in this))
      throw new codes.ERR_INVALID_THIS("CustomEvent");
    return this.#detail;
  }

  /** The old way to set the members of an event; without effect while it is dispatched. */
  initCustomEvent(type: unknown, bubbles = false, cancelable = false, detail: unknown = null): void {
    if (typeof this !== "object" || this === null || !(#detail in this))
      throw new codes.ERR_INVALID_THIS("CustomEvent");
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("type");
    if (this.eventPhase !== 0) return;
    this.initEvent(type, bubbles, cancelable);
    this.#detail = detail;
  }
}
defineProperty(CustomEvent.prototype, Symbol.toStringTag, { configurable: true, value: "CustomEvent" });
makeEnumerable(CustomEvent.prototype, "detail", "initCustomEvent");

/** What NodeEventTarget.emit() makes by default. */
class NodeCustomEvent extends Event {
  declare detail: unknown;
  constructor(type: string, value: unknown) {
    super(type);
    this.detail = value;
  }
}

// ---------------------------------------------------------------------------------------------- listeners

/** One registered listener. `weak` is set (and `callback` unset) for weakly held ones. */
class Listener {
  declare callback: EventCallback | undefined;
  declare weak: WeakRef<EventCallback> | undefined;
  /** The object a weak listener is tied to. */
  declare owner: WeakRef<object> | undefined;
  declare capture: boolean;
  declare once: boolean;
  declare passive: boolean;
  declare nodeStyle: boolean;
  declare resistStop: boolean;
  declare removed: boolean;
  /** Removes the listener from the signal of its options. */
  declare dropSignal: (() => void) | undefined;

  constructor(
    callback: EventCallback,
    capture: boolean,
    once: boolean,
    passive: boolean,
    nodeStyle: boolean,
    resistStop: boolean,
  ) {
    this.callback = callback;
    this.weak = undefined;
    this.owner = undefined;
    this.capture = capture;
    this.once = once;
    this.passive = passive;
    this.nodeStyle = nodeStyle;
    this.resistStop = resistStop;
    this.removed = false;
    this.dropSignal = undefined;
  }
}

/** The listeners of one type. `items` is replaced, never changed, so that a running dispatch sees a fixed list. */
class ListenerList {
  items: Listener[] = [];
  get size(): number {
    return this.items.length;
  }
}

// Keeps weakly registered listeners alive exactly as long as the object they were tied to.
let weakOwners: WeakMap<object, Set<unknown>> | undefined;
let weakCleanup: FinalizationRegistry<{ target: WeakRef<EventTarget>; type: string; item: Listener }> | undefined;

function holdWeakly(target: EventTarget, type: string, item: Listener, callback: EventCallback, owner: object): void {
  weakOwners ??= new WeakMap();
  let held = weakOwners.get(owner);
  if (held === undefined) weakOwners.set(owner, (held = new Set()));
  held.add(callback);
  item.weak = new WeakRef(callback);
  item.owner = new WeakRef(owner);
  item.callback = undefined;
  weakCleanup ??= new FinalizationRegistry(({ target, type, item }) => {
    const self = target.deref();
    if (self !== undefined && !item.removed) removeItem(self, type, item);
  });
  weakCleanup.register(callback, { target: new WeakRef(target), type, item }, item);
}

function listenerOf(item: Listener): EventCallback | undefined {
  return item.weak === undefined ? item.callback : item.weak.deref();
}

function findItem(list: ListenerList, callback: unknown, capture: boolean): Listener | undefined {
  const items = list.items;
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    if (item.capture === capture && listenerOf(item) === callback) return item;
  }
  return undefined;
}

function removeItem(target: EventTarget, type: string, item: Listener): void {
  const list = target[kEvents]?.get(type);
  if (list === undefined || item.removed) return;
  item.removed = true;
  const items = list.items;
  if (items.length === 1) {
    list.items = [];
    target[kEvents]!.delete(type);
  } else {
    list.items = items.filter((other) => other !== item);
  }
  if (item.dropSignal !== undefined) item.dropSignal();
  if (item.weak !== undefined) {
    weakCleanup!.unregister(item);
    const owner = item.owner!.deref();
    if (owner !== undefined) weakOwners!.get(owner)?.delete(item.weak.deref());
  }
  if (target[kRemoveListener] !== undefined) {
    target[kRemoveListener](list.items.length, type, listenerOf(item), item.capture, item.weak !== undefined);
  }
}

function warnAboutLeak(target: EventTarget, type: string, count: number): void {
  const limit = target[kMaxEventTargetListeners] ?? listenerLimits.default;
  if (limit <= 0 || count <= limit || target[kMaxEventTargetListenersWarned]) return;
  target[kMaxEventTargetListenersWarned] = true;
  const { inspect } = require("node:util");
  const warning = new Error(
    `Possible EventTarget memory leak detected. ${count} ${type} listeners added to ${inspect(target, { depth: -1 })}. ` +
      `MaxListeners is ${limit}. Use events.setMaxListeners() to increase limit`,
  ) as Error & { target: EventTarget; type: string; count: number };
  warning.name = "MaxListenersExceededWarning";
  warning.target = target;
  warning.type = type;
  warning.count = count;
  require("node:process").emitWarning(warning);
}

// ---------------------------------------------------------------------------------------------- EventTarget

/** Turns any object into an event target whose methods are called with it as `this` (MessagePort, the global object). */
export function initEventTarget(self: object): void {
  (self as EventTarget)[kEvents] = null;
  (self as EventTarget)[kMaxEventTargetListeners] = undefined;
  (self as EventTarget)[kMaxEventTargetListenersWarned] = false;
  (self as EventTarget)[kHandlers] = undefined;
}

export function isEventTarget(value: unknown): value is EventTarget {
  return value !== null && value !== undefined && (value as EventTarget)[kEvents] !== undefined;
}

function checkTarget(value: unknown, name: string): void {
  if (!isEventTarget(value)) throw new codes.ERR_INVALID_THIS(name);
}

// Functions and objects (handleEvent may be added later); null and undefined are ignored with a warning.
function isUsableListener(listener: unknown): listener is EventCallback {
  if (typeof listener === "function" || (typeof listener === "object" && listener !== null)) return true;
  if (listener === undefined || listener === null) return false;
  throw new codes.ERR_INVALID_ARG_TYPE("listener", "EventListener", listener);
}

function warnUnusable(target: unknown, type: unknown, listener: unknown): void {
  const warning = new Error(`addEventListener called with ${listener} which has no effect.`) as Error & {
    target: unknown;
    type: unknown;
  };
  warning.name = "AddEventListenerArgumentTypeWarning";
  warning.target = target;
  warning.type = type;
  require("node:process").emitWarning(warning);
}

export class EventTarget {
  declare [kEvents]: Map<string, ListenerList> | null;
  declare [kMaxEventTargetListeners]: number | undefined;
  declare [kMaxEventTargetListenersWarned]: boolean;
  declare [kHandlers]: Map<string, HandlerListener> | undefined;
  [kNewListener]?(
    size: number,
    type: string,
    listener: EventCallback,
    once: boolean,
    capture: boolean,
    passive: boolean,
    weak: boolean,
  ): void;
  [kRemoveListener]?(
    size: number,
    type: string,
    listener: EventCallback | undefined,
    capture: boolean,
    weak: boolean,
  ): void;

  constructor() {
    initEventTarget(this);
  }

  /**
   * Registers `listener` (a function or an object with handleEvent) for `type`; once per listener and capture flag.
   * `options`: a boolean (capture) or `{ capture, once, passive, signal }`.
   */
  addEventListener(
    type: string,
    listener: EventCallback | null,
    options: boolean | ListenerOptions | undefined = undefined,
  ): void {
    checkTarget(this, "EventTarget");
    if (arguments.length < 2) throw new codes.ERR_MISSING_ARGS("type", "listener");
    addListener(this, type, listener, options);
  }

  removeEventListener(
    type: string,
    listener: EventCallback | null,
    options: boolean | ListenerOptions | undefined = undefined,
  ): void {
    checkTarget(this, "EventTarget");
    if (arguments.length < 2) throw new codes.ERR_MISSING_ARGS("type", "listener");
    if (!isUsableListener(listener)) return;
    type = `${type}`;
    const list = this[kEvents]?.get(type);
    if (list === undefined) return;
    const capture = typeof options === "boolean" ? options : !!options?.capture;
    const item = findItem(list, listener, capture);
    if (item !== undefined) removeItem(this, type, item);
  }

  /** Calls the listeners synchronously. Returns false when the event is cancelable and was canceled. */
  dispatchEvent(event: unknown): boolean {
    checkTarget(this, "EventTarget");
    if (arguments.length < 1) throw new codes.ERR_MISSING_ARGS("event");
    if (!(event instanceof Event)) throw new codes.ERR_INVALID_ARG_TYPE("event", "Event", event);
    if (hasFlag(event, dispatchFlag)) throw new codes.ERR_EVENT_RECURSION(event.type);
    beginDispatch(event, this);
    const list = this[kEvents]?.get(event.type);
    if (list !== undefined) callListeners(this, event.type, list.items, event, undefined, false);
    endDispatch(event);
    return !event.defaultPrevented;
  }

  [kCreateEvent](value: unknown, type: string): Event {
    return new NodeCustomEvent(type, value);
  }

  [kHybridDispatch](value: unknown, type: string): boolean {
    const list = this[kEvents]?.get(type);
    if (list === undefined) return true;
    return callListeners(this, type, list.items, undefined, value, true);
  }

  [inspectCustom](depth: number, options: InspectContext, inspect: Inspect): string {
    const name = this?.constructor?.name ?? "EventTarget";
    if (depth < 0) return name;
    const inner = { ...options, depth: Number.isInteger(options.depth) ? options.depth! - 1 : options.depth };
    return `${name} ${inspect({}, inner)}`;
  }
}
defineProperty(EventTarget.prototype, Symbol.toStringTag, { configurable: true, value: "EventTarget" });
makeEnumerable(EventTarget.prototype, "addEventListener", "removeEventListener", "dispatchEvent");

function addListener(
  target: EventTarget,
  type: string,
  callback: EventCallback | null,
  options: boolean | ListenerOptions | null | undefined,
): void {
  let capture = false;
  let once = false;
  let passive = false;
  let nodeStyle = false;
  let resistStop = false;
  let signal: AbortSignal | undefined;
  let weakOwner: object | undefined;
  if (typeof options === "boolean") {
    capture = options;
  } else if (options !== undefined && options !== null) {
    if (typeof options !== "object" && typeof options !== "function") {
      throw new codes.ERR_INVALID_ARG_TYPE("options", "Object", options);
    }
    capture = !!options.capture;
    once = !!options.once;
    passive = !!options.passive;
    nodeStyle = !!options[kNodeStyle];
    resistStop = !!options[kResistStopPropagation];
    weakOwner = options[kWeakHandler];
    signal = options.signal;
    if (signal !== undefined)
      (require("internal/core/validators").validateAbortSignal as Check)(signal, "options.signal");
  }
  type = `${type}`;
  if (!isUsableListener(callback)) return warnUnusable(target, type, callback);
  if (signal?.aborted) return;

  const events = (target[kEvents] ??= new Map());
  let list = events.get(type);
  if (list === undefined) events.set(type, (list = new ListenerList()));
  else if (findItem(list, callback, capture) !== undefined) return;
  const item = new Listener(callback, capture, once, passive, nodeStyle, resistStop);
  list.items = list.items.length === 0 ? [item] : [...list.items, item];
  if (weakOwner) holdWeakly(target, type, item, callback, weakOwner);
  if (signal) followSignal(target, type, item, signal);
  const size = list.items.length;
  if (target[kNewListener] !== undefined)
    target[kNewListener](size, type, callback, once, capture, passive, !!weakOwner);
  warnAboutLeak(target, type, size);
}

// An aborted signal takes the listener away, and a removed listener lets go of the signal.
function followSignal(target: EventTarget, type: string, item: Listener, signal: EventTarget): void {
  const onAbort = () => removeItem(target, type, item);
  const options: ListenerOptions = { once: true, [kResistStopPropagation]: true };
  // Held weakly by the signal for the target's life: a long-lived signal must not keep the target.
  options[kWeakHandler] = target;
  signal.addEventListener("abort", onAbort, options);
  item.dropSignal = () => signal.removeEventListener("abort", onAbort);
}

function rethrow(error: NodeError | null | undefined): void {
  throw error;
}

/** Makes `error` an uncaught exception on the next tick: the DOM's "report the exception". */
export function reportListenerError(error: unknown): void {
  nextTick(rethrow, error);
}

// Async listeners: their rejections are uncaught exceptions too.
function watchResult(result: unknown): void {
  try {
    const then = (result as PromiseLike<unknown>).then;
    if (typeof then === "function") then.call(result as PromiseLike<unknown>, undefined, reportListenerError);
  } catch (error) {
    reportListenerError(error);
  }
}

function callListeners(
  target: EventTarget,
  type: string,
  items: Listener[],
  event: Event | undefined,
  value: unknown,
  hybrid: boolean,
): boolean {
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    if (item.removed) continue;
    if (event !== undefined && hasFlag(event, stopNowFlag) && !item.resistStop) continue;
    const callback = listenerOf(item);
    if (item.once) removeItem(target, type, item);
    if (callback === undefined) continue;
    let argument: unknown;
    if (item.nodeStyle) {
      // Listeners of on()/once() get the plain value of emit(), or the event of dispatchEvent().
      argument = hybrid ? value : event;
    } else {
      if (event === undefined) beginDispatch((event = target[kCreateEvent](value, type)), target);
      argument = event;
    }
    if (item.passive) setPassive(event!, true);
    try {
      let result: unknown;
      if (typeof callback === "function") {
        result = callback.call(target, argument as Event);
      } else {
        const handle = callback.handleEvent;
        if (handle !== undefined) result = handle.call(callback, argument as Event);
      }
      if (result !== undefined && result !== null) watchResult(result);
    } catch (error) {
      reportListenerError(error);
    }
    if (item.passive) setPassive(event!, false);
  }
  if (hybrid && event !== undefined) endDispatch(event);
  return !(event !== undefined && event.defaultPrevented);
}

// ---------------------------------------------------------------------------------------------- onfoo attributes

/** A function that calls the handler of an attribute. */
type HandlerListener = ListenerFunction & { handler: unknown };

/**
 * Defines the event handler attribute `on${name}` on `target` (usually a prototype) for events of type `event`.
 * The handler keeps its place among the listeners when it is replaced by another function (HTML standard).
 */
export function defineEventHandler(target: object, name: string, event: string = name): void {
  const key = `on${name}`;
  const accessors: object & ThisType<EventTarget> = {
    get [key](): unknown {
      checkTarget(this, "EventTarget");
      return this[kHandlers]?.get(name)?.handler ?? null;
    },
    set [key](value: unknown) {
      checkTarget(this, "EventTarget");
      const handlers = (this[kHandlers] ??= new Map());
      const current = handlers.get(name);
      if (typeof value !== "function" && (typeof value !== "object" || value === null)) {
        if (current === undefined) return;
        handlers.delete(name);
        this.removeEventListener(event, current);
        return;
      }
      if (current !== undefined) {
        current.handler = value;
        return;
      }
      const wrapper = function (this: unknown, argument: Event) {
        const { handler } = wrapper;
        if (typeof handler !== "function") return;
        const result = handler.call(this, argument);
        if (result === false && argument instanceof Event) argument.preventDefault();
        return result;
      } as HandlerListener;
      wrapper.handler = value;
      handlers.set(name, wrapper);
      this.addEventListener(event, wrapper);
    },
  };
  defineProperty(target, key, {
    ...Object.getOwnPropertyDescriptor(accessors, key),
    enumerable: true,
    configurable: true,
  });
}

// ---------------------------------------------------------------------------------------------- NodeEventTarget

/** An EventTarget with the commonest methods of EventEmitter (https://nodejs.org/api/events.html#class-nodeeventtarget). */
export class NodeEventTarget extends EventTarget {
  static defaultMaxListeners = 10;

  setMaxListeners(n: number): void {
    checkTarget(this, "NodeEventTarget");
    require("node:events").setMaxListeners(n, this);
  }

  getMaxListeners(): number {
    checkTarget(this, "NodeEventTarget");
    return this[kMaxEventTargetListeners] ?? listenerLimits.default;
  }

  eventNames(): string[] {
    checkTarget(this, "NodeEventTarget");
    return this[kEvents] === null ? [] : [...this[kEvents].keys()];
  }

  listenerCount(type: unknown): number {
    checkTarget(this, "NodeEventTarget");
    return this[kEvents]?.get(String(type))?.size ?? 0;
  }

  off(type: string, listener: EventCallback, options?: boolean | ListenerOptions): this {
    checkTarget(this, "NodeEventTarget");
    this.removeEventListener(type, listener, options);
    return this;
  }

  removeListener(type: string, listener: EventCallback, options?: boolean | ListenerOptions): this {
    checkTarget(this, "NodeEventTarget");
    this.removeEventListener(type, listener, options);
    return this;
  }

  on(type: string, listener: EventCallback): this {
    checkTarget(this, "NodeEventTarget");
    this.addEventListener(type, listener, { [kNodeStyle]: true });
    return this;
  }

  addListener(type: string, listener: EventCallback): this {
    checkTarget(this, "NodeEventTarget");
    this.addEventListener(type, listener, { [kNodeStyle]: true });
    return this;
  }

  /** Calls the listeners with `value`; returns whether there were any. */
  emit(type: string, value?: unknown): boolean {
    checkTarget(this, "NodeEventTarget");
    (require("internal/core/validators").validateString as Check)(type, "type");
    const had = this.listenerCount(type) > 0;
    this[kHybridDispatch](value, type);
    return had;
  }

  once(type: string, listener: EventCallback): this {
    checkTarget(this, "NodeEventTarget");
    this.addEventListener(type, listener, { once: true, [kNodeStyle]: true });
    return this;
  }

  removeAllListeners(type?: unknown): this {
    checkTarget(this, "NodeEventTarget");
    const events = this[kEvents];
    if (events === null) return this;
    const types = type === undefined ? [...events.keys()] : [String(type)];
    for (const name of types) {
      const items = events.get(name)?.items ?? [];
      for (const item of items) removeItem(this, name, item);
    }
    return this;
  }
}
makeEnumerable(
  NodeEventTarget.prototype,
  "setMaxListeners",
  "getMaxListeners",
  "eventNames",
  "listenerCount",
  "off",
  "removeListener",
  "on",
  "addListener",
  "once",
  "emit",
  "removeAllListeners",
);

/** The listeners of `type` in order of registration, for events.getEventListeners(). */
export function getTargetListeners(target: EventTarget, type: unknown): EventCallback[] {
  const items = target[kEvents]?.get(String(type))?.items ?? [];
  return items.map(listenerOf).filter((listener) => listener !== undefined);
}

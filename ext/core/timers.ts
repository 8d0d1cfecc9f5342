// Timers and immediates: the queues behind setTimeout, setInterval and setImmediate.
//
// Timers with the same duration expire in the order in which they were started, so each duration has one
// linked list (append and remove are O(1)) and only the lists, keyed by the expiry of their first timer, are
// in a heap. One native timer is armed for the earliest list. Immediates are a linked list of their own.

import {
  asyncContext,
  exchangeContext,
  ownership,
  runInContext,
  setContext,
  kAsyncId,
  kTriggerId,
  tracking,
} from "internal/events/async_context";
import { PriorityQueue } from "internal/core/priority_queue";
import type { InspectOptions } from "internal/util/inspect_types";
import { runNextTicks } from "internal/core/task_queues";

const loop = native("loop");
// The clock is read anew for each timer (as Node does): with the time of the turn's start, a timer that is set at the
// end of a long callback would fire early.
const { updateNow: loopNow, scheduleTimer, getAsyncContext, triggerUncaughtException } = loop;
const timerInfo: Int32Array = loop.timerInfo;
const immediateInfo: Uint32Array = loop.immediateInfo;
const kCount = 0;
const kRefCount = 1;

/** The largest duration, 2 ** 31 - 1 ms; longer ones become 1 ms with a warning. */
const TIMEOUT_MAX = 2147483647;

/** Where net and http keep the idle timer of a socket. */
export const kTimeout = Symbol("timeout");
export const kRefed = Symbol("refed");
const kHasPrimitive = Symbol("kHasPrimitive");
const kContext = Symbol("kAsyncContextFrame");
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");
const ids = () => require("internal/events/async_ids");

// ---------------------------------------------------------------------------------------------- lists

/** A node of a list of timers: the list itself, or a timer; null in a timer that is in no list. */
type Node = TimersList | Timeout;

/** All timers of one duration. It is itself the sentinel node of its circular list. */
class TimersList {
  declare _idleNext: Node;
  declare _idlePrev: Node;
  declare expiry: number;
  declare id: number;
  declare msecs: number;
  declare heapIndex: number;
  constructor(msecs: number) {
    this._idleNext = this;
    this._idlePrev = this;
    this.expiry = 0;
    // Among lists with the same expiry the one that was (re)started first goes first.
    this.id = 0;
    this.msecs = msecs;
    this.heapIndex = 0;
  }

  [inspectCustom](_: unknown, options: InspectOptions): string {
    return shallowInspect(this, options);
  }
}

// Neighbours in the list would print the whole list, so inspection stops at depth 0.
function shallowInspect(item: object, options: InspectOptions): string {
  return require("node:util").inspect(item, { ...options, depth: 0, customInspect: false });
}

let nextListId = 1;
let nextExpiry = Infinity;
let processing = false;
const queue = new PriorityQueue<TimersList>((a, b) => a.expiry < b.expiry || (a.expiry === b.expiry && a.id < b.id));

// Short durations index an array, the rest are in a map. Lists in the array are kept when they run empty (there
// are at most `smallDurations` of them); so are a few others, because the same timeouts come back all the time.
const smallDurations = 256;
const smallLists: Array<TimersList | undefined> = [];
const otherLists = new Map<number, TimersList>();
const keptLists = 64;

function listFor(msecs: number): TimersList {
  if (msecs < smallDurations) {
    const list = smallLists[msecs];
    if (list !== undefined) return list;
    while (smallLists.length <= msecs) smallLists.push(undefined);
    return (smallLists[msecs] = new TimersList(msecs));
  }
  let list = otherLists.get(msecs);
  if (list === undefined) otherLists.set(msecs, (list = new TimersList(msecs)));
  return list;
}

function append(list: TimersList, timer: Timeout, start: number): void {
  timer._idleStart = start;
  if (list._idleNext === list) {
    list.expiry = start + list.msecs;
    list.id = nextListId++;
    if (list.heapIndex === 0) queue.insert(list);
    else queue.update(list);
    // While processTimers() runs, what it returns re-arms the native timer.
    if (nextExpiry > list.expiry && !processing) {
      nextExpiry = list.expiry;
      scheduleTimer(list.msecs);
    }
  }
  const last = list._idlePrev;
  timer._idleNext = list;
  timer._idlePrev = last;
  last._idleNext = timer;
  list._idlePrev = timer;
}

/** What can be taken out of its list. */
interface Linked {
  _idleNext: Linked | null;
  _idlePrev: Linked | null;
}

function unlink(timer: Linked): void {
  const next = timer._idleNext;
  if (next === null) return;
  const prev = timer._idlePrev!;
  next._idlePrev = prev;
  prev._idleNext = next;
  timer._idleNext = null;
  timer._idlePrev = null;
}

function dropEmptyList(list: TimersList): void {
  queue.remove(list);
  if (list.msecs >= smallDurations) otherLists.delete(list.msecs);
}

// ---------------------------------------------------------------------------------------------- Timeout

/** Timers that were turned into a number, so that clearTimeout(number) finds them. */
const knownTimersById = new Map<number, Timeout>();

let warnedNegative = false;
let warnedNaN = false;

// Durations below 1, above TIMEOUT_MAX and NaN become 1 ms, with the warnings of Node.
function repairDuration(ms: number): number {
  if (ms > TIMEOUT_MAX) {
    emitWarning(
      `${ms} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`,
      "TimeoutOverflowWarning",
    );
  } else if (ms < 0 && !warnedNegative) {
    warnedNegative = true;
    emitWarning(`${ms} is a negative number.\nTimeout duration was set to 1.`, "TimeoutNegativeWarning");
  } else if (ms !== ms && !warnedNaN) {
    warnedNaN = true;
    emitWarning(`${ms} is not a number.\nTimeout duration was set to 1.`, "TimeoutNaNWarning");
  }
  return 1;
}

function emitWarning(message: string, type: string): void {
  require("node:process").emitWarning(message, type);
}

/**
 * What setTimeout and setInterval return. Created stopped; startTimer() puts it into its list.
 * `_idleTimeout` is -1 once it is cleared, `_repeat` the interval in ms or null.
 */
export class Timeout {
  declare _idleTimeout: number;
  declare _idlePrev: Node | null;
  declare _idleNext: Node | null;
  declare _idleStart: number | null;
  declare _onTimeout: Function | null;
  declare _timerArgs: unknown[] | undefined;
  declare _repeat: number | null;
  declare _destroyed: boolean;
  declare [kRefed]: boolean;
  declare [kHasPrimitive]: boolean;
  declare [kAsyncId]: number;
  declare [kTriggerId]: number;
  declare [kContext]: unknown;

  constructor(
    callback: Function,
    after: number | undefined,
    args: unknown[] | undefined,
    isRepeat: boolean,
    isRefed: boolean,
  ) {
    let ms: number;
    if (after === undefined) {
      ms = 1;
    } else {
      ms = after * 1;
      if (!(ms >= 1 && ms <= TIMEOUT_MAX)) ms = repairDuration(ms);
      // Lists are per whole millisecond; Node truncates as well.
      else ms = Math.trunc(ms);
    }
    this._idleTimeout = ms;
    this._idlePrev = null;
    this._idleNext = null;
    this._idleStart = null;
    this._onTimeout = callback;
    this._timerArgs = args;
    this._repeat = isRepeat ? ms : null;
    this._destroyed = false;
    this[kRefed] = isRefed;
    this[kHasPrimitive] = false;
    this[kAsyncId] = 0;
    this[kTriggerId] = 0;
    this[kContext] = asyncContext.active ? getAsyncContext() : undefined;
    if (tracking.enabled) ids().initResource(this, "Timeout");
    if (isRefed) timerInfo[0]!++;
  }

  [inspectCustom](_: unknown, options: InspectOptions): string {
    return shallowInspect(this, options);
  }

  /** Starts the time again without a new object; also revives a timer that has fired. */
  refresh(): this {
    if (this[kRefed]) restart(this, true);
    else restart(this, false);
    return this;
  }

  /** The loop does not wait for this timer any more. */
  unref(): this {
    if (this[kRefed]) {
      if (!this._destroyed) timerInfo[0]!--;
      this[kRefed] = false;
    }
    return this;
  }

  ref(): this {
    if (this[kRefed] === false) {
      if (!this._destroyed) timerInfo[0]!++;
      this[kRefed] = true;
    }
    return this;
  }

  hasRef(): boolean {
    return this[kRefed];
  }

  /** Same as clearTimeout(this). */
  close(): this {
    clearTimer(this);
    return this;
  }

  [Symbol.dispose](): void {
    clearTimer(this);
  }

  /** A number that clearTimeout() takes as well. */
  [Symbol.toPrimitive](): number {
    if (this[kAsyncId] === 0) this[kAsyncId] = ids().newAsyncId();
    const id = this[kAsyncId];
    if (!this[kHasPrimitive]) {
      this[kHasPrimitive] = true;
      knownTimersById.set(id, this);
    }
    return id;
  }
}

/** Puts a fresh timer into its list. The duration counts from the loop's cached time, as in Node. */
export function startTimer(timer: Timeout): void {
  append(listFor(timer._idleTimeout), timer, loopNow());
}

// Restarts a timer in whatever state it is: waiting, fired, or (no effect) cleared.
function restart(timer: Timeout, refed: boolean): void {
  const msecs = timer._idleTimeout;
  if (msecs < 0 || msecs === undefined) return;
  unlink(timer);
  append(listFor(msecs), timer, loopNow());
  if (timer._destroyed) {
    timer._destroyed = false;
    if (tracking.enabled) ids().initResource(timer, "Timeout");
    if (refed) timerInfo[0]!++;
  }
}

function destroyTimer(timer: Timeout): void {
  if (timer._destroyed) return;
  timer._destroyed = true;
  if (timer[kRefed]) timerInfo[0]!--;
  if (timer[kHasPrimitive]) {
    knownTimersById.delete(timer[kAsyncId]);
    timer[kHasPrimitive] = false;
  }
  if (tracking.enabled && timer[kAsyncId] !== undefined) ids().emitDestroy(timer[kAsyncId]);
}

/**
 * Stops a Timeout for good. Does nothing when it is stopped already. Another library's timer may come here (undici's have an
 * `_onTimeout`, and fake clocks hand them on): it is in no list and is marked as stopped, as Node does.
 */
export function clearTimer(timer: Timeout): void {
  timer._onTimeout = null;
  const next = timer._idleNext as Node | null | undefined;
  if (next !== null && next !== undefined) {
    unlink(timer);
    // The node after the only one of a list is the list itself.
    if (next._idleNext === next && (next as TimersList).heapIndex !== 0 && queue.size > keptLists)
      dropEmptyList(next as TimersList);
  }
  destroyTimer(timer);
  timer._idleTimeout = -1;
}

/** clearTimeout and clearInterval for ids: the number (or numeric string) a Timeout was turned into. */
export function clearTimerById(id: number): void {
  const timer = knownTimersById.get(id);
  if (timer !== undefined) clearTimer(timer);
}

/** A timer that does not keep the loop alive, for idle timeouts of sockets. `callback` runs once after `after` ms. */
export function setUnrefTimeout(callback: Callback, after: number): Timeout {
  (require("internal/core/validators").validateFunction as Check)(callback, "callback");
  const timer = new Timeout(callback, after, undefined, false, false);
  startTimer(timer);
  return timer;
}

/** The same for what all code shares: the timer is in no async context, and ends with no graph of modules. */
export function setSharedTimeout(callback: Callback, after: number): Timeout {
  return runInContext(undefined, setUnrefTimeout, undefined, [callback, after]);
}

/** Checks a socket or request timeout in ms as Node does: ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE, clamped to TIMEOUT_MAX. */
export function getTimerDuration(msecs: number, name: string): number {
  (require("internal/core/validators").validateNumber as Check)(msecs, name);
  if (msecs < 0 || !Number.isFinite(msecs)) {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_OUT_OF_RANGE(name, "a non-negative finite number", msecs);
  }
  if (msecs > TIMEOUT_MAX) {
    emitWarning(
      `${msecs} does not fit into a 32-bit signed integer.\nTimer duration was truncated to ${TIMEOUT_MAX}.`,
      "TimeoutOverflowWarning",
    );
    return TIMEOUT_MAX;
  }
  return msecs;
}

/**
 * Native entry: runs all timers that are due at `now` (loop time in ms).
 * Returns the loop time of the next expiry, negated when only unref'ed timers wait, or 0 when none does.
 */
export function processTimers(now: number): number {
  processing = true;
  nextExpiry = Infinity;
  let ranOneList = false;
  let list: TimersList | undefined;
  while ((list = queue.peek()) !== undefined) {
    // With the time of the start: what has become due while callbacks ran waits for the next turn, so that slow
    // timers cannot starve the other phases.
    if (list.expiry > now) {
      nextExpiry = list.expiry;
      processing = false;
      return timerInfo[0]! > 0 ? nextExpiry : -nextExpiry;
    }
    if (ranOneList) runNextTicks();
    ranOneList = runList(list, now);
  }
  processing = false;
  return 0;
}

/** All timers that wait. */
export function waitingTimers(): Timeout[] {
  const timers: Timeout[] = [];
  const add = (list: TimersList | undefined) => {
    if (list !== undefined)
      for (let timer = list._idleNext; timer !== list; timer = timer._idleNext!) timers.push(timer as Timeout);
  };
  smallLists.forEach(add);
  otherLists.forEach(add);
  return timers;
}

/** After a callback was ended from outside, and with it processTimers() or processImmediates(): makes both ready to go on. */
export function recoverTimers(): void {
  processing = false;
  timerInfo[0] = waitingTimers().filter((timer) => timer[kRefed]).length;
  const first = queue.peek();
  nextExpiry = first === undefined ? Infinity : first.expiry;
  if (first !== undefined) scheduleTimer(Math.max(1, first.expiry - loopNow()));
}

// Returns whether ticks have to run before the next callback: not after one that threw, as in Node, where an
// exception leaves the phase and comes back to it after the handlers.
function runList(list: TimersList, now: number): boolean {
  const msecs = list.msecs;
  let ranOne = false;
  let timer: Timeout;
  while ((timer = list._idleNext as Timeout) !== (list as Node)) {
    let diff = now - timer._idleStart!;
    if (diff < msecs) {
      // Timers started by the callbacks of this run, or ones that a refresh() moved back.
      list.expiry = Math.max(timer._idleStart! + msecs, now + 1);
      list.id = nextListId++;
      queue.update(list);
      return ranOne;
    }
    if (ranOne) {
      runNextTicks();
      ranOne = false;
      // Those ticks may have cleared or refreshed the timer.
      if (list._idleNext !== timer) continue;
    }
    unlink(timer);
    ranOne = runTimer(timer);
  }
  if (list.heapIndex !== 0) dropEmptyList(list);
  return ranOne;
}

// Returns false when the callback threw.
function runTimer(timer: Timeout): boolean {
  const callback = timer._onTimeout;
  if (typeof callback !== "function") {
    // Internal users set _onTimeout to null to disarm a timer without clearing it.
    destroyTimer(timer);
    return true;
  }
  if (ownership.isAbandoned?.(timer[kContext]) === true) {
    destroyTimer(timer);
    return true;
  }
  const repeats = timer._repeat !== null;
  let ok = true;
  const start = repeats ? loopNow() : 0;
  const withContext = asyncContext.active;
  const prior = withContext ? exchangeContext(timer[kContext]) : undefined;
  const tracked = tracking.enabled;
  const depth = tracked ? enterTracked(timer, "Timeout") : 0;
  try {
    const args = timer._timerArgs;
    if (args === undefined) timer._onTimeout!();
    else Reflect.apply(callback, timer, args);
  } catch (error) {
    ok = false;
    triggerUncaughtException(error, false);
  }
  if (tracked) ids().unwindTo(depth);
  else if (tracking.hooks) ids().tellLateAfter(timer);
  if (asyncContext.active) setContext(prior);
  // Programs may set _repeat of a one-shot timer.
  if (timer._repeat && timer._idleTimeout !== -1) {
    if (timer._idleNext === null) {
      const msecs = (timer._idleTimeout = Math.trunc(timer._repeat));
      append(listFor(msecs), timer, repeats ? start : loopNow());
    }
  } else if (timer._idleNext === null) {
    destroyTimer(timer);
  }
  return ok;
}

function enterTracked(resource: Timeout | Immediate, type: string): number {
  const { emitBefore, initResource, stackDepth } = ids();
  if (resource[kAsyncId] === 0 || resource[kTriggerId] === 0) initResource(resource, type);
  const depth = stackDepth();
  emitBefore(resource[kAsyncId], resource[kTriggerId], resource);
  return depth;
}

// ---------------------------------------------------------------------------------------------- Immediate

type ImmediateNode = Immediate | Sentinel;

/** What setImmediate returns; a node of a circular list while it waits. */
export class Immediate {
  declare _idleNext: ImmediateNode | null;
  declare _idlePrev: ImmediateNode | null;
  declare _onImmediate: Function | null;
  declare _argv: unknown[] | undefined;
  declare _destroyed: boolean;
  /** null once it has run or was stopped. */
  declare [kRefed]: boolean | null;
  declare [kAsyncId]: number;
  declare [kTriggerId]: number;
  declare [kContext]: unknown;

  constructor(callback: Function, args: unknown[] | undefined) {
    const last = pending._idlePrev;
    this._idleNext = pending;
    this._idlePrev = last;
    this._onImmediate = callback;
    this._argv = args;
    this._destroyed = false;
    this[kRefed] = true;
    this[kAsyncId] = 0;
    this[kTriggerId] = 0;
    this[kContext] = asyncContext.active ? getAsyncContext() : undefined;
    if (tracking.enabled) ids().initResource(this, "Immediate");
    last._idleNext = this;
    pending._idlePrev = this;
    immediateInfo[kCount]!++;
    immediateInfo[kRefCount]!++;
  }

  [inspectCustom](_: unknown, options: InspectOptions): string {
    return shallowInspect(this, options);
  }

  ref(): this {
    if (this[kRefed] === false) {
      this[kRefed] = true;
      immediateInfo[kRefCount]!++;
    }
    return this;
  }

  unref(): this {
    if (this[kRefed] === true) {
      this[kRefed] = false;
      immediateInfo[kRefCount]!--;
    }
    return this;
  }

  hasRef(): boolean {
    return !!this[kRefed];
  }

  [Symbol.dispose](): void {
    clearImmediate(this);
  }
}

// Sentinels of the list that is filled and of the one that runs. A run takes the whole list, so that
// immediates queued by immediates wait for the next turn.
interface Sentinel {
  _idleNext: ImmediateNode;
  _idlePrev: ImmediateNode;
}
const pending = { _idleNext: null, _idlePrev: null } as unknown as Sentinel;
pending._idleNext = pending._idlePrev = pending;
const running = { _idleNext: null, _idlePrev: null } as unknown as Sentinel;
running._idleNext = running._idlePrev = running;

// Takes an immediate out of the counts and of its list, whichever that is.
function retire(immediate: Immediate): void {
  immediate._destroyed = true;
  immediateInfo[kCount]!--;
  if (immediate[kRefed]) immediateInfo[kRefCount]!--;
  immediate[kRefed] = null;
  unlink(immediate);
}

/** Stops an Immediate that has not run; everything else is ignored. */
export function clearImmediate(immediate: Immediate): void {
  if (!immediate?._onImmediate || immediate._destroyed) return;
  retire(immediate);
  immediate._onImmediate = null;
  if (tracking.enabled) ids().emitDestroy(immediate[kAsyncId]);
}

/** Native entry of the check phase: runs the immediates that were queued before it. */
export function processImmediates(): void {
  if (pending._idleNext !== pending) {
    // Append the pending list to what an aborted run may have left over.
    const first = pending._idleNext;
    const last = pending._idlePrev;
    const tail = running._idlePrev;
    tail._idleNext = first;
    first._idlePrev = tail;
    last._idleNext = running;
    running._idlePrev = last;
    pending._idleNext = pending._idlePrev = pending;
  }
  let ranOne = false;
  let immediate: ImmediateNode;
  while ((immediate = running._idleNext) !== running) {
    if (ranOne) {
      runNextTicks();
      ranOne = false;
      if (running._idleNext !== immediate) continue;
    }
    retire(immediate as Immediate);
    ranOne = runImmediate(immediate as Immediate);
  }
}

// Returns false when the callback threw.
function runImmediate(immediate: Immediate): boolean {
  if (ownership.isAbandoned?.(immediate[kContext]) === true) {
    immediate._onImmediate = null;
    return true;
  }
  let ok = true;
  const withContext = asyncContext.active;
  const prior = withContext ? exchangeContext(immediate[kContext]) : undefined;
  const tracked = tracking.enabled;
  const depth = tracked ? enterTracked(immediate, "Immediate") : 0;
  try {
    const args = immediate._argv;
    if (args === undefined) immediate._onImmediate!();
    else immediate._onImmediate!(...args);
  } catch (error) {
    ok = false;
    triggerUncaughtException(error, false);
  }
  if (tracked) ids().unwindTo(depth);
  else if (tracking.hooks) ids().tellLateAfter(immediate);
  immediate._onImmediate = null;
  if (asyncContext.active) setContext(prior);
  if (tracked) ids().emitDestroy(immediate[kAsyncId]);
  return ok;
}

// Timers and immediates of a graph end with it.
ownership.closers.push((isOwned) => {
  for (const list of [...smallLists, ...otherLists.values()]) {
    if (list !== undefined) for (const timer of ownedIn(list, isOwned)) clearTimer(timer as Timeout);
  }
  for (const list of [pending, running]) {
    for (const immediate of ownedIn(list, isOwned)) clearImmediate(immediate as Immediate);
  }
});

function ownedIn(list: object, isOwned: (context: unknown) => boolean): unknown[] {
  const found: unknown[] = [];
  for (let node = (list as Linked)._idleNext; node !== list && node !== null; node = node._idleNext) {
    if (isOwned((node as Partial<Timeout>)[kContext])) found.push(node);
  }
  return found;
}

/** Names of the ref'ed timers and immediates that wait, for process.getActiveResourcesInfo(). */
export function activeTimerNames(): string[] {
  const names: string[] = new Array(timerInfo[0]).fill("Timeout");
  for (let i = 0; i < immediateInfo[kRefCount]!; i++) names.push("Immediate");
  return names;
}

// Time that passes when a test says so: https://bun.com/docs/test/dates-times, https://jestjs.io/docs/timer-mocks
//
// Faked are the globals; what took the real ones before, or from node:timers, keeps them, as under Jest and vitest (React's `act`
// counts on it). node:test has its own (internal/test/mock_timers), with Node's rules.
import { PriorityQueue } from "internal/core/priority_queue";
// Before anything is faked.
import {
  clearInterval as endReal,
  setImmediate as realImmediate,
  setInterval as realInterval,
} from "internal/test/bun_test/real_timers";
import { onRestore } from "internal/test/bun_test/file_cleanup";

const { defineProperty, getOwnPropertyDescriptor } = Object;
const RealDate = Date;
const realNow = RealDate.now;
const LONGEST = 2 ** 31 - 1;
/** Timers that runAllTimers runs before it takes them for endless. */
const MOST_TIMERS = 100_000;

interface Entry {
  id: number;
  at: number;
  order: number;
  callback: Function;
  args: unknown[];
  interval: number | undefined;
  delay: number;
  heapIndex: number;
  isRefed: boolean;
  /** Cleared: nothing starts it again. */
  isCleared: boolean;
}

/** `util.promisify.custom` */
const kPromisify = Symbol.for("nodejs.util.promisify.custom");

let isFaked = false;
/** The faked time in milliseconds since 1970; undefined while Date is real. */
let wall: number | undefined;
/** Milliseconds that have passed since useFakeTimers. */
let elapsed = 0;
let nextId = 1;
let nextOrder = 0;
let entries = new Map<number, Entry>();
let queue = newQueue();
let undo: (() => void)[] = [];
let forget: (() => void) | undefined;
let ticks: [Function, unknown[]][] | undefined;

function newQueue(): PriorityQueue<Entry> {
  return new PriorityQueue<Entry>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
}

/** What setTimeout returns while time is faked. */
class Timeout {
  #entry: Entry;

  constructor(entry: Entry) {
    this.#entry = entry;
  }

  ref() {
    this.#entry.isRefed = true;
    return this;
  }

  unref() {
    this.#entry.isRefed = false;
    return this;
  }

  hasRef() {
    return this.#entry.isRefed;
  }

  /** Starts it anew, also if it has fired, as in Node. */
  refresh() {
    const entry = this.#entry;
    if (entry.isCleared) return this;
    entry.at = elapsed + entry.delay;
    entry.order = nextOrder++;
    if (entries.has(entry.id)) queue.update(entry);
    else {
      entries.set(entry.id, entry);
      queue.insert(entry);
    }
    return this;
  }

  close() {
    clear(this);
    return this;
  }

  [Symbol.toPrimitive]() {
    return this.#entry.id;
  }

  [Symbol.dispose]() {
    clear(this);
  }
}

/** Whether a timer's callback runs: a timer without delay that it sets is one of the next millisecond. */
let isRunning = false;

function add(
  callback: unknown,
  delay: unknown,
  args: unknown[],
  repeats: boolean,
  least = repeats || isRunning ? 1 : 0,
): Timeout {
  if (typeof callback !== "function") {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_INVALID_ARG_TYPE("callback", "Function", callback);
  }
  const given = Math.trunc(Number(delay));
  const wait = !(given >= least) ? least : given > LONGEST ? 1 : given;
  const id = nextId++;
  const entry: Entry = {
    id,
    at: elapsed + wait,
    order: nextOrder++,
    callback,
    args,
    interval: repeats ? wait : undefined,
    delay: wait,
    heapIndex: 0,
    isRefed: true,
    isCleared: false,
  };
  entries.set(id, entry);
  queue.insert(entry);
  return new Timeout(entry);
}

function clear(handle: unknown): void {
  if (handle === null || handle === undefined) return;
  const id = Number(handle);
  const entry = entries.get(id);
  if (entry === undefined) return;
  entry.isCleared = true;
  entries.delete(id);
  queue.remove(entry);
}

/** Promise jobs and ticks, which come between two timers. */
function drain(): void {
  require("internal/core/task_queues").runNextTicks();
  native("loop").runMicrotasks();
}

function advanceTo(time: number): void {
  if (time <= elapsed) return;
  if (wall !== undefined) wall += time - elapsed;
  elapsed = time;
}

function runEntry(entry: Entry): void {
  advanceTo(entry.at);
  if (entry.interval === undefined) {
    entries.delete(entry.id);
    queue.remove(entry);
  } else {
    entry.at += entry.interval;
    entry.order = nextOrder++;
    queue.update(entry);
  }
  isRunning = true;
  try {
    Reflect.apply(entry.callback, undefined, entry.args);
  } finally {
    isRunning = false;
  }
}

function swap(holder: object, name: string, value: unknown): void {
  const descriptor = getOwnPropertyDescriptor(holder, name);
  defineProperty(holder, name, {
    value,
    configurable: true,
    enumerable: descriptor?.enumerable ?? true,
    writable: true,
  });
  undo.push(() => {
    if (descriptor === undefined) delete (holder as Record<string, unknown>)[name];
    else defineProperty(holder, name, descriptor);
  });
}

/** The faked time as Date has it: whole milliseconds, like those of the real clock. */
const wholeWall = (): number => Math.floor(wall!);

/** Date that starts at the faked time. */
function fakeDate() {
  const Fake = function Date(...args: unknown[]): unknown {
    if (new.target === undefined) return new RealDate(wholeWall()).toString();
    return Reflect.construct(
      RealDate,
      args.length === 0 ? [wholeWall()] : args,
      new.target === Fake ? RealDate : new.target,
    );
  };
  defineProperty(Fake, "length", { value: 7, configurable: true });
  for (const name of ["UTC", "parse"]) defineProperty(Fake, name, getOwnPropertyDescriptor(RealDate, name)!);
  defineProperty(Fake, "now", {
    value: function now() {
      return wholeWall();
    },
    configurable: true,
    writable: true,
  });
  defineProperty(Fake, "prototype", { value: RealDate.prototype, writable: false });
  return Fake;
}

let undoDate: (() => void) | undefined;

/** Makes Date show `time`; undefined makes it real again. */
function setDate(time: number | undefined): void {
  wall = time === undefined ? undefined : Math.floor(time);
  if (time === undefined) {
    undoDate?.();
    undoDate = undefined;
    return;
  }
  if (undoDate !== undefined) return;
  const descriptor = getOwnPropertyDescriptor(globalThis, "Date")!;
  const Fake = fakeDate();
  const { prototype } = RealDate;
  const maker = getOwnPropertyDescriptor(prototype, "constructor")!;
  defineProperty(globalThis, "Date", { value: Fake, configurable: true, writable: true, enumerable: false });
  defineProperty(prototype, "constructor", { ...maker, value: Fake });
  // Without an argument these take the present time.
  const { prototype: formats } = Intl.DateTimeFormat;
  const format = getOwnPropertyDescriptor(formats, "format")!;
  const parts = getOwnPropertyDescriptor(formats, "formatToParts")!;
  defineProperty(formats, "format", {
    ...format,
    get(this: Intl.DateTimeFormat) {
      const real = format.get!.call(this);
      return (date?: unknown) => real(date === undefined ? wholeWall() : date);
    },
  });
  defineProperty(formats, "formatToParts", {
    ...parts,
    value: function formatToParts(this: Intl.DateTimeFormat, date?: unknown) {
      return parts.value.call(this, date === undefined ? wholeWall() : date);
    },
  });
  const forgetDate = onRestore("time", () => setDate(undefined));
  undoDate = () => {
    forgetDate();
    defineProperty(globalThis, "Date", descriptor);
    defineProperty(prototype, "constructor", maker);
    defineProperty(formats, "format", format);
    defineProperty(formats, "formatToParts", parts);
  };
}

function timeOf(now: unknown): number {
  if (now instanceof RealDate) return now.getTime();
  return typeof now === "number" ? now : typeof now === "string" ? new RealDate(now).getTime() : NaN;
}

/** `setSystemTime(now)`: what Date says; undefined for the real time (or, while timers are faked, that of now). */
export function setSystemTime(now?: unknown): void {
  const time = now === undefined || now === null ? NaN : timeOf(now);
  if (isFaked) setDate(Number.isNaN(time) ? realNow() : time);
  else setDate(Number.isNaN(time) ? undefined : time);
}

const APIS = [
  "Date",
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
  "performance",
  "nextTick",
  "queueMicrotask",
  "requestAnimationFrame",
  "cancelAnimationFrame",
  "requestIdleCallback",
  "cancelIdleCallback",
  "hrtime",
];
/** What only a list in `toFake` fakes: code that awaits would stand still. Immediates are real in Bun. */
const ASKED_FOR = new Set(["nextTick", "queueMicrotask", "setImmediate", "clearImmediate"]);

/** https://jestjs.io/docs/jest-object#fake-timers */
interface FakeOptions {
  now?: unknown;
  toFake?: string[];
  doNotFake?: string[];
  /** vitest's word. */
  toNotFake?: string[];
  /** Time passes by itself; true, or by how many milliseconds at once. */
  advanceTimers?: boolean | number;
}

function chosenApis(options: FakeOptions): Set<string> {
  const chosen = new Set(Array.isArray(options.toFake) ? options.toFake : APIS.filter((name) => !ASKED_FOR.has(name)));
  for (const name of options.doNotFake ?? options.toNotFake ?? []) chosen.delete(name);
  return chosen as Set<string>;
}

/** `useFakeTimers({ now, toFake, doNotFake })`; the form with "legacy" or "modern" has only the modern kind. */
export function useFakeTimers(options: FakeOptions = {}): void {
  if (typeof options !== "object" || options === null) options = {};
  if (isFaked) useRealTimers();
  const apis = chosenApis(options);
  isFaked = true;
  elapsed = 0;
  entries = new Map();
  queue = newQueue();
  forget = onRestore("time", useRealTimers);
  const given = options.now === undefined ? NaN : timeOf(options.now);
  if (options.now !== undefined && Number.isNaN(given))
    throw new TypeError(`useFakeTimers() "now" must be a number or Date`);
  if (apis.has("Date")) setDate(Number.isNaN(given) ? (wall ?? realNow()) : given);
  const both = (name: string, value: unknown) => {
    if (apis.has(name)) swap(globalThis, name, value);
  };
  const fakeTimeout = function setTimeout(callback: unknown, delay?: unknown, ...args: unknown[]) {
    return add(callback, delay, args, false);
  };
  // Libraries tell faked timers by this property.
  defineProperty(fakeTimeout, "clock", { value: true, configurable: true });
  defineProperty(fakeTimeout, kPromisify, {
    value: (delay?: unknown, value?: unknown) => new Promise((resolve) => add(() => resolve(value), delay, [], false)),
    configurable: true,
  });
  both("setTimeout", fakeTimeout);
  both("clearTimeout", function clearTimeout(handle: unknown) {
    clear(handle);
  });
  both("setInterval", function setInterval(callback: unknown, delay?: unknown, ...args: unknown[]) {
    return add(callback, delay, args, true);
  });
  both("clearInterval", function clearInterval(handle: unknown) {
    clear(handle);
  });
  const fakeImmediate = function setImmediate(callback: unknown, ...args: unknown[]) {
    return add(callback, 0, args, false, 0);
  };
  defineProperty(fakeImmediate, kPromisify, {
    value: (value?: unknown) => new Promise((resolve) => add(() => resolve(value), 0, [], false, 0)),
    configurable: true,
  });
  both("setImmediate", fakeImmediate);
  both("clearImmediate", function clearImmediate(handle: unknown) {
    clear(handle);
  });
  const frame = (callback: unknown) => Number(add(callback, 16 - (elapsed % 16), [], false));
  if ("requestAnimationFrame" in globalThis) {
    both("requestAnimationFrame", (callback: (...values: unknown[]) => unknown) =>
      frame(() => callback(performance.now())),
    );
    both("cancelAnimationFrame", clear);
  }
  if ("requestIdleCallback" in globalThis) {
    both("requestIdleCallback", (callback: (...values: unknown[]) => unknown) =>
      Number(add(() => callback({ didTimeout: false, timeRemaining: () => 50 }), 0, [], false)),
    );
    both("cancelIdleCallback", clear);
  }
  // As in Bun and vitest, these clocks begin at 0.
  if (apis.has("performance")) swap(performance, "now", () => elapsed);
  if (apis.has("hrtime")) fakeHrtime();
  if (apis.has("queueMicrotask"))
    swap(globalThis, "queueMicrotask", (callback: TimerCallback) => addTick(callback, []));
  if (apis.has("nextTick"))
    swap(process, "nextTick", (callback: TimerCallback, ...args: unknown[]) => addTick(callback, args));
  if (options.advanceTimers) advanceByItself(options.advanceTimers === true ? 20 : Number(options.advanceTimers));
}

type TimerCallback = (...args: unknown[]) => unknown;

function addTick(callback: TimerCallback, args: unknown[]): void {
  (ticks ??= []).push([callback, args]);
}

function fakeHrtime(): void {
  // Whole nanoseconds; what is added is less than what products of floating-point numbers are short of.
  const now = () => BigInt(Math.floor(elapsed * 1e6 + 0.001));
  const fake = (before?: [number, number]) => {
    let time = now();
    if (before !== undefined) time -= BigInt(before[0]) * 1_000_000_000n + BigInt(before[1]);
    return [Number(time / 1_000_000_000n), Number(time % 1_000_000_000n)];
  };
  fake.bigint = now;
  swap(process, "hrtime", fake);
}

/** `advanceTimers`: faked time follows the real one in steps. */
function advanceByItself(step: number): void {
  const handle = realInterval(() => advanceTimersByTime(step), step);
  handle.unref();
  undo.push(() => endReal(handle));
}

export function useRealTimers(): void {
  if (!isFaked) {
    setDate(undefined);
    return;
  }
  isFaked = false;
  ticks = undefined;
  for (let i = undo.length - 1; i >= 0; i--) undo[i]!();
  undo = [];
  setDate(undefined);
  entries.clear();
  queue = newQueue();
  forget?.();
  forget = undefined;
}

export const isFakeTimers = (): boolean => isFaked;

function check(): void {
  if (!isFaked) throw new Error("Fake timers are not active. Call useFakeTimers() first.");
}

function validateSpan(milliseconds: unknown, name: string): void {
  if (typeof milliseconds !== "number" || Number.isNaN(milliseconds))
    throw new TypeError(`${name}() expects a number of milliseconds`);
  if (milliseconds < 0 || milliseconds > 4294967295) {
    throw new TypeError(`${name}() ms is out of range. It must be >= 0 and <= 4294967295. Received ${milliseconds}`);
  }
}

/** Runs the timers of the next `milliseconds`. */
export function advanceTimersByTime(milliseconds: number): void {
  check();
  validateSpan(milliseconds, "advanceTimersByTime");
  const until = elapsed + (milliseconds as number);
  drain();
  if (!isFaked) return;
  for (let entry = queue.peek(); entry !== undefined && entry.at <= until; entry = queue.peek()) {
    runEntry(entry);
    drain();
    if (!isFaked) return;
  }
  advanceTo(until);
}

export function advanceTimersToNextTimer(steps = 1): void {
  check();
  for (let i = 0; i < steps; i++) {
    const entry = queue.peek();
    if (entry === undefined) return;
    runEntry(entry);
    drain();
    if (!isFaked) return;
  }
}

export function advanceTimersToNextFrame(): void {
  check();
  advanceTimersByTime(16 - (elapsed % 16));
}

function endless(): Error {
  return new Error(`Aborting after running ${MOST_TIMERS} timers, assuming an infinite loop!`);
}

export function runAllTicks(): void {
  check();
  for (let ran = 0; ticks !== undefined && ticks.length > 0; ran++) {
    if (ran > MOST_TIMERS) throw endless();
    const [callback, args] = ticks.shift()!;
    Reflect.apply(callback, undefined, args);
  }
}

/** Runs timers until there is none left. */
export function runAllTimers(): void {
  check();
  runAllTicks();
  for (let ran = 0; ; ran++) {
    const entry = queue.peek();
    if (entry === undefined) return;
    if (ran >= MOST_TIMERS) throw endless();
    runEntry(entry);
    drain();
    if (!isFaked) return;
  }
}

/** Runs the timers that there are now, each once, up to the time of the last one. */
export function runOnlyPendingTimers(): void {
  check();
  let last = elapsed;
  for (const entry of entries.values()) last = Math.max(last, entry.at);
  advanceTimersByTime(last - elapsed);
}

export function getTimerCount(): number {
  check();
  return entries.size + (ticks?.length ?? 0);
}

export function clearAllTimers(): void {
  check();
  entries.clear();
  queue = newQueue();
}

export const now = (): number => (wall === undefined ? realNow() : wholeWall());
export const getRealSystemTime = (): number => realNow();
export const getMockedSystemTime = (): Date | null => (wall === undefined ? null : new RealDate(wholeWall()));

/** A turn of the real loop, for promises that take some. */
const turn = (): Promise<void> => new Promise((resolve) => realImmediate(resolve));

export async function advanceTimersByTimeAsync(milliseconds: unknown): Promise<void> {
  check();
  validateSpan(milliseconds, "advanceTimersByTimeAsync");
  const until = elapsed + (milliseconds as number);
  await turn();
  while (isFaked) {
    const entry = queue.peek();
    if (entry === undefined || entry.at > until) break;
    runEntry(entry);
    await turn();
  }
  advanceTo(until);
}

export async function advanceTimersToNextTimerAsync(steps = 1): Promise<void> {
  check();
  await turn();
  for (let i = 0; i < steps && isFaked; i++) {
    const entry = queue.peek();
    if (entry === undefined) return;
    runEntry(entry);
    await turn();
  }
}

export async function runAllTimersAsync(): Promise<void> {
  check();
  await turn();
  for (let ran = 0; isFaked; ran++) {
    const entry = queue.peek();
    if (entry === undefined) return;
    if (ran >= MOST_TIMERS) throw endless();
    runEntry(entry);
    await turn();
  }
}

export async function runOnlyPendingTimersAsync(): Promise<void> {
  check();
  await turn();
  let last = elapsed;
  for (const entry of entries.values()) last = Math.max(last, entry.at);
  await advanceTimersByTimeAsync(last - elapsed);
}

// MockTimers of node:test: time that passes when a test says so. https://nodejs.org/api/test.html#class-mocktimers

import { codes } from "internal/core/errors";
import { validateAbortSignal, validateNumber, validateObject, validateStringArray } from "internal/core/validators";

const APIS = ["setTimeout", "setInterval", "setImmediate", "Date", "scheduler.wait", "AbortSignal.timeout"];
const RealDate = Date;
const LONGEST = 2 ** 31 - 1;

type TimerCallback = (...args: unknown[]) => unknown;

/** The options of the timers of node:timers/promises. */
interface TimerOptions {
  signal?: AbortSignal;
}

type Entry = {
  id: number;
  at: number;
  order: number;
  callback: Function;
  args: unknown[];
  interval: number | undefined;
  handle: MockTimeout;
  immediate?: boolean;
};

/** What setTimeout returns while time is mocked. */
class MockTimeout {
  #owner: MockTimers;
  #id: number;
  #referenced = true;

  constructor(owner: MockTimers, id: number) {
    this.#owner = owner;
    this.#id = id;
  }

  hasRef() {
    return this.#referenced;
  }

  ref() {
    this.#referenced = true;
    return this;
  }

  unref() {
    this.#referenced = false;
    return this;
  }

  refresh() {
    this.#owner.refresh(this.#id);
    return this;
  }

  close() {
    this.#owner.clear(this);
    return this;
  }

  [Symbol.toPrimitive]() {
    return this.#id;
  }

  [Symbol.dispose]() {
    this.#owner.clear(this);
  }
}

export class MockTimers {
  #enabled = false;
  #now = 0;
  #next = 1;
  #order = 0;
  #entries = new Map<number, Entry>();
  #undo: (() => void)[] = [];

  #add(callback: TimerCallback, delay: number, args: unknown[], repeat: boolean, immediate = false): MockTimeout {
    const wait = immediate ? 0 : !(delay >= 1) ? 1 : delay > LONGEST ? 1 : Math.trunc(delay);
    const id = this.#next++;
    const handle = new MockTimeout(this, id);
    this.#entries.set(id, {
      id,
      at: this.#now + wait,
      order: this.#order++,
      callback,
      args,
      interval: repeat ? wait : undefined,
      handle,
      immediate,
    });
    return handle;
  }

  clear(handle: unknown) {
    if (handle !== null && handle !== undefined) this.#entries.delete(Number(handle));
  }

  refresh(id: number) {
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.at = this.#now + (entry.interval ?? 1);
  }

  #swap(holder: unknown, name: string, value: unknown) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name)!;
    Object.defineProperty(holder, name, {
      ...("value" in descriptor
        ? descriptor
        : { configurable: true, enumerable: descriptor.enumerable, writable: true }),
      value,
    });
    this.#undo.push(() => Object.defineProperty(holder, name, descriptor));
  }

  /** Replaces the timers named in `options.apis`; `options.now` is the first time. */
  enable(options: unknown = { __proto__: null, apis: APIS, now: 0 }) {
    validateObject(options, "options");
    if (this.#enabled) throw new codes.ERR_INVALID_STATE("MockTimers is already enabled!");
    const now = options.now ?? 0;
    const time = Object.prototype.toString.call(now) === "[object Date]" ? RealDate.prototype.getTime.call(now) : now;
    validateNumber(time, "options.now", 0);
    const apis = options.apis ?? APIS;
    validateStringArray(apis, "options.apis");
    for (const api of apis) {
      if (!APIS.includes(api))
        throw new codes.ERR_INVALID_ARG_VALUE("options.apis", api, `option ${api} is not supported`);
    }
    this.#now = time;
    this.#enabled = true;
    const timers = require("node:timers");
    const promises = require("node:timers/promises");
    for (const api of apis) this.#replace(api, timers, promises);
  }

  #promise(delay: number, value: unknown, options: TimerOptions | undefined, immediate: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const signal = options?.signal;
      if (signal !== undefined) validateAbortSignal(signal, "options.signal");
      const abort = () => {
        this.clear(handle);
        const { AbortError } = require("internal/core/errors");
        reject(new AbortError(undefined, { cause: signal!.reason }));
      };
      let handle: MockTimeout;
      if (signal?.aborted) return abort();
      handle = this.#add(
        () => {
          signal?.removeEventListener("abort", abort);
          resolve(value);
        },
        delay,
        [],
        false,
        immediate,
      );
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  async *#interval(delay: number, value: unknown, options: TimerOptions | undefined) {
    const queue: unknown[] = [];
    let wake: (() => void) | undefined;
    const handle = this.#add(
      () => {
        queue.push(value);
        wake?.();
      },
      delay,
      [],
      true,
    );
    const signal = options?.signal;
    const abort = () => wake?.();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      for (;;) {
        if (signal?.aborted) {
          const { AbortError } = require("internal/core/errors");
          throw new AbortError(undefined, { cause: signal!.reason });
        }
        if (queue.length > 0) yield queue.shift();
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      this.clear(handle);
    }
  }

  #replace(api: string, timers: unknown, promises: { scheduler?: unknown }) {
    const both = (name: string, value: unknown) => {
      this.#swap(globalThis, name, value);
      this.#swap(timers, name, value);
    };
    const clear = (handle: unknown) => this.clear(handle);
    switch (api) {
      case "setTimeout":
        both("setTimeout", (callback: TimerCallback, delay: number, ...args: unknown[]) =>
          this.#add(callback, delay, args, false),
        );
        both("clearTimeout", clear);
        this.#swap(promises, "setTimeout", (delay: number, value: unknown, options: TimerOptions | undefined) =>
          this.#promise(delay, value, options, false),
        );
        break;
      case "setInterval":
        both("setInterval", (callback: TimerCallback, delay: number, ...args: unknown[]) =>
          this.#add(callback, delay, args, true),
        );
        both("clearInterval", clear);
        this.#swap(promises, "setInterval", (delay: number, value: unknown, options: TimerOptions | undefined) =>
          this.#interval(delay, value, options),
        );
        break;
      case "setImmediate":
        both("setImmediate", (callback: TimerCallback, ...args: unknown[]) =>
          this.#add(callback, 0, args, false, true),
        );
        both("clearImmediate", clear);
        this.#swap(promises, "setImmediate", (value: unknown, options: TimerOptions | undefined) =>
          this.#promise(0, value, options, true),
        );
        break;
      case "scheduler.wait":
        this.#swap(promises.scheduler, "wait", (delay: number, options: TimerOptions | undefined) =>
          this.#promise(delay, undefined, options, false),
        );
        break;
      case "AbortSignal.timeout":
        this.#swap(AbortSignal, "timeout", (delay: unknown) => {
          validateNumber(delay, "delay", 0);
          const controller = new AbortController();
          this.#add(
            () => controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")),
            delay,
            [],
            false,
          );
          return controller.signal;
        });
        break;
      case "Date":
        this.#swap(globalThis, "Date", this.#date());
    }
  }

  #date() {
    const self = this;
    const MockDate = function Date(...args: unknown[]) {
      if (new.target === undefined) return new RealDate(self.#now).toString();
      if (args.length === 0) return Reflect.construct(RealDate, [self.#now], new.target);
      return Reflect.construct(RealDate, args, new.target);
    };
    Object.defineProperties(MockDate, Object.getOwnPropertyDescriptors(RealDate));
    Object.defineProperty(MockDate, "now", { value: () => self.#now, configurable: true, writable: true });
    Object.defineProperty(MockDate, "isMock", { value: true, configurable: true });
    return MockDate;
  }

  #check() {
    if (!this.#enabled)
      throw new codes.ERR_INVALID_STATE("You should enable MockTimers first by calling the .enable function");
  }

  #earliest(until: number): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#entries.values()) {
      if (
        entry.at <= until &&
        (first === undefined || entry.at < first.at || (entry.at === first.at && entry.order < first.order))
      )
        first = entry;
    }
    return first;
  }

  #runUntil(until: number) {
    for (let entry = this.#earliest(until); entry !== undefined; entry = this.#earliest(until)) {
      this.#now = Math.max(this.#now, entry.at);
      if (entry.interval === undefined) this.#entries.delete(entry.id);
      else {
        entry.at += entry.interval;
        entry.order = this.#order++;
      }
      Reflect.apply(entry.callback, undefined, entry.args);
    }
    this.#now = until;
  }

  /** Lets `time` milliseconds pass. */
  tick(time: unknown = 1) {
    this.#check();
    validateNumber(time, "time", 0);
    this.#runUntil(this.#now + time);
  }

  setTime(time: number = 0) {
    validateNumber(time, "time");
    this.#check();
    this.#now = time;
    this.#runUntil(time);
  }

  /** Lets time pass to the last timer there is now. */
  runAll() {
    this.#check();
    let last = this.#now;
    for (const entry of this.#entries.values()) last = Math.max(last, entry.at);
    this.#runUntil(last);
  }

  reset() {
    if (!this.#enabled) return;
    for (const undo of this.#undo.reverse()) undo();
    this.#undo = [];
    this.#entries.clear();
    this.#enabled = false;
  }

  [Symbol.dispose]() {
    this.reset();
  }
}

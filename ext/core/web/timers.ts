// The global timer functions (HTML standard, with Node's Timeout and Immediate objects as ids).

import { Timeout, Immediate, startTimer, clearTimer, clearTimerById, clearImmediate } from "internal/core/timers";

export { clearImmediate };

function checkCallback(callback: unknown): void {
  if (typeof callback === "function") return;
  const { codes } = require("internal/core/errors");
  throw new codes.ERR_INVALID_ARG_TYPE("callback", "Function", callback);
}

/**
 * Calls `callback(...args)` once after `delay` ms (1 when left out, below 1, above 2 ** 31 - 1, or NaN).
 * Throws ERR_INVALID_ARG_TYPE when `callback` is not a function.
 */
export function setTimeout<A extends unknown[]>(
  callback: (...args: A) => unknown,
  delay?: number,
  ...args: unknown[]
): Timeout;
export function setTimeout(callback: Function, delay?: number, arg1?: unknown): Timeout {
  if (typeof callback !== "function") checkCallback(callback);
  const argc = arguments.length;
  let args: unknown[] | undefined;
  if (argc > 2) {
    args = [arg1];
    for (let i = 3; i < argc; i++) args.push(arguments[i]);
  }
  const timer = new Timeout(callback, delay, args, false, true);
  startTimer(timer);
  return timer;
}

/** Calls `callback(...args)` every `delay` ms until it is cleared. */
export function setInterval<A extends unknown[]>(
  callback: (...args: A) => unknown,
  delay?: number,
  ...args: unknown[]
): Timeout;
export function setInterval(callback: Function, delay?: number, arg1?: unknown): Timeout {
  if (typeof callback !== "function") checkCallback(callback);
  const argc = arguments.length;
  let args: unknown[] | undefined;
  if (argc > 2) {
    args = [arg1];
    for (let i = 3; i < argc; i++) args.push(arguments[i]);
  }
  const timer = new Timeout(callback, delay, args, true, true);
  startTimer(timer);
  return timer;
}

/** Calls `callback(...args)` in the check phase of this loop turn, after I/O. */
export function setImmediate<A extends unknown[]>(callback: (...args: A) => unknown, ...args: unknown[]): Immediate;
export function setImmediate(callback: Function, arg1?: unknown): Immediate {
  if (typeof callback !== "function") checkCallback(callback);
  const argc = arguments.length;
  let args: unknown[] | undefined;
  if (argc > 1) {
    args = [arg1];
    for (let i = 2; i < argc; i++) args.push(arguments[i]);
  }
  return new Immediate(callback, args);
}

/** Stops a timer given by its Timeout object or by the number or string it was turned into. */
export function clearTimeout(timer?: Timeout | number | string | null): void {
  if ((timer as Timeout | undefined)?._onTimeout) {
    clearTimer(timer as Timeout);
  } else if (typeof timer === "number" || typeof timer === "string") {
    const id = Number(timer);
    // The number as it is written, nothing else that stands for it.
    if (`${id}` === `${timer}`) clearTimerById(id);
  }
}

/** The same as clearTimeout(), as the HTML standard has it. */
export function clearInterval(timer?: Timeout | number | string | null): void {
  clearTimeout(timer);
}

// util.promisify(setTimeout) and util.promisify(setImmediate), and in Bun util.promisify(setInterval).
const promisifyCustom = Symbol.for("nodejs.util.promisify.custom");
Object.defineProperty(setTimeout, promisifyCustom, {
  enumerable: true,
  get: () => require("node:timers/promises").setTimeout,
});
Object.defineProperty(setInterval, promisifyCustom, {
  enumerable: true,
  get: () => require("node:timers/promises").setInterval,
});
Object.defineProperty(setImmediate, promisifyCustom, {
  enumerable: true,
  get: () => require("node:timers/promises").setImmediate,
});

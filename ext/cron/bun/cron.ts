/** `Bun.cron`: jobs of this process and of the system by cron expressions (https://bun.com/docs/runtime/cron). */

import { callerFile } from "internal/util/call_sites";
import { checkPath, checkTitle, register, unregister } from "internal/cron/crontab";
import { parseExpression, toCrontab } from "internal/cron/expression";
import { createJob, type CronJob } from "internal/cron/job";
import { nextTime, zoneOf } from "internal/cron/next";
import { invalidType } from "bun/util";

/** The absolute path of a module that the file that called names. */
function pathOf(path: string): string {
  const { dirname, resolve } = require("node:path");
  const absolute = resolve(dirname(callerFile(schedule)), path);
  checkPath(absolute);
  return absolute;
}

/**
 * `cron(schedule, handler, { tz })` calls `handler` by the schedule and gives a CronJob. `cron(path, schedule, title)` tells the
 * system's cron to run the module's `default.scheduled()`, and gives a promise.
 */
function schedule(first: unknown, second: unknown, third: unknown): CronJob | Promise<void> {
  if (typeof second === "function") {
    if (typeof first !== "string") throw invalidType("Bun.cron() expects a string cron expression");
    return createJob(first, second as (this: CronJob) => unknown, zoneOf(third));
  }
  if (typeof first !== "string") throw invalidType("Bun.cron() expects a string path as the first argument");
  if (third === undefined) {
    throw invalidType("Bun.cron(schedule, handler) expects a function handler as the second argument");
  }
  if (typeof second !== "string") throw invalidType("Bun.cron() expects a string schedule as the second argument");
  if (typeof third !== "string") throw invalidType("Bun.cron() expects a string title as the third argument");
  checkTitle(third);
  const fields = toCrontab(parseExpression(second));
  return register(pathOf(first), fields, third);
}

/** Takes a job of the system out by its title. */
function remove(title: unknown): Promise<void> {
  if (typeof title !== "string") throw invalidType("Bun.cron.remove() expects a string title");
  checkTitle(title);
  return unregister(title);
}

/** The next time after `from` (a Date, milliseconds since 1970, or now), or null if there is none within eight years. */
function parse(expression: unknown, from?: unknown, options?: unknown): Date | null {
  if (typeof expression !== "string") {
    throw invalidType("Bun.cron.parse() expects a string cron expression as the first argument");
  }
  const schedule = parseExpression(expression);
  let time: number;
  if (from === undefined || from === null) time = Date.now();
  else if (typeof from === "number") time = from;
  else if (from instanceof Date) time = from.getTime();
  else throw invalidType("Bun.cron.parse() expects the second argument to be a Date or number (ms since epoch)");
  const zone = zoneOf(options);
  if (!(Math.abs(time) <= 8.64e15)) throw invalidType("Invalid date value");
  const next = nextTime(schedule, Math.floor(time), zone);
  return next === undefined ? null : new Date(next);
}

Object.defineProperty(parse, "length", { value: 1 });

/** `Bun.cron`: no constructor, and a function of three arguments, as Bun has it. */
export const cron = Object.assign(
  {
    cron(first: unknown, second: unknown, third: unknown) {
      return schedule(first, second, third);
    },
  }.cron,
  { remove, parse },
);

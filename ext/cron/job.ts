/** Jobs of this process: what `Bun.cron(schedule, handler)` returns. */

import { parseExpression, type Schedule } from "internal/cron/expression";
import { nextTime } from "internal/cron/next";
import { clearTimer, startTimer, Timeout } from "internal/core/timers";
import { invalidType, wrongThis } from "bun/util";
import { isPromise } from "internal/util/types";

/** Where the time comes from: the wall clock, and one that only goes forward, both in milliseconds. */
interface Clock {
  wall(): number;
  steady(): number;
}

/**
 * Milliseconds after which a job that waits looks at the clock again: a wall clock can be set while it waits, and timers do not
 * notice.
 */
const LOOK_AGAIN = 30_000;

/** Milliseconds by which the two clocks may drift apart between two looks before the wall clock counts as set back. */
const SET_BACK = 5000;

/** When a job runs next, on a wall clock that may be set meanwhile. */
class Due {
  #wall = 0;
  #steady = 0;
  /** Milliseconds since 1970; undefined if there is no next time. */
  at: number | undefined;
  readonly #schedule: Schedule;
  readonly #zone: string | undefined;
  readonly #clock: Clock;

  constructor(schedule: Schedule, zone: string | undefined, clock: Clock) {
    this.#schedule = schedule;
    this.#zone = zone;
    this.#clock = clock;
    this.plan();
  }

  /** Finds the next time after now. */
  plan(): void {
    this.#look();
    this.at = nextTime(this.#schedule, this.#wall, this.#zone);
  }

  #look(): void {
    this.#wall = this.#clock.wall();
    this.#steady = this.#clock.steady();
  }

  /** Whether the time has come. What was missed (the machine slept, the clock was set forward) counts once. */
  hasCome(): boolean {
    const [wall, steady] = [this.#wall, this.#steady];
    this.#look();
    if (this.at === undefined) return false;
    if (this.#wall >= this.at) return true;
    const setBack = steady + (this.#wall - wall) - this.#steady < -SET_BACK;
    if (setBack) this.at = nextTime(this.#schedule, this.#wall, this.#zone);
    return false;
  }

  /** Milliseconds to wait for, at most `LOOK_AGAIN`. */
  wait(): number {
    if (this.at === undefined) return LOOK_AGAIN;
    return Math.max(1, Math.min(LOOK_AGAIN, this.at - this.#wall));
  }
}

// Fake timers of tests put another Date in place; a calendar stays real under them, as in Bun.
const realDate = new Date().constructor as DateConstructor;
const clock: Clock = { wall: () => realDate.now(), steady: () => performance.now() };

const kCreate = Symbol("kCreateCronJob");

/** Jobs that are not stopped. */
const running = new Set<CronJob>();

type Handler = (this: CronJob) => unknown;

/** A job of this process. The next time is planned when the handler, and a promise that it returns, has come to its end. */
export class CronJob {
  readonly #text: string;
  readonly #handler: Handler;
  readonly #due: Due;
  #timer: Timeout | undefined;
  #isRef = true;
  #isRunning = false;

  constructor(key: unknown, text: string, handler: Handler, zone: string | undefined) {
    if (key !== kCreate) throw new TypeError("Illegal constructor");
    this.#text = text;
    this.#handler = handler;
    this.#due = new Due(parseExpression(text), zone, clock);
    if (this.#due.at === undefined) throw invalidType(`Cron expression '${text}' has no future occurrences`);
    running.add(this);
    this.#start();
  }

  static #of(value: unknown, member: string): CronJob {
    if (typeof value === "object" && value !== null && #text in value) return value;
    if (member === "cron") {
      throw new TypeError("The CronJob.cron getter can only be used on instances of CronJob");
    }
    throw wrongThis(value, "CronJob");
  }

  #start(): void {
    const after = this.#isRunning ? LOOK_AGAIN : this.#due.wait();
    this.#timer = new Timeout(() => this.#tick(), after, undefined, false, this.#isRef);
    startTimer(this.#timer);
  }

  #tick(): void {
    if (!running.has(this)) return;
    // While a handler runs the timer only keeps the process alive.
    if (this.#isRunning || !this.#due.hasCome()) return this.#start();
    this.#isRunning = true;
    let result: unknown;
    try {
      result = this.#handler.call(this);
    } catch (error) {
      // Uncaught, like that of a timer, and the job goes on.
      this.#settle();
      throw error;
    }
    if (!isPromise(result)) return this.#settle();
    if (running.has(this)) this.#start();
    // A rejection that nobody handles is reported as such, with the promise of this call.
    void (result as Promise<unknown>).finally(() => this.#settle());
  }

  #settle(): void {
    this.#isRunning = false;
    if (!running.has(this)) return;
    if (this.#timer !== undefined) clearTimer(this.#timer);
    this.#due.plan();
    if (this.#due.at === undefined) running.delete(this);
    else this.#start();
  }

  /** The expression, as it was given. */
  get cron(): string {
    return CronJob.#of(this, "cron").#text;
  }

  /** Keeps the process alive while the job waits. */
  ref(): this {
    const job = CronJob.#of(this, "ref");
    job.#isRef = true;
    if (running.has(job)) job.#timer?.ref();
    return this;
  }

  /** Ends the job. A handler that runs comes to its end. */
  stop(): this {
    const job = CronJob.#of(this, "stop");
    running.delete(job);
    if (job.#timer !== undefined) clearTimer(job.#timer);
    job.#timer = undefined;
    return this;
  }

  /** Lets the process end while the job waits. */
  unref(): this {
    const job = CronJob.#of(this, "unref");
    job.#isRef = false;
    job.#timer?.unref();
    return this;
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}

for (const name of ["cron", "ref", "stop", "unref"]) {
  Object.defineProperty(CronJob.prototype, name, { enumerable: true });
}
Object.defineProperty(CronJob.prototype, Symbol.toStringTag, { value: "CronJob", configurable: true });

/** Makes a job that calls `handler` by the schedule on the clocks of `zone` (undefined for UTC). */
export function createJob(text: string, handler: Handler, zone: string | undefined): CronJob {
  return new CronJob(kCreate, text, handler, zone);
}

/** Ends all jobs: the modules that made them are loaded anew (`--hot`). */
export function stopAll(): void {
  for (const job of running) job.stop();
}

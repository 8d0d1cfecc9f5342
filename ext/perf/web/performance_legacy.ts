/**
 * `PerformanceTiming` of the old Navigation Timing (https://w3c.github.io/navigation-timing/#obsolete) and `PerformanceServerTiming`
 * (https://w3c.github.io/server-timing/). A program of its own is not navigated to: all its times are 0, as the standard has it for
 * what has not happened.
 */
import { makeEnumerable } from "web/event_target";
import { codes } from "internal/core/errors";

const kMake = Symbol("kMake");
const { defineProperty } = Object;

/** Names of the events of a navigation, in the order of the standard. */
const events =
  "navigationStart unloadEventStart unloadEventEnd redirectStart redirectEnd fetchStart domainLookupStart domainLookupEnd " +
  "connectStart connectEnd secureConnectionStart requestStart responseStart responseEnd domLoading domInteractive " +
  "domContentLoadedEventStart domContentLoadedEventEnd domComplete loadEventStart loadEventEnd";

/** When the events of a navigation happened, in milliseconds since 1970; 0 for all of them. */
export class PerformanceTiming {
  #brand = true;

  constructor(key: unknown = undefined) {
    if (key !== kMake) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
  }

  static check(value: unknown): void {
    if (typeof value === "object" && value !== null && #brand in value) return;
    throw new codes.ERR_INVALID_THIS("PerformanceTiming");
  }

  toJSON(): Record<string, number> {
    check(this);
    return Object.fromEntries(events.split(" ").map((name) => [name, 0]));
  }
}
const { check } = PerformanceTiming;
delete (PerformanceTiming as { check?: unknown }).check;
for (const name of events.split(" ")) {
  const { get } = Object.getOwnPropertyDescriptor(
    {
      get [name]() {
        check(this);
        return 0;
      },
    },
    name,
  )!;
  defineProperty(PerformanceTiming.prototype, name, { get, enumerable: true, configurable: true });
}
makeEnumerable(PerformanceTiming.prototype, "toJSON");
defineProperty(PerformanceTiming.prototype, Symbol.toStringTag, { value: "PerformanceTiming", configurable: true });

/** What `performance.timing` is. */
export const timing = new PerformanceTiming(kMake);

/** A metric of a `Server-Timing` header. */
export class PerformanceServerTiming {
  #name: string;
  #duration: number;
  #description: string;

  constructor(key: unknown = undefined, name = "", duration = 0, description = "") {
    if (key !== kMake) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    this.#name = name;
    this.#duration = duration;
    this.#description = description;
  }

  static #check(value: unknown): void {
    if (typeof value === "object" && value !== null && #name in value) return;
    throw new codes.ERR_INVALID_THIS("PerformanceServerTiming");
  }

  get name(): string {
    PerformanceServerTiming.#check(this);
    return this.#name;
  }
  /** In the unit of the server, by convention milliseconds; 0 if it gave none. */
  get duration(): number {
    PerformanceServerTiming.#check(this);
    return this.#duration;
  }
  get description(): string {
    PerformanceServerTiming.#check(this);
    return this.#description;
  }
  toJSON() {
    const { name, duration, description } = this;
    return { name, duration, description };
  }
}
makeEnumerable(PerformanceServerTiming.prototype, "name", "duration", "description", "toJSON");
defineProperty(PerformanceServerTiming.prototype, Symbol.toStringTag, {
  value: "PerformanceServerTiming",
  configurable: true,
});

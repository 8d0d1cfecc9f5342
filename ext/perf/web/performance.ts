// The global `performance` (High Resolution Time, https://w3c.github.io/hr-time/) with Node's additions. The timeline
// (marks, measures, observers) is in web/performance_timeline and only loaded when it is used.

import { EventTarget, makeEnumerable } from "web/event_target";
import type { Inspect } from "internal/util/inspect_types";
import type { Depth } from "internal/perf/types";
import { codes } from "internal/core/errors";

const { nowMs, timeOrigin } = native("process");
const { defineProperty } = Object;
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");
const kCreate = Symbol("kCreatePerformance");

const timeline = () => require("web/performance_timeline");
const misc = () => require("internal/perf/node_additions");

let origin: number | undefined;
let isPerformance: (value: unknown) => boolean;

function check(value: unknown): void {
  if (!isPerformance(value)) throw new codes.ERR_INVALID_THIS("Performance");
}

export class Performance extends EventTarget {
  #brand = true;

  constructor(key: unknown = undefined) {
    if (key !== kCreate) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    super();
  }

  static {
    isPerformance = (value) => typeof value === "object" && value !== null && #brand in value;
  }

  [inspectCustom](depth: number, options: Depth, inspect: Inspect): string {
    if (depth < 0) return "Performance";
    const inner = { ...options, depth: options.depth === null ? null : options.depth! - 1 };
    return `Performance ${inspect({ nodeTiming: this.nodeTiming, timeOrigin: this.timeOrigin }, inner)}`;
  }

  /** Milliseconds with fraction since timeOrigin, from a monotonic clock. */
  now(): number {
    check(this);
    return nowMs();
  }

  /** The start of the process in milliseconds since 1970. */
  get timeOrigin(): number {
    check(this);
    return (origin ??= timeOrigin() as number);
  }

  /** Adds a PerformanceMark to the timeline; options `{ startTime, detail }`. */
  mark(name: string, options: unknown = {}) {
    check(this);
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("name");
    return timeline().mark(name, options);
  }

  /** Adds a PerformanceMeasure between two marks, or as `{ start, end, duration, detail }` says. */
  measure(name: string, startOrOptions: unknown = {}, endMark?: unknown) {
    check(this);
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("name");
    return timeline().measure(name, startOrOptions as string | object, endMark);
  }

  clearMarks(name: unknown = undefined): void {
    check(this);
    timeline().clearEntries("mark", name === undefined ? undefined : `${name}`);
  }

  clearMeasures(name: unknown = undefined): void {
    check(this);
    timeline().clearEntries("measure", name === undefined ? undefined : `${name}`);
  }

  clearResourceTimings(name: unknown = undefined): void {
    check(this);
    timeline().clearEntries("resource", name === undefined ? undefined : `${name}`);
  }

  getEntries() {
    check(this);
    return timeline().filterTimeline();
  }

  getEntriesByName(name: unknown, type: unknown = undefined) {
    check(this);
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("name");
    return timeline().filterTimeline(`${name}`, type === undefined ? undefined : `${type}`);
  }

  getEntriesByType(type: unknown) {
    check(this);
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("type");
    return timeline().filterTimeline(undefined, `${type}`);
  }

  /** How many resource timings are kept (250 at first). */
  setResourceTimingBufferSize(maxSize: unknown): void {
    check(this);
    timeline().setResourceTimingBufferSize(maxSize);
  }

  /** Of the old Navigation Timing, as in Bun; all of its times are 0. */
  get timing() {
    check(this);
    return require("web/performance_legacy").timing;
  }

  toJSON() {
    check(this);
    return {
      nodeTiming: this.nodeTiming,
      timeOrigin: this.timeOrigin,
      eventLoopUtilization: this.eventLoopUtilization(),
    };
  }

  declare nodeTiming: unknown;
  declare eventLoopUtilization: typeof import("internal/perf/node_additions").eventLoopUtilization;
}
makeEnumerable(
  Performance.prototype,
  "now",
  "timeOrigin",
  "mark",
  "measure",
  "clearMarks",
  "clearMeasures",
  "clearResourceTimings",
  "getEntries",
  "getEntriesByName",
  "getEntriesByType",
  "setResourceTimingBufferSize",
  "timing",
  "toJSON",
);
defineProperty(Performance.prototype, Symbol.toStringTag, { configurable: true, value: "Performance" });

/** The object behind globalThis.performance. */
export const performance = new Performance(kCreate);

// Node's own members are made when they are first read. The functions are the very ones that perf_hooks exports.
function lazyMember(key: string, get: () => unknown): void {
  const keep = (value: unknown) =>
    defineProperty(Performance.prototype, key, { configurable: true, enumerable: false, writable: true, value });
  defineProperty(Performance.prototype, key, {
    configurable: true,
    enumerable: false,
    get() {
      const value = get();
      keep(value);
      return value;
    },
    set(value: unknown) {
      // What a program sets is the object's.
      defineProperty(this, key, { configurable: true, enumerable: true, writable: true, value });
    },
  });
}
lazyMember("eventLoopUtilization", () => misc().eventLoopUtilization);
lazyMember("timerify", () => misc().timerify);
lazyMember("nodeTiming", () => misc().getNodeTiming());
lazyMember("markResourceTiming", () => timeline().markResourceTiming);

// The one event of Performance; its handler attribute is only made when somebody could use it.
Object.defineProperty(Performance.prototype, "onresourcetimingbufferfull", {
  configurable: true,
  enumerable: true,
  get() {
    return handlers.get(this) ?? null;
  },
  set(value: unknown) {
    check(this);
    const old = handlers.get(this);
    if (old !== undefined) this.removeEventListener("resourcetimingbufferfull", old);
    handlers.delete(this);
    if (typeof value !== "function") return;
    handlers.set(this, value);
    this.addEventListener("resourcetimingbufferfull", value);
  },
});
const handlers = new WeakMap<object, unknown>();

// Node's additions to performance: timerify(), eventLoopUtilization(), nodeTiming.

import type { Inspect } from "internal/util/inspect_types";
import type { Depth, NodeTiming, Utilization } from "internal/perf/types";
import { codes } from "internal/core/errors";
import { validateFunction, validateObject } from "internal/core/validators";

const { nowMs, milestones } = native("process");
const { loopMetrics } = native("loop");
const { defineProperties } = Object;

/**
 * A function that calls `fn` and reports how long it took to observers of "function" entries and to
 * `options.histogram` (in nanoseconds). For async functions until the promise settles.
 */
export function timerify(
  fn: (...values: unknown[]) => unknown,
  options: { histogram?: { record(value: number): void } } = {},
) {
  validateFunction(fn, "fn");
  validateObject(options, "options");
  const { histogram } = options;
  if (histogram !== undefined) {
    const { isHistogram } = require("internal/perf/histogram");
    if (!isHistogram(histogram) || typeof histogram.record !== "function") {
      throw new codes.ERR_INVALID_ARG_TYPE("options.histogram", "RecordableHistogram", histogram);
    }
  }
  const report = (start: number, args: unknown[]) => {
    const duration = nowMs() - start;
    if (histogram !== undefined) histogram.record(Math.max(1, Math.ceil(duration * 1e6)));
    const { enqueueFunctionEntry, hasObserver } = require("web/performance_timeline");
    if (hasObserver("function")) enqueueFunctionEntry(fn.name, start, duration, args);
  };
  function timerified(this: unknown, ...args: unknown[]) {
    const start = nowMs();
    const result = (new.target ? Reflect.construct(fn, args, fn) : Reflect.apply(fn, this, args)) as Promise<unknown>;
    if (!new.target && typeof result?.finally === "function") return result.finally(() => report(start, args));
    report(start, args);
    return result;
  }
  defineProperties(timerified, {
    length: { configurable: false, enumerable: true, value: fn.length },
    name: { configurable: false, enumerable: true, value: `timerified ${fn.name}` },
  });
  return timerified;
}

/**
 * How long the loop was idle (waiting for events) and active, in ms, and active / (idle + active). With one earlier
 * result: since then; with two: the difference of the two.
 */
export function eventLoopUtilization(later?: Utilization, earlier?: Utilization): Utilization {
  const [idle, loopStart] = loopMetrics();
  if (loopStart <= 0) return { idle: 0, active: 0, utilization: 0 };
  return utilization(idle, nowMs() - loopStart - idle, later, earlier);
}

/** The result for a loop that was idle and active for so many ms; 0 for one that has not begun, or is over. */
export function utilization(idle: number, active: number, later: unknown, earlier: unknown): Utilization {
  if (idle === 0 && active === 0) return { idle, active, utilization: 0 };
  if (earlier !== undefined) {
    const idleDiff = (later as Utilization).idle - (earlier as Utilization).idle;
    const activeDiff = (later as Utilization).active - (earlier as Utilization).active;
    return { idle: idleDiff, active: activeDiff, utilization: activeDiff / (idleDiff + activeDiff) };
  }
  if (later === undefined) return { idle, active, utilization: active / (idle + active) };
  const idleDiff = idle - (later as Utilization).idle;
  const activeDiff = active - (later as Utilization).active;
  return { idle: idleDiff, active: activeDiff, utilization: activeDiff / (idleDiff + activeDiff) };
}

let nodeTiming: NodeTiming | undefined;

/** performance.nodeTiming: when the process reached its milestones, in ms since timeOrigin (-1 = not yet). */
export function getNodeTiming(): NodeTiming {
  if (nodeTiming !== undefined) return nodeTiming;
  const milestone = (index: number) => ({ configurable: true, enumerable: true, get: () => milestones()[index] });
  nodeTiming = Object.create(performanceNodeTiming().prototype, {
    name: { configurable: true, enumerable: true, value: "node" },
    entryType: { configurable: true, enumerable: true, value: "node" },
    startTime: { configurable: true, enumerable: true, value: 0 },
    duration: { configurable: true, enumerable: true, get: () => nowMs() },
    nodeStart: milestone(0),
    v8Start: milestone(1),
    environment: milestone(2),
    bootstrapComplete: milestone(3),
    loopStart: milestone(4),
    loopExit: milestone(5),
    idleTime: { configurable: true, enumerable: true, get: () => loopMetrics()[0] },
    uvMetricsInfo: {
      configurable: true,
      enumerable: true,
      get() {
        const [, , loopCount, events, eventsWaiting] = loopMetrics();
        return { loopCount, events, eventsWaiting };
      },
    },
  });
  return nodeTiming!;
}

let nodeTimingClass: ReturnType<typeof makeNodeTimingClass> | undefined;

/** The class of performance.nodeTiming, which perf_hooks exports as Bun's does. */
export function performanceNodeTiming() {
  return (nodeTimingClass ??= makeNodeTimingClass(require("web/performance_timeline").PerformanceEntry));
}

function makeNodeTimingClass(PerformanceEntry: typeof import("web/performance_timeline").PerformanceEntry) {
  const inspectCustom = Symbol.for("nodejs.util.inspect.custom");
  return class PerformanceNodeTiming extends PerformanceEntry {
    [inspectCustom](depth: number, options: Depth, inspect: Inspect): string {
      if (depth < 0) return "PerformanceNodeTiming";
      const inner = { ...options, depth: options.depth === null ? null : options.depth! - 1 };
      return `PerformanceNodeTiming ${inspect(this.toJSON(), inner)}`;
    }
    toJSON() {
      const {
        name,
        entryType,
        startTime,
        duration,
        nodeStart,
        v8Start,
        bootstrapComplete,
        environment,
        loopStart,
        loopExit,
        idleTime,
      } = this as unknown as NodeTiming;
      return {
        name,
        entryType,
        startTime,
        duration,
        nodeStart,
        v8Start,
        bootstrapComplete,
        environment,
        loopStart,
        loopExit,
        idleTime,
      };
    }
  };
}

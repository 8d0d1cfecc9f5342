// node:perf_hooks, https://nodejs.org/api/perf_hooks.html
//
// Entries of type "gc" do not exist: the engine does not report collections.

import { lazyProperties, lazyProperty } from "internal/core/lazy";
import { Performance, performance } from "web/performance";

const perfHooks: { [name: string]: unknown } = { Performance };

lazyProperties(perfHooks, () => require("web/performance_timeline"), [
  "PerformanceEntry",
  "PerformanceMark",
  "PerformanceMeasure",
  "PerformanceObserver",
  "PerformanceObserverEntryList",
  "PerformanceResourceTiming",
]);
lazyProperty(perfHooks, "PerformanceNodeTiming", () => require("internal/perf/node_additions").performanceNodeTiming());
lazyProperties(perfHooks, () => require("internal/perf/histogram"), ["monitorEventLoopDelay"]);
lazyProperties(perfHooks, () => require("internal/perf/node_additions"), ["eventLoopUtilization", "timerify"]);
lazyProperties(perfHooks, () => require("internal/perf/histogram"), ["createHistogram"]);
perfHooks.performance = performance;

// Kinds and flags of garbage collections, as Node numbers them.
const constants: { [key: string]: unknown } = {};
for (const [key, value] of Object.entries({
  NODE_PERFORMANCE_GC_MAJOR: 4,
  NODE_PERFORMANCE_GC_MINOR: 1,
  NODE_PERFORMANCE_GC_INCREMENTAL: 8,
  NODE_PERFORMANCE_GC_WEAKCB: 16,
  NODE_PERFORMANCE_GC_FLAGS_NO: 0,
  NODE_PERFORMANCE_GC_FLAGS_CONSTRUCT_RETAINED: 2,
  NODE_PERFORMANCE_GC_FLAGS_FORCED: 4,
  NODE_PERFORMANCE_GC_FLAGS_SYNCHRONOUS_PHANTOM_PROCESSING: 8,
  NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE: 16,
  NODE_PERFORMANCE_GC_FLAGS_ALL_EXTERNAL_MEMORY: 32,
  NODE_PERFORMANCE_GC_FLAGS_SCHEDULE_IDLE: 64,
})) {
  Object.defineProperty(constants, key, { value, enumerable: true, writable: false, configurable: false });
}
Object.defineProperty(perfHooks, "constants", { configurable: false, enumerable: true, value: constants });

export default perfHooks;

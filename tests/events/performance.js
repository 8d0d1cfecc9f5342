// performance and perf_hooks: marks, measures, observers, histograms.
const { performance, PerformanceObserver, PerformanceMark, createHistogram, monitorEventLoopDelay } = require("perf_hooks");
const log = (...args) => console.log(...args);

log(globalThis.performance === performance, performance.now() > 0, Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000);
const m = performance.mark("a", { startTime: 10, detail: { deep: [1] } });
log(m.name, m.entryType, m.startTime, m.duration, m.detail, m instanceof PerformanceMark, JSON.stringify(m));
performance.mark("b", { startTime: 25 });
const measure = performance.measure("a to b", "a", "b");
log(measure.startTime, measure.duration, measure.detail);
log(performance.measure("o", { start: 5, duration: 7, detail: "d" }).toJSON());
log(performance.getEntries().map((e) => `${e.entryType}:${e.name}`).join());
log(performance.getEntriesByName("a", "mark").length, performance.getEntriesByType("measure").length);
performance.clearMarks("a");
performance.clearMeasures();
log(performance.getEntries().length);
for (const bad of [
  () => performance.measure("x", "missing"), () => performance.mark("m", { startTime: -1 }), () => new PerformanceObserver(),
  () => new PerformanceObserver(() => {}).observe({}), () => performance.measure("x", { start: 1, end: 2, duration: 3 }),
]) {
  try { bad(); } catch (err) { log(err.name, err.code); }
}

const observer = new PerformanceObserver((list, self) => {
  log(list.getEntries().map((e) => e.name).join(), self === observer);
  observer.disconnect();
});
observer.observe({ entryTypes: ["mark", "measure"] });
performance.mark("seen");
performance.measure("seen too", "seen");

const h = createHistogram();
log(h.count, h.min, h.max);
for (let i = 1; i <= 1000; i++) h.record(i * 1000);
log(h.count, h.min, h.max, h.mean, h.stddev, h.percentile(50), h.percentile(99), h.exceeds);
log([...h.percentiles].slice(0, 4));
h.reset();
log(h.count);
for (const bad of [() => h.record(0), () => h.record("1"), () => h.percentile(0)]) {
  try { bad(); } catch (err) { log(err.name, err.code); }
}

const delay = monitorEventLoopDelay({ resolution: 5 });
log(delay.enable(), delay.enable());
setTimeout(() => {
  log(delay.count > 2, delay.min > 1e6, delay.disable(), delay.disable());
  const { idle, active, utilization } = performance.eventLoopUtilization();
  log(idle > 0, active > 0, utilization > 0 && utilization < 1);
}, 60);

const timed = performance.timerify(function work(a, b) { return a + b; });
const functions = new PerformanceObserver((list) => {
  const [entry] = list.getEntries();
  log(entry.name, entry.entryType, entry[0], entry[1]);
  functions.disconnect();
});
functions.observe({ entryTypes: ["function"] });
log(timed(1, 2), timed.name, timed.length);

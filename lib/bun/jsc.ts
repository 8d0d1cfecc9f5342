// bun:jsc: what of JavaScriptCore's tools makes sense on another engine. Functions whose effect a program cannot see do
// nothing; those that would have to tell of JavaScriptCore's insides throw.
import { notImplemented } from "bun/util";

const process = () => require("node:process");

/** A full collection; the size of the heap in bytes afterwards. */
function fullGC(): number {
  native("loop").gc();
  return process().memoryUsage().heapUsed;
}

/** The size of the heap in bytes. */
function heapSize(): number {
  return process().memoryUsage().heapUsed;
}

/** Sizes in bytes; the engine does not count objects by type. */
function heapStats(): any {
  const usage = process().memoryUsage();
  return {
    heapSize: usage.heapUsed,
    heapCapacity: usage.heapTotal,
    extraMemorySize: usage.external + usage.arrayBuffers,
    objectCount: 0,
    protectedObjectCount: 0,
    globalObjectCount: 1,
    protectedGlobalObjectCount: 1,
    objectTypeCounts: {},
    protectedObjectTypeCounts: {},
  };
}

/** Memory of the process in bytes. */
function memoryUsage(): any {
  const { rss } = process().memoryUsage();
  const { maxRSS, majorPageFault } = process().resourceUsage();
  return { current: rss, peak: maxRSS * 1024, currentCommit: rss, peakCommit: maxRSS * 1024, pageFaults: majorPageFault };
}

function percentAvailableMemoryInUse(): number {
  return process().memoryUsage.rss() / process().constrainedMemory();
}

/** A buffer that {@link deserialize} makes the value of again: structured cloning. */
function serialize(value: any, options?: any): any {
  const bytes = require("node:v8").serialize(value);
  if (options?.binaryType === "nodebuffer") return bytes;
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

function deserialize(buffer: any): any {
  const { Buffer } = require("node:buffer");
  const bytes = ArrayBuffer.isView(buffer)
    ? Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    : Buffer.from(buffer);
  return require("node:v8").deserialize(bytes);
}

/** A line about a value, for people. */
function describe(value: any): string {
  return `${typeof value}: ${require("bun/inspect").inspect(value, { depth: 1, compact: true })}`;
}

function describeArray(value: any): string {
  return Array.isArray(value) ? `Array(${value.length}): ${describe(value)}` : "<Not array>";
}

/** Runs the microtasks that are waiting. */
function drainMicrotasks(): void {
  native("loop").runMicrotasks();
}

/** Sets the time zone of dates by its name; gives the name. */
function setTimeZone(zone: any): string {
  process().env.TZ = `${zone}`;
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The file that the caller's code is in. */
function callerSourceOrigin(): string {
  const match = /\(?((?:file:\/\/)?\/[^\s()]*?):\d+:\d+\)?$/m.exec(`${new Error().stack}`);
  if (match === null) return "";
  return match[1]!.startsWith("/") ? require("node:url").pathToFileURL(match[1]).href : match[1]!;
}

/** An estimate: the engine does not tell. */
function estimateShallowMemoryUsageOf(value: any): number {
  if (typeof value === "string") return value.length;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  return 16 + 8 * Object.keys(value).length;
}

const nothing = (name: string) => ({ [name]: (value?: any) => value })[name]!;
const missing = (name: string) => ({
  [name]() {
    throw notImplemented(`bun:jsc ${name}`);
  },
})[name]!;

const exported: any = {
  callerSourceOrigin,
  deserialize,
  describe,
  describeArray,
  drainMicrotasks,
  edenGC: fullGC,
  estimateShallowMemoryUsageOf,
  fullGC,
  gcAndSweep: fullGC,
  getProtectedObjects: () => [],
  heapSize,
  heapStats,
  jscDescribe: describe,
  jscDescribeArray: describeArray,
  memoryUsage,
  percentAvailableMemoryInUse,
  releaseWeakRefs() {},
  serialize,
  setTimeZone,
  setTimezone: setTimeZone,
};
for (const name of ["noFTL", "noInline", "noOSRExitFuzzing", "optimizeNextInvocation"]) exported[name] = nothing(name);
for (const name of [
  "bytecodeOrderStats", "codeCoverageForFile", "generateHeapSnapshotForDebugging", "getRandomSeed", "isRope", "numberOfDFGCompiles",
  "profile", "reoptimizationRetryCount", "samplingProfilerStackTraces", "setRandomSeed", "startRemoteDebugger",
  "startSamplingProfiler", "totalCompileTime",
]) {
  exported[name] = missing(name);
}

export default exported;

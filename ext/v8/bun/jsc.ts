// bun:jsc: what of JavaScriptCore's tools makes sense on another engine. Functions whose effect a program cannot see do
// nothing; those that would have to tell of JavaScriptCore's insides throw.
import { bytesOf, notImplemented } from "bun/util";

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

/**
 * What lives after a full collection: sizes in bytes, and how many objects there are of each class. `protected…` counts what
 * native code holds on to. Names of classes are those of constructors; what only the engine sees is not counted.
 */
function heapStats() {
  const [all, held] = native("v8").heapTypeCounts();
  const usage = process().memoryUsage();
  const sum = (list: [string, number][]) => list.reduce((total, [, count]) => total + count, 0);
  const globals = (list: [string, number][]) => list.find(([name]) => name === "global")?.[1] ?? 0;
  return {
    heapSize: usage.heapUsed,
    heapCapacity: usage.heapTotal,
    extraMemorySize: usage.external + usage.arrayBuffers,
    objectCount: sum(all),
    protectedObjectCount: sum(held),
    globalObjectCount: globals(all),
    protectedGlobalObjectCount: globals(held),
    objectTypeCounts: Object.fromEntries(all),
    protectedObjectTypeCounts: Object.fromEntries(held),
  };
}

/** Memory of the process in bytes. */
function memoryUsage() {
  const { rss } = process().memoryUsage();
  const { maxRSS, majorPageFault } = process().resourceUsage();
  return {
    current: rss,
    peak: maxRSS * 1024,
    currentCommit: rss,
    peakCommit: maxRSS * 1024,
    pageFaults: majorPageFault,
  };
}

function percentAvailableMemoryInUse(): number {
  return process().memoryUsage.rss() / process().constrainedMemory();
}

/**
 * A SharedArrayBuffer, or with `binaryType: "nodebuffer"` a Buffer, that {@link deserialize} makes the value of again:
 * structured cloning. Throws a DataCloneError where that is not possible.
 */
function serialize(value: unknown, options?: { binaryType?: string } | null): Uint8Array | SharedArrayBuffer {
  let bytes: Uint8Array;
  try {
    bytes = require("node:v8").serialize(require("internal/worker/messaging/platform_objects").packStorable(value));
  } catch (error) {
    // Errors of getters are the program's.
    if (!/could not be cloned|Cannot clone|needs transfer/.test((error as Error | undefined)?.message as string))
      throw error;
    throw new DOMException("The object can not be cloned.", "DataCloneError");
  }
  if (options?.binaryType === "nodebuffer") return bytes;
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  return shared;
}

function deserialize(buffer: unknown) {
  const bytes = bytesOf(buffer);
  if (bytes === undefined) throw new TypeError("First argument must be an ArrayBuffer");
  try {
    const value = require("node:v8").deserialize(require("node:buffer").Buffer.from(bytes));
    return require("internal/worker/messaging/platform_objects").unpackStorable(value);
  } catch {
    throw new TypeError("Unable to deserialize data.");
  }
}

/** A line about a value, for people. */
function describe(value: unknown): string {
  // Both engines keep these apart from other numbers.
  if (typeof value === "number" && Object.is(value | 0, value)) return `Int32: ${value}`;
  return `${typeof value}: ${require("bun/inspect").inspect(value, { depth: 1, compact: true })}`;
}

function describeArray(value: unknown): string {
  return Array.isArray(value) ? `Array(${value.length}): ${describe(value)}` : "<Not array>";
}

/** Runs the microtasks that are waiting. */
function drainMicrotasks(): void {
  native("loop").runMicrotasks();
}

/** Sets the time zone of dates by its name; gives the name. */
function setTimeZone(zone: string): string {
  zone = `${zone}`;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
  } catch {
    throw new TypeError(`Invalid timezone: "${zone}"`);
  }
  process().env.TZ = zone;
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The file that the caller's code is in. */
function callerSourceOrigin(): string {
  const match = /\(?((?:file:\/\/)?\/[^\s()]*?):\d+:\d+\)?$/m.exec(`${new Error().stack}`);
  if (match === null) return "";
  return match[1]!.startsWith("/") ? require("node:url").pathToFileURL(match[1]).href : match[1]!;
}

/** An estimate: the engine does not tell. */
function estimateShallowMemoryUsageOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  return 16 + 8 * Object.keys(value).length;
}

const nothing = (name: string) => ({ [name]: (_value?: unknown): void => {} })[name]!;
const missing = (name: string) =>
  ({
    [name]() {
      throw notImplemented(`bun:jsc ${name}`);
    },
  })[name]!;

/** The engine's own `Math.random`, or what stood in its place as this module was loaded. */
const engineRandom = Math.random;

/**
 * `Math.random` with a seed: xorshift128+ (https://vigna.di.unimi.it/ftp/papers/xorshiftplus.pdf) as JavaScriptCore begins it, so that a seed
 * gives the numbers that it gives in Bun. Each state is two halves of 32 bits, the upper one first.
 */
class SeededRandom {
  #seed = 0;
  #low: [number, number] = [0, 0];
  #high: [number, number] = [0, 0];

  get seed(): number {
    return this.#seed;
  }

  set seed(seed: number) {
    this.#seed = seed;
    // All zeros would stay zeros.
    this.#low = [0, seed || 1];
    this.#high = [0, seed || 1];
    this.#advance();
  }

  /** A number from 0 to below 1: the lower 53 bits of the next state. */
  next(): number {
    const [upper, lower] = this.#advance();
    return ((upper & 0x1fffff) * 2 ** 32 + lower) * 2 ** -53;
  }

  #advance(): [number, number] {
    let [upper, lower] = this.#low;
    const [otherUpper, otherLower] = this.#high;
    this.#low = this.#high;
    upper ^= (upper << 23) | (lower >>> 9);
    lower ^= lower << 23;
    const shifted = (lower >>> 17) | (upper << 15);
    upper ^= upper >>> 17;
    lower ^= shifted;
    upper ^= otherUpper ^ (otherUpper >>> 26);
    lower ^= otherLower ^ ((otherLower >>> 26) | (otherUpper << 6));
    this.#high = [upper, lower];
    const sum = (lower >>> 0) + (otherLower >>> 0);
    return [(upper + otherUpper + (sum >= 2 ** 32 ? 1 : 0)) >>> 0, sum >>> 0];
  }
}

let seeded: SeededRandom | undefined;

/** The generator behind `Math.random` from now on. A program's own function in its place stays. */
function seededRandom(): SeededRandom {
  if (seeded !== undefined) return seeded;
  const generator = new SeededRandom();
  generator.seed = Math.floor(engineRandom() * 2 ** 32);
  const { random } = { random: () => generator.next() };
  if (Math.random === engineRandom) {
    Object.defineProperty(Math, "random", { value: random, writable: true, enumerable: false, configurable: true });
  }
  seeded = generator;
  return generator;
}

/**
 * The seed of `Math.random`, from 0 to 2^32 - 1. The engine's own generator has none that can be told: the first call puts one with a
 * seed in its place, so `setRandomSeed(getRandomSeed())` repeats the numbers that came behind that call.
 */
function getRandomSeed(): number {
  return seededRandom().seed;
}

/** Begins `Math.random` anew with a seed, of which the lower 32 bits count. */
function setRandomSeed(seed: unknown): void {
  // As JavaScriptCore converts it: a BigInt is a TypeError.
  seededRandom().seed = +(seed as number) >>> 0;
}

const exported: Record<string, unknown> = {
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
  getRandomSeed,
  heapSize,
  heapStats,
  jscDescribe: describe,
  jscDescribeArray: describeArray,
  memoryUsage,
  percentAvailableMemoryInUse,
  releaseWeakRefs() {},
  serialize,
  setRandomSeed,
  setTimeZone,
  setTimezone: setTimeZone,
};
for (const name of ["noFTL", "noInline", "noOSRExitFuzzing", "optimizeNextInvocation"]) exported[name] = nothing(name);
for (const name of [
  "bytecodeOrderStats",
  "codeCoverageForFile",
  "generateHeapSnapshotForDebugging",
  "isRope",
  "numberOfDFGCompiles",
  "profile",
  "reoptimizationRetryCount",
  "samplingProfilerStackTraces",
  "startRemoteDebugger",
  "startSamplingProfiler",
  "totalCompileTime",
]) {
  exported[name] = missing(name);
}

export default exported;

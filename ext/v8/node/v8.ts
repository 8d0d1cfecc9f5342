// `node:v8` (https://nodejs.org/api/v8.html) on an engine that is not V8.
//
// Serialising is V8's wire format, byte for byte, in TypeScript. Statistics come from the engine's own heap, mapped to
// V8's names where there is such a thing and 0 where there is none. Flags are V8's: they are accepted and have no effect.
//
// native("v8"), family `v8`:
// - heapStatistics(): Float64Array, bytes unless said otherwise: total heap, executable memory, resident heap, available
//   until the limit, used heap, limit, malloc'ed by the engine, its peak, 1 if freed memory is overwritten, number of
//   realms, number of realms that are only kept alive by leaks, handle table, used part of it, memory outside of the heap
//   that is kept alive by it (buffers, strings), bytes allocated since the start
// - heapSpaces(): array of [name, size, used, available, resident], one per kind of heap area
// - startGcLog(), stopGcLog(): array of [microseconds, used bytes before, after] of full collections in between
// - heapSnapshot(internals): text of a `.heapsnapshot` file; with names for what only the engine sees
// - codeStatistics(): Float64Array of [machine code, bytecode and metadata, sources outside of the heap, profiler] in bytes
import { lazyProperties } from "internal/core/lazy";
import { codes } from "internal/core/errors";
import { validateFunction, validateOneOf, validateString, validateUint32 } from "internal/core/validators";

let ops: Natives["v8"] | undefined;

/** The native half, wanted by few programs. */
function engine(): Natives["v8"] {
  return (ops ??= native("v8"));
}

function notImplemented(name: string): never {
  throw new codes.ERR_NOT_IMPLEMENTED(`v8.${name}`);
}

/** v8.serialize(): a Buffer that v8.deserialize, here or in Node, reads. Throws Error for values that cannot be cloned. */
function serialize(value: unknown): Buffer {
  const { DefaultSerializer } = require("internal/v8/serializer");
  const serializer = new DefaultSerializer();
  serializer.writeHeader();
  serializer.writeValue(value);
  return serializer.releaseBuffer();
}

/** v8.deserialize(): throws ERR_INVALID_ARG_TYPE for anything but a view, Error for bytes that are no value. */
function deserialize(buffer: ArrayBufferView) {
  const { DefaultDeserializer } = require("internal/v8/deserializer");
  const deserializer = new DefaultDeserializer(buffer);
  deserializer.readHeader();
  return deserializer.readValue();
}

/** Text that stands for the version of the engine and its flags; programs compare it between runs. */
let versionText = "";

/** v8.cachedDataVersionTag(): a number that changes when cached code of this engine can no longer be used. */
function cachedDataVersionTag(): number {
  const text = `${process.version} ${process.arch} ${versionText}`;
  // FNV-1a.
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/**
 * v8.setFlagsFromString(): V8's flags change cachedDataVersionTag(), as in Node, and but for `--expose-gc`, which gives contexts of node:vm
 * that are made later a `gc`, have no meaning here.
 */
function setFlagsFromString(flags: string): void {
  validateString(flags, "flags");
  for (const [, no] of flags.matchAll(/(?:^|\s)--(no-?)?expose[-_]gc(?=\s|$)/g))
    require("internal/vm/context").exposeCollection(no === undefined);
  versionText += ` ${flags}`;
}

const heapNames = [
  "total_heap_size",
  "total_heap_size_executable",
  "total_physical_size",
  "total_available_size",
  "used_heap_size",
  "heap_size_limit",
  "malloced_memory",
  "peak_malloced_memory",
  "does_zap_garbage",
  "number_of_native_contexts",
  "number_of_detached_contexts",
  "total_global_handles_size",
  "used_global_handles_size",
  "external_memory",
  "total_allocated_bytes",
];

function named(names: string[], values: ArrayLike<number>): Record<string, number> {
  const out: Record<string, number> = {};
  for (let i = 0; i < names.length; i++) out[names[i]!] = values[i]!;
  return out;
}

/** v8.getHeapStatistics(): bytes, except the counts. */
function getHeapStatistics() {
  return named(heapNames, engine().heapStatistics());
}

/** Areas of V8's heap that this engine's heap is not divided into. */
const otherSpaces =
  "read_only_space code_space shared_space trusted_space shared_trusted_space new_large_object_space large_object_space " +
  "code_large_object_space shared_large_object_space shared_trusted_large_object_space trusted_large_object_space";

/** An area of the heap, as the native half has it. */
type Area = ReturnType<Natives["v8"]["heapSpaces"]>[number];

/** An area of the heap in V8's words. */
interface HeapSpace {
  space_name: string;
  space_size: number;
  space_used_size: number;
  space_available_size: number;
  physical_space_size: number;
}

/** v8.getHeapSpaceStatistics(): this engine has a space of new objects and one of old objects; V8's others are empty. */
function getHeapSpaceStatistics() {
  const names = ["space_size", "space_used_size", "space_available_size", "physical_space_size"];
  const empty = otherSpaces.split(" ").map((name): Area => [name, 0, 0, 0, 0]);
  return [...engine().heapSpaces(), ...empty].map(
    ([space_name, ...sizes]) =>
      ({
        space_name,
        ...named(names, sizes),
      }) as HeapSpace,
  );
}

/** v8.getHeapCodeStatistics(): bytes. */
function getHeapCodeStatistics() {
  const names = [
    "code_and_metadata_size",
    "bytecode_and_metadata_size",
    "external_script_source_size",
    "cpu_profiler_metadata_size",
  ];
  return named(names, engine().codeStatistics());
}

/** v8.isStringOneByteRepresentation(): whether all characters fit a byte, in which case the engine stores one byte each. */
function isStringOneByteRepresentation(content: string): boolean {
  validateString(content, "content");
  return !/[^\0-\xff]/.test(content);
}

/** v8.takeCoverage(): writes the counts so far into NODE_V8_COVERAGE, if that is set, and counts from 0. */
function takeCoverage(): void {
  engine().writeCoverage();
}

/** v8.stopCoverage(): writes no more. */
function stopCoverage(): void {
  if (engine().writesCoverage()) engine().stopCoverage();
}

function setHeapSnapshotNearHeapLimit(limit: number): void {
  validateUint32(limit, "limit", true);
  notImplemented("setHeapSnapshotNearHeapLimit");
}

function queryObjects(ctor: Function, options: { format?: unknown } = {}) {
  validateFunction(ctor, "constructor");
  if (options.format !== undefined) validateOneOf(options.format, "options.format", ["count", "summary"]);
  return notImplemented("queryObjects");
}

/** Names of getHeapStatistics() as GCProfiler has them: total_heap_size is totalHeapSize. */
const profiled = [
  "total_heap_size",
  "total_heap_size_executable",
  "total_physical_size",
  "total_available_size",
  "total_global_handles_size",
  "used_global_handles_size",
  "used_heap_size",
  "heap_size_limit",
  "malloced_memory",
  "external_memory",
  "peak_malloced_memory",
];

function camelCase(name: string): string {
  return name.replace(/_(.)/g, (_match, letter) => letter.toUpperCase());
}

/** The heap as it is now, but for what is in use. */
function heapWith(used: number, heap: Record<string, number>, spaces: HeapSpace[]) {
  const heapStatistics: { [key: string]: unknown } = {};
  for (const name of profiled) heapStatistics[camelCase(name)] = heap[name];
  heapStatistics.usedHeapSize = used;
  heapStatistics.totalAvailableSize = Math.max(0, heap.heap_size_limit - used);
  const heapSpaceStatistics = spaces.map((space) => {
    const entry: { [key: string]: unknown } = {};
    for (const name of Object.keys(space)) entry[camelCase(name)] = space[name as keyof HeapSpace];
    if (space.space_name === "old_space") {
      entry.spaceUsedSize = used;
      entry.spaceAvailableSize = Math.max(0, space.space_size - used);
    }
    return entry;
  });
  return { heapStatistics, heapSpaceStatistics };
}

/** The full collections between start() and stop(). The engine notes what is in use around them; sizes are those of stop(). */
class GCProfiler {
  #started = 0;

  start(): void {
    if (this.#started !== 0) return;
    this.#started = Date.now();
    engine().startGcLog();
  }

  stop() {
    if (this.#started === 0) return undefined;
    const startTime = this.#started;
    this.#started = 0;
    const log: [number, number, number][] = engine().stopGcLog();
    const heap = getHeapStatistics();
    const spaces = getHeapSpaceStatistics();
    const statistics = log.map(([cost, before, after]) => ({
      gcType: "MarkSweepCompact",
      beforeGC: heapWith(before, heap, spaces),
      cost,
      afterGC: heapWith(after, heap, spaces),
    }));
    return { version: 1, startTime, statistics, endTime: Date.now() };
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}

/** Calls a function of the debugger's realm. */
function backend(name: keyof typeof import("internal/inspector/backend/main"), argument: unknown): unknown {
  return native("inspector").backend(name, argument);
}

/** A profile of the heap under way. */
class SyncHeapProfileHandle {
  readonly #profile = backend("startHeapProfile", 0);
  #isStopped = false;

  /** Ends the profile: the text of a `.heapprofile` file, or undefined if it has ended. */
  stop(): string | undefined {
    if (this.#isStopped) return undefined;
    this.#isStopped = true;
    return backend("stopHeapProfile", this.#profile) as string;
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}

/** A CPU profile under way. */
class SyncCPUProfileHandle {
  readonly #profile = engine().startCpuProfile(0);
  #isStopped = false;

  /** Ends the profile: the text of a `.cpuprofile` file, or undefined if it has ended. */
  stop(): string | undefined {
    if (this.#isStopped) return undefined;
    this.#isStopped = true;
    return engine().stopCpuProfile(this.#profile);
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}

function notBuilding(): never {
  throw new codes.ERR_NOT_BUILDING_SNAPSHOT();
}

const startupSnapshot = {
  addDeserializeCallback(_callback: Function, _data?: unknown): void {
    notBuilding();
  },
  addSerializeCallback(_callback: Function, _data?: unknown): void {
    notBuilding();
  },
  setDeserializeMainFunction(_callback: Function, _data?: unknown): void {
    notBuilding();
  },
  isBuildingSnapshot(): boolean {
    return false;
  },
};

const exported = {
  cachedDataVersionTag,
  /** A readable stream of a snapshot of the heap in V8's format, which Chrome's developer tools load. */
  getHeapSnapshot: function getHeapSnapshot(options: unknown) {
    const { streamOf, takeSnapshot } = require("internal/v8/heap_snapshot");
    return streamOf(takeSnapshot(options));
  },
  getHeapStatistics,
  getHeapSpaceStatistics,
  getHeapCodeStatistics,
  getCppHeapStatistics: function getCppHeapStatistics() {
    return notImplemented("getCppHeapStatistics");
  },
  setFlagsFromString,
  Serializer: undefined,
  Deserializer: undefined,
  DefaultSerializer: undefined,
  DefaultDeserializer: undefined,
  deserialize,
  takeCoverage,
  stopCoverage,
  serialize,
  writeHeapSnapshot: function writeHeapSnapshot(filename: unknown, options: unknown) {
    return require("internal/v8/heap_snapshot").writeSnapshot(filename, options);
  },
  queryObjects,
  startupSnapshot,
  setHeapSnapshotNearHeapLimit,
  GCProfiler,
  isStringOneByteRepresentation,
  /** Starts a CPU profile of this thread, with a sample every millisecond; `stop()` of what it gives ends it. */
  startCpuProfile: function startCpuProfile(): SyncCPUProfileHandle {
    return new SyncCPUProfileHandle();
  },
  /** Starts a profile of this thread's heap by who allocates; `stop()` of what it gives ends it. */
  startHeapProfile: function startHeapProfile(): SyncHeapProfileHandle {
    return new SyncHeapProfileHandle();
  },
};

lazyProperties(exported, () => require("internal/v8/serializer"), ["Serializer"]);
lazyProperties(exported, () => require("internal/v8/deserializer"), ["Deserializer"]);
lazyProperties(exported, () => require("internal/v8/serializer"), ["DefaultSerializer"]);
lazyProperties(exported, () => require("internal/v8/deserializer"), ["DefaultDeserializer"]);
lazyProperties(exported, () => require("internal/events/promise_hooks"), ["promiseHooks"]);

export default exported;

// Performance Timeline and User Timing (https://w3c.github.io/performance-timeline/, https://w3c.github.io/user-timing/),
// Resource Timing entries for fetch.

import type { Inspect } from "internal/util/inspect_types";
import type { Depth, FetchTiming } from "internal/perf/types";
import { codes } from "internal/core/errors";
import { validateFunction, validateNumber, validateObject } from "internal/core/validators";
import { sinks } from "internal/core/trace_sinks";
import { makeEnumerable } from "web/event_target";
import { setImmediate } from "web/timers";

const { nowMs } = native("process");
const { defineProperty } = Object;
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");
const kCreate = Symbol("kCreatePerformanceEntry");

// Milestones of the process that measure() takes in place of mark names.
const milestones = ["nodeStart", "v8Start", "environment", "loopStart", "loopExit", "bootstrapComplete"];

function inspectEntry(entry: object, value: object, depth: number, options: Depth, inspect: Inspect): string {
  const name = entry.constructor.name;
  if (depth < 0) return name;
  const inner = { ...options, depth: options.depth === null ? null : options.depth! - 1 };
  return `${name} ${inspect(value, inner)}`;
}

function tag(constructor: { prototype: object; name: string }, ...keys: string[]): void {
  defineProperty(constructor.prototype, Symbol.toStringTag, { configurable: true, value: constructor.name });
  makeEnumerable(constructor.prototype, ...keys);
}

// ---------------------------------------------------------------------------------------------- entries

interface EntryJSON {
  name: string;
  entryType: string;
  startTime: number;
  duration: number;
  [key: string]: unknown;
}

export class PerformanceEntry {
  #name: string;
  #type: string;
  #start: number;
  #duration: number;

  constructor(key: unknown = undefined, name?: string, type?: string, start?: number, duration?: number) {
    if (key !== kCreate) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    this.#name = name!;
    this.#type = type!;
    this.#start = start!;
    this.#duration = duration!;
  }

  static #check(value: unknown): void {
    if (typeof value !== "object" || value === null || !(#name in value))
      throw new codes.ERR_INVALID_THIS("PerformanceEntry");
  }

  get name(): string {
    PerformanceEntry.#check(this);
    return this.#name;
  }

  get entryType(): string {
    PerformanceEntry.#check(this);
    return this.#type;
  }

  /** Milliseconds since performance.timeOrigin. */
  get startTime(): number {
    PerformanceEntry.#check(this);
    return this.#start;
  }

  get duration(): number {
    PerformanceEntry.#check(this);
    return this.#duration;
  }

  [inspectCustom](depth: number, options: Depth, inspect: Inspect) {
    return inspectEntry(this, this.toJSON(), depth, options, inspect);
  }

  toJSON(): EntryJSON {
    PerformanceEntry.#check(this);
    return { name: this.name, entryType: this.entryType, startTime: this.startTime, duration: this.duration };
  }
}
tag(PerformanceEntry, "name", "entryType", "startTime", "duration", "toJSON");

// Entries of Node's own types (function, http, net, ...) carry a `detail`.
class PerformanceNodeEntry extends PerformanceEntry {
  #detail: unknown;
  constructor(name: string, type: string, start: number, duration: number, detail: unknown) {
    super(kCreate, name, type, start, duration);
    this.#detail = detail;
  }
  get detail() {
    return this.#detail;
  }
  toJSON() {
    return { ...super.toJSON(), detail: this.#detail };
  }
}
defineProperty(PerformanceNodeEntry, "name", { value: "PerformanceNodeEntry", configurable: true });

export class PerformanceMark extends PerformanceEntry {
  #detail: unknown;

  /** `new PerformanceMark(name, { startTime, detail })`: a mark outside of the timeline. */
  constructor(name: string, options: unknown = {}) {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("name");
    name = `${name}`;
    if (milestones.includes(name)) throw new codes.ERR_INVALID_ARG_VALUE("name", name);
    if (options !== null && options !== undefined) validateObject(options, "options");
    const startTime = options?.startTime ?? nowMs();
    validateNumber(startTime, "startTime");
    if (startTime < 0) throw new codes.ERR_PERFORMANCE_INVALID_TIMESTAMP(startTime);
    const detail = options?.detail ?? null;
    super(kCreate, name, "mark", startTime, 0);
    this.#detail =
      detail === null || (typeof detail !== "object" && typeof detail !== "function")
        ? detail
        : structuredClone(detail);
  }

  get detail() {
    if (typeof this !== "object" || this === null || !(#detail in this))
      throw new codes.ERR_INVALID_THIS("PerformanceMark");
    return this.#detail;
  }

  toJSON() {
    return { ...super.toJSON(), detail: this.detail };
  }
}
tag(PerformanceMark, "detail");

export class PerformanceMeasure extends PerformanceEntry {
  #detail: unknown;

  constructor(key: unknown = undefined, name?: string, start?: number, duration?: number, detail?: unknown) {
    if (key !== kCreate) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    super(kCreate, name, "measure", start, duration);
    this.#detail = detail;
  }

  get detail() {
    if (typeof this !== "object" || this === null || !(#detail in this))
      throw new codes.ERR_INVALID_THIS("PerformanceMeasure");
    return this.#detail;
  }

  toJSON() {
    return { ...super.toJSON(), detail: this.detail };
  }
}
tag(PerformanceMeasure, "detail");

/** https://w3c.github.io/resource-timing/; made by fetch through performance.markResourceTiming(). */
export class PerformanceResourceTiming extends PerformanceEntry {
  #info: FetchTiming;
  #initiatorType: string;
  #cacheMode: string;
  #status: number;
  #deliveryType: string;

  constructor(
    key: unknown = undefined,
    url?: string,
    initiatorType?: string,
    info?: FetchTiming,
    cacheMode?: string,
    status?: number,
    deliveryType?: string,
  ) {
    if (key !== kCreate) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    super(kCreate, url, "resource", info!.startTime, info!.endTime - info!.startTime);
    this.#info = info!;
    this.#initiatorType = initiatorType!;
    this.#cacheMode = cacheMode!;
    this.#status = status ?? 0;
    this.#deliveryType = deliveryType ?? "";
  }

  static #of(value: unknown): FetchTiming {
    if (typeof value !== "object" || value === null || !(#info in value))
      throw new codes.ERR_INVALID_THIS("PerformanceResourceTiming");
    return value.#info;
  }

  get initiatorType(): string {
    PerformanceResourceTiming.#of(this);
    return this.#initiatorType;
  }
  get nextHopProtocol(): unknown {
    return PerformanceResourceTiming.#of(this).finalConnectionTimingInfo?.ALPNNegotiatedProtocol;
  }
  get workerStart(): number {
    return PerformanceResourceTiming.#of(this).finalServiceWorkerStartTime;
  }
  get redirectStart(): number {
    return PerformanceResourceTiming.#of(this).redirectStartTime;
  }
  get redirectEnd(): number {
    return PerformanceResourceTiming.#of(this).redirectEndTime;
  }
  get fetchStart(): number {
    return PerformanceResourceTiming.#of(this).postRedirectStartTime;
  }
  get domainLookupStart(): number | undefined {
    return PerformanceResourceTiming.#of(this).finalConnectionTimingInfo?.domainLookupStartTime;
  }
  get domainLookupEnd(): number | undefined {
    return PerformanceResourceTiming.#of(this).finalConnectionTimingInfo?.domainLookupEndTime;
  }
  get connectStart(): number | undefined {
    return PerformanceResourceTiming.#of(this).finalConnectionTimingInfo?.connectionStartTime;
  }
  get connectEnd(): number | undefined {
    return PerformanceResourceTiming.#of(this).finalConnectionTimingInfo?.connectionEndTime;
  }
  get secureConnectionStart(): number | undefined {
    return PerformanceResourceTiming.#of(this).finalConnectionTimingInfo?.secureConnectionStartTime;
  }
  get requestStart(): number {
    return PerformanceResourceTiming.#of(this).finalNetworkRequestStartTime;
  }
  get responseStart(): number {
    return PerformanceResourceTiming.#of(this).finalNetworkResponseStartTime;
  }
  get responseEnd(): number {
    return PerformanceResourceTiming.#of(this).endTime;
  }
  get encodedBodySize(): number {
    return PerformanceResourceTiming.#of(this).encodedBodySize;
  }
  get decodedBodySize(): number {
    return PerformanceResourceTiming.#of(this).decodedBodySize;
  }
  /** 0 for answers of a local cache, 300 for validated ones, else the body and 300 for the head. */
  get transferSize(): number {
    const info = PerformanceResourceTiming.#of(this);
    if (this.#cacheMode === "local") return 0;
    if (this.#cacheMode === "validated") return 300;
    return info.encodedBodySize + 300;
  }
  get deliveryType(): string {
    PerformanceResourceTiming.#of(this);
    return this.#deliveryType;
  }
  get responseStatus(): number {
    PerformanceResourceTiming.#of(this);
    return this.#status;
  }

  toJSON(): EntryJSON {
    const json = super.toJSON();
    for (const key of resourceKeys) json[key] = (this as unknown as { [key: string]: unknown })[key];
    return json;
  }
}
const resourceKeys = [
  "initiatorType",
  "nextHopProtocol",
  "workerStart",
  "redirectStart",
  "redirectEnd",
  "fetchStart",
  "domainLookupStart",
  "domainLookupEnd",
  "connectStart",
  "connectEnd",
  "secureConnectionStart",
  "requestStart",
  "responseStart",
  "responseEnd",
  "transferSize",
  "encodedBodySize",
  "decodedBodySize",
  "deliveryType",
  "responseStatus",
];
tag(PerformanceResourceTiming, ...resourceKeys, "toJSON");

// ---------------------------------------------------------------------------------------------- timeline

let marks: PerformanceEntry[] = [];
let measures: PerformanceEntry[] = [];
let resources: PerformanceEntry[] = [];
// The newest mark of each name, for measure().
const lastMark = new Map<string, number>();
let resourceLimit = 250;
// Resource entries that came while the buffer was full, until the 'resourcetimingbufferfull' event.
let overflow: PerformanceEntry[] = [];
let overflowPending = false;

function bufferOf(type: string): PerformanceEntry[] {
  return type === "mark" ? marks : type === "measure" ? measures : type === "resource" ? resources : [];
}

function byStart(a: { startTime: number }, b: { startTime: number }): number {
  return a.startTime - b.startTime;
}

/** Entries of the timeline by name and type, in order of their start. */
export function filterTimeline(name?: string, type?: string): PerformanceEntry[] {
  const list = type === undefined ? [...marks, ...measures, ...resources] : bufferOf(type).slice();
  return (name === undefined ? list : list.filter((entry) => entry.name === name)).sort(byStart);
}

export function clearEntries(type: string, name?: string): void {
  const keep = (list: PerformanceEntry[]) => (name === undefined ? [] : list.filter((entry) => entry.name !== name));
  if (type === "mark") {
    marks = keep(marks);
    if (name === undefined) lastMark.clear();
    else lastMark.delete(name);
  } else if (type === "measure") {
    measures = keep(measures);
  } else {
    resources = keep(resources);
  }
}

const warnAt = 1e6;
let warnedFull = false;

function store(list: PerformanceEntry[], entry: PerformanceMark | PerformanceMeasure): void {
  list.push(entry);
  if (list.length > warnAt && !warnedFull) {
    warnedFull = true;
    const warning: Error & { entryType?: string; count?: number } = new Error(
      `Possible perf_hooks memory leak detected. ${list.length} ${entry.entryType} entries added to the global performance ` +
        `entry buffer. Use performance.clear${entry.entryType === "mark" ? "Marks" : "Measures"} to clear the buffer.`,
    );
    warning.name = "MaxPerformanceEntryBufferExceededWarning";
    warning.entryType = entry.entryType;
    warning.count = list.length;
    require("node:process").emitWarning(warning);
  }
}

/** performance.mark() */
export function mark(name: string, options: unknown): PerformanceMark {
  const entry = new PerformanceMark(name, options);
  store(marks, entry);
  lastMark.set(entry.name, entry.startTime);
  enqueue(entry);
  return entry;
}

// A mark name, a milestone of the process, or a time in ms.
function timeOf(value: unknown): number {
  if (typeof value === "number") {
    if (value < 0) throw new codes.ERR_PERFORMANCE_INVALID_TIMESTAMP(value);
    return value;
  }
  const name = `${value}`;
  if (milestones.includes(name)) return require("internal/perf/node_additions").getNodeTiming()[name] as number;
  const time = lastMark.get(name);
  if (time !== undefined) return time;
  const { DOMException } = require("web/dom_exception");
  throw new DOMException(`The "${name}" performance mark has not been set`, "SyntaxError");
}

/** Marks by name, or times; at most two of the first three. */
interface MeasureOptions {
  start?: unknown;
  end?: unknown;
  duration?: unknown;
  detail?: unknown;
}

/** performance.measure() */
export function measure(
  name: string,
  startOrOptions: MeasureOptions | string | undefined,
  endMark: unknown,
): PerformanceMeasure {
  (require("internal/core/validators").validateString as Check)(name, "name");
  const isOptions = typeof startOrOptions === "object" && startOrOptions !== null;
  const options = isOptions ? startOrOptions : {};
  const { start: startOption, end: endOption, duration, detail } = options;
  const given = startOption !== undefined || endOption !== undefined || duration !== undefined || detail !== undefined;
  if (isOptions && given) {
    if (endMark !== undefined) throw new codes.ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS("endMark must not be specified");
    if (startOption === undefined && endOption === undefined) {
      if (duration !== undefined || detail === undefined) {
        throw new codes.ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS("One of options.start or options.end is required");
      }
    }
    if (startOption !== undefined && endOption !== undefined && duration !== undefined) {
      throw new codes.ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS(
        "Must not have options.start, options.end, and options.duration specified",
      );
    }
  }
  let end: number;
  if (endMark !== undefined) end = timeOf(endMark);
  else if (endOption !== undefined) end = timeOf(endOption);
  else if (startOption !== undefined && duration !== undefined) end = timeOf(startOption) + timeOf(duration);
  else end = nowMs();
  let start: number;
  if (startOption !== undefined) start = timeOf(startOption);
  else if (duration !== undefined && endOption !== undefined) start = timeOf(endOption) - timeOf(duration);
  else if (typeof startOrOptions === "string") start = timeOf(startOrOptions);
  else start = 0;
  const cloned =
    detail === undefined || detail === null ? null : typeof detail === "object" ? structuredClone(detail) : detail;
  const entry = new PerformanceMeasure(kCreate, name, start, end - start, cloned);
  store(measures, entry);
  enqueue(entry);
  return entry;
}

/** performance.markResourceTiming(): called by fetch with its fetch timing info (Fetch standard). */
export function markResourceTiming(
  timingInfo: FetchTiming,
  requestedUrl: string,
  initiatorType: string,
  _global: unknown,
  cacheMode: string,
  _bodyInfo?: unknown,
  responseStatus?: number,
  deliveryType = "",
): PerformanceResourceTiming {
  if (cacheMode !== "" && cacheMode !== "local" && cacheMode !== "validated") {
    throw new codes.ERR_INVALID_ARG_VALUE("cacheMode", cacheMode, "must be an empty string, 'local', or 'validated'");
  }
  const entry = new PerformanceResourceTiming(
    kCreate,
    requestedUrl,
    initiatorType,
    timingInfo,
    cacheMode,
    responseStatus,
    deliveryType,
  );
  if (resources.length < resourceLimit && !overflowPending) {
    resources.push(entry);
  } else {
    overflow.push(entry);
    if (!overflowPending) {
      overflowPending = true;
      setImmediate(announceOverflow);
    }
  }
  enqueue(entry);
  return entry;
}

// Resource Timing: the event gives the program a chance to make room, then what fits is moved over.
function announceOverflow(): void {
  const { performance } = require("web/performance");
  const { Event } = require("web/event_target");
  while (overflow.length > 0) {
    const before = overflow.length;
    if (resources.length >= resourceLimit) performance.dispatchEvent(new Event("resourcetimingbufferfull"));
    while (overflow.length > 0 && resources.length < resourceLimit) resources.push(overflow.shift()!);
    if (overflow.length >= before) overflow = [];
  }
  overflowPending = false;
}

export function setResourceTimingBufferSize(maxSize: unknown): void {
  // Web IDL unsigned long: anything that is not a usable number is 0.
  resourceLimit = Number.isInteger(maxSize) && (maxSize as number) >= 0 ? (maxSize as number) : 0;
}

// ---------------------------------------------------------------------------------------------- observers

const supportedTypes: readonly string[] = Object.freeze(["function", "http", "mark", "measure", "net", "resource"]);
/** The types that are made of what other modules publish. */
const published = ["http", "net"];
const observers = new Set<PerformanceObserver>();
let flushPending = false;

/** Whether anybody observes entries of `type`; producers ask before they build one. */
export function hasObserver(type: string): boolean {
  for (const observer of observers) if (wants(observer, type)) return true;
  return false;
}

/** Those of them that are made now. */
const produced = new Set<string>();

/** Has what other modules publish listened to while somebody observes it. */
function watchPublished(): void {
  for (const type of published) {
    const isObserved = hasObserver(type);
    if (isObserved === produced.has(type)) continue;
    if (isObserved) produced.add(type);
    else produced.delete(type);
    require("internal/perf/sources").setProducing(type, isObserved);
  }
}

let wants: (observer: PerformanceObserver, type: string) => boolean;
let give: (observer: PerformanceObserver, entry: PerformanceEntry) => void;
let flush: (observer: PerformanceObserver) => void;

/** Gives an entry to the observers of its type; their callbacks run in the next check phase. */
function enqueue(entry: PerformanceEntry): void {
  sinks.performance?.(entry);
  if (observers.size === 0) return;
  for (const observer of observers) if (wants(observer, entry.entryType)) give(observer, entry);
}

/** An entry of type "function", which also has the arguments as its indexed properties. */
export function enqueueFunctionEntry(name: string, start: number, duration: number, args: unknown[]): void {
  const entry = new PerformanceNodeEntry(name, "function", start, duration, args) as PerformanceNodeEntry & {
    [index: number]: unknown;
  };
  for (let i = 0; i < args.length; i++) entry[i] = args[i];
  enqueue(entry);
}

/** An entry of another type of Node's. */
export function enqueueNodeEntry(name: string, type: string, start: number, duration: number, detail: unknown): void {
  enqueue(new PerformanceNodeEntry(name, type, start, duration, detail));
}

function schedule(): void {
  if (flushPending) return;
  flushPending = true;
  setImmediate(() => {
    flushPending = false;
    for (const observer of [...observers]) flush(observer);
  });
}

/** What observer callbacks get. */
export class PerformanceObserverEntryList {
  #entries: PerformanceEntry[];

  constructor(key: unknown = undefined, entries?: PerformanceEntry[]) {
    if (key !== kCreate) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    this.#entries = entries!.sort(byStart);
  }

  getEntries(): unknown[] {
    return this.#entries.slice();
  }

  getEntriesByType(type: unknown): unknown[] {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("type");
    type = `${type}`;
    return this.#entries.filter((entry) => entry.entryType === type);
  }

  getEntriesByName(name: unknown, type: unknown = undefined): unknown[] {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("name");
    name = `${name}`;
    return this.#entries.filter((entry) => entry.name === name && (type === undefined || entry.entryType === type));
  }

  [inspectCustom](depth: number, options: Depth, inspect: Inspect) {
    return inspectEntry(this, this.#entries, depth, options, inspect);
  }
}
tag(PerformanceObserverEntryList, "getEntries", "getEntriesByType", "getEntriesByName");

export class PerformanceObserver {
  #callback: (...values: unknown[]) => unknown;
  #buffer: PerformanceEntry[] = [];
  #types = new Set<string>();
  // observe({ type }) and observe({ entryTypes }) must not be mixed.
  #mode: "single" | "multiple" | undefined = undefined;

  constructor(callback?: unknown) {
    validateFunction(callback, "callback");
    this.#callback = callback;
  }

  static {
    wants = (observer, type) => observer.#types.has(type);
    give = (observer, entry) => {
      observer.#buffer.push(entry);
      schedule();
    };
    flush = (observer) => {
      if (observer.#buffer.length === 0) return;
      const list = new PerformanceObserverEntryList(kCreate, observer.takeRecords());
      try {
        observer.#callback(list, observer);
      } catch (error) {
        native("loop").triggerUncaughtException(error, false);
      }
    };
  }

  /** `{ entryTypes: [...] }`, or `{ type, buffered }` once per type. Unknown types are ignored. */
  observe(options: { entryTypes?: string[]; type?: string; buffered?: boolean } = {}): void {
    validateObject(options, "options");
    const { entryTypes, type, buffered } = options;
    if (entryTypes === undefined && type === undefined)
      throw new codes.ERR_MISSING_ARGS("options.entryTypes", "options.type");
    if (entryTypes !== undefined && type !== undefined) {
      throw new codes.ERR_INVALID_ARG_VALUE(
        "options.entryTypes",
        entryTypes,
        "options.entryTypes can not set with options.type together",
      );
    }
    const mode = type === undefined ? "multiple" : "single";
    if (this.#mode !== undefined && this.#mode !== mode) {
      const { DOMException } = require("web/dom_exception");
      throw new DOMException(
        "PerformanceObserver.observe() must not mix type and entryTypes",
        "InvalidModificationError",
      );
    }
    this.#mode = mode;
    if (mode === "multiple") {
      if (!Array.isArray(entryTypes))
        throw new codes.ERR_INVALID_ARG_TYPE("options.entryTypes", "string[]", entryTypes);
      this.#types = new Set(entryTypes.filter((name: string) => supportedTypes.includes(name)));
    } else {
      if (!supportedTypes.includes(type!)) return;
      this.#types.add(type!);
      if (buffered) for (const entry of filterTimeline(undefined, type)) give(this, entry);
    }
    if (this.#types.size === 0) return this.disconnect();
    observers.add(this);
    watchPublished();
  }

  disconnect(): void {
    observers.delete(this);
    this.#buffer = [];
    this.#types.clear();
    this.#mode = undefined;
    watchPublished();
  }

  /** The entries the callback has not got yet. */
  takeRecords() {
    const list = this.#buffer;
    this.#buffer = [];
    return list;
  }

  static get supportedEntryTypes(): readonly string[] {
    return supportedTypes;
  }

  [inspectCustom](depth: number, options: Depth, inspect: Inspect) {
    return inspectEntry(
      this,
      { connected: observers.has(this), pending: flushPending, entryTypes: [...this.#types], buffer: this.#buffer },
      depth,
      options,
      inspect,
    );
  }
}
tag(PerformanceObserver, "observe", "disconnect", "takeRecords");
makeEnumerable(PerformanceObserver, "supportedEntryTypes");

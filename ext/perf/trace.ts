// Trace events (https://nodejs.org/api/tracing.html): which categories are traced, by whom, and the events themselves in Chrome's
// format. Modules tell of what happens only while somebody traces it, see trace_sinks.ts.
import type { Connecting, Destination, Phase } from "internal/core/trace_sinks";
import { sinks } from "internal/core/trace_sinks";

const ops = native("process");

/** An event as it is written. */
export interface TraceEvent {
  pid: number;
  tid: number;
  ts: number;
  tts: number;
  ph: Phase;
  cat: string;
  name: string;
  dur: number;
  tdur: number;
  id?: string;
  args: Record<string, unknown>;
}

/** Whoever traces: the file, or a session of the inspector. */
export interface Tracer {
  readonly categories: ReadonlySet<string>;
  write(event: TraceEvent): void;
}

/** The categories that `--trace-events-enabled` stands for. */
const DEFAULT_CATEGORIES = ["v8", "node", "node.async_hooks"];
const DEFAULT_PATTERN = "node_trace.${rotation}.log";

/** The categories that the inspector names; those of `v8`, of the loop's phases and of the thread pool have no events here. */
export const CATEGORIES = [
  "node",
  "node.async_hooks",
  "node.bootstrap",
  "node.console",
  "node.dns.native",
  "node.environment",
  "node.fs.async",
  "node.fs.sync",
  "node.fs_dir.async",
  "node.fs_dir.sync",
  "node.http",
  "node.net.native",
  "node.perf",
  "node.perf.timerify",
  "node.perf.usertiming",
  "node.promises.rejections",
  "node.threadpoolwork.async",
  "node.threadpoolwork.sync",
  "node.vm.script",
  "v8",
];

const tracers = new Set<Tracer>();

/** Microseconds of the system's monotonic clock at the start of the process. */
let origin: number | undefined;
const performanceOf = () => require("web/performance").performance;

/** A time of the performance timeline in microseconds of the system's monotonic clock. */
function microseconds(milliseconds: number): number {
  origin ??= Number(process.hrtime.bigint() / 1000n) - Math.round(performanceOf().now() * 1000);
  return origin + Math.round(milliseconds * 1000);
}

/** Whether events of a category, or of a list of them with commas, are traced. */
export function isTraced(category: string): boolean {
  const names = category.split(",");
  for (const { categories } of tracers) if (names.some((name) => categories.has(name))) return true;
  return false;
}

/** What an event has beside its phase, categories and name. */
interface Details {
  id?: number;
  args?: Record<string, unknown>;
  /** Milliseconds of the performance timeline; now, if there is none. */
  at?: number;
}

/** Writes an event, where its categories are traced. */
export function emit(ph: Phase, cat: string, name: string, { id, args = {}, at }: Details = {}): void {
  const names = cat.split(",");
  let event: TraceEvent | undefined;
  for (const tracer of tracers) {
    if (cat !== "__metadata" && !names.some((category) => tracer.categories.has(category))) continue;
    event ??= {
      pid: process.pid,
      tid: ops.systemThreadId(),
      ts: microseconds(at ?? performanceOf().now()),
      tts: 0,
      ph,
      cat,
      name,
      dur: 0,
      tdur: 0,
      ...(id === undefined ? {} : { id: `0x${id.toString(16)}` }),
      args,
    };
    tracer.write(event);
  }
}

/** The arguments of an event of Node's own. */
function data(value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { data: value };
}

/** A value of the program as JSON has it now; undefined if it cannot be said in JSON. Throws nothing: it is only told of. */
function plain(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What tells of the process and its threads. */
function metadata(): [name: string, args: Record<string, unknown>][] {
  const { isMainThread, threadId, threadName } = require("node:worker_threads");
  const { arch, platform, release, title, versions } = process;
  const thread = isMainThread ? "JavaScriptMainThread" : `[worker ${threadId}] ${threadName || "WorkerThread"}`;
  if (!isMainThread) return [["thread_name", { name: thread }]];
  return [
    ["process_name", { name: title }],
    ["version", { node: versions.node }],
    ["thread_name", { name: thread }],
    ["node", { process: { versions: { ...versions }, arch, platform, release: { ...release } } }],
  ];
}

/** Tells a tracer that begins of the process. */
function introduce(tracer: Tracer): void {
  for (const [name, args] of metadata()) {
    tracer.write({
      pid: process.pid,
      tid: ops.systemThreadId(),
      ts: microseconds(performanceOf().now()),
      tts: 0,
      ph: "M",
      cat: "__metadata",
      name,
      dur: 0,
      tdur: 0,
      args,
    });
  }
}

// ------------------------------------------------------------------------------------------------------- sources

/** What events of some categories are made of: begins, and gives how it ends. */
type Source = (cat: string) => () => void;

/** Listens to diagnostics channels. */
function subscribe(listeners: Record<string, (message: unknown) => void>): () => void {
  const { channel } = require("node:diagnostics_channel");
  const all = Object.entries(listeners);
  for (const [name, listener] of all) channel(name).subscribe(listener);
  return () => {
    for (const [name, listener] of all) channel(name).unsubscribe(listener);
  };
}

let lastId = 0;

/** Asynchronous resources: a span for the life of each, and for each of its callbacks. */
const asyncHooks: Source = (cat) => {
  const { createHook, executionAsyncId } = require("node:async_hooks");
  const types = new Map<number, string>();
  const hook = createHook({
    init(asyncId: number, type: string, triggerAsyncId: number) {
      types.set(asyncId, type);
      emit("b", cat, type, { id: asyncId, args: data({ executionAsyncId: executionAsyncId(), triggerAsyncId }) });
    },
    before(asyncId: number) {
      const type = types.get(asyncId);
      if (type !== undefined) emit("b", cat, `${type}_CALLBACK`, { id: asyncId });
    },
    after(asyncId: number) {
      const type = types.get(asyncId);
      if (type !== undefined) emit("e", cat, `${type}_CALLBACK`, { id: asyncId });
    },
    destroy(asyncId: number) {
      const type = types.get(asyncId);
      if (type === undefined) return;
      types.delete(asyncId);
      emit("e", cat, type, { id: asyncId });
    },
  } as never).enable();
  return () => void hook.disable();
};

const consoleCalls: Source = (cat) => {
  sinks.console = (phase, name, value) => emit(phase, cat, name, { id: 0, args: data(plain(value)) });
  return () => {
    sinks.console = undefined;
  };
};

/** Requests of both sides, from their beginning to the end of the response. */
const http: Source = (cat) => {
  interface Exchange {
    request: { method?: string; url?: string; path?: string };
    response?: { statusCode?: number };
  }
  const ids = new WeakMap<object, number>();
  const begin = (name: string) => (message: unknown) => {
    const { request } = message as Exchange;
    ids.set(request, ++lastId);
    emit("b", cat, name, { id: lastId });
  };
  const end = (name: string) => (message: unknown) => {
    const { request, response } = message as Exchange;
    const id = ids.get(request);
    if (id === undefined) return;
    ids.delete(request);
    const { method, url, path } = request;
    emit("e", cat, name, { id, args: data({ method, url: url ?? path, statusCode: response?.statusCode }) });
  };
  return subscribe({
    "http.server.request.start": begin("http.server.request"),
    "http.server.response.finish": end("http.server.request"),
    "http.client.request.start": begin("http.client.request"),
    "http.client.response.finish": end("http.client.request"),
    "http.client.request.error": end("http.client.request"),
  });
};

/** Connections, from the call until they are there or have failed. */
const net: Source = (cat) => {
  sinks.connect = (socket: Connecting, { path, host, port }: Destination) => {
    const id = ++lastId;
    const args: Record<string, unknown> =
      path == null || path === ""
        ? { ip_address: host ?? "localhost", port: Number(port) }
        : { path_type: path.startsWith("\0") ? "abstract socket" : "file", pipe_path: path.replace(/^\0/, "@") };
    emit("b", cat, "connect", { id, args });
    let isOver = false;
    const end = (status: string) => () => {
      if (isOver) return;
      isOver = true;
      emit("e", cat, "connect", { id, args: { status } });
    };
    socket.once("connect", end("connected"));
    socket.once("close", end("failed"));
  };
  return () => {
    sinks.connect = undefined;
  };
};

/** Marks, measures, functions of `timerify` and look-ups of names: entries of the performance timeline. */
const entryCategories = new Map<string, string>();
function entries(...types: string[]): Source {
  return (cat) => {
    for (const type of types) entryCategories.set(type, cat);
    sinks.performance = takeEntry;
    return () => {
      for (const type of types) entryCategories.delete(type);
      if (entryCategories.size === 0) sinks.performance = undefined;
    };
  };
}

function takeEntry({ entryType, name, startTime, duration }: PerformanceEntry): void {
  const cat = entryCategories.get(entryType);
  if (cat === undefined) return;
  if (entryType === "mark") {
    emit("R", cat, name, { at: startTime });
    return;
  }
  const id = ++lastId;
  emit("b", cat, name, { id, at: startTime });
  emit("e", cat, name, { id, at: startTime + duration });
}

const rejections: Source = (cat) => {
  sinks.rejections = (unhandled, handledAfter) => emit("C", cat, "rejections", { args: { unhandled, handledAfter } });
  return () => {
    sinks.rejections = undefined;
  };
};

const vm: Source = (cat) => {
  sinks.vm = (name, filename) => {
    const id = ++lastId;
    emit("b", cat, name, { id, args: filename === undefined ? {} : { filename } });
    return () => emit("e", cat, name, { id });
  };
  return () => {
    sinks.vm = undefined;
  };
};

/** The steps of the start that have been made. */
const bootstrap: Source = (cat) => {
  const { nodeTiming } = performanceOf() as unknown as { nodeTiming: Record<string, number> };
  for (const name of ["nodeStart", "v8Start", "environment", "bootstrapComplete"]) {
    const at = nodeTiming[name];
    if (at !== undefined && at > 0) emit("I", cat, name, { at });
  }
  return () => {};
};

/** Functions of node:fs, by `fs.sync.NAME` and `fs.async.NAME`: as they are called, not as the system is asked. */
function files(isDir: boolean, isSync: boolean): Source {
  return (cat) => {
    const fs = require("node:fs") as unknown as Record<string, unknown>;
    const undo: (() => void)[] = [];
    const replace = (holder: Record<string, unknown>, key: string, made: (own: Function) => Function) => {
      const own = holder[key];
      if (typeof own !== "function") return;
      // With all that the function has, also what `promisify` asks it for.
      const wrapper = Object.defineProperties(made(own), Object.getOwnPropertyDescriptors(own));
      holder[key] = wrapper;
      undo.push(() => {
        if (holder[key] === wrapper) holder[key] = own;
      });
    };
    for (const key of Object.keys(fs)) {
      const name = key.replace(/Sync$/, "");
      if (!key.endsWith("Sync") || (name === "opendir") !== isDir || name === "exists") continue;
      const label = `${isDir ? "fs_dir" : "fs"}.${isSync ? "sync" : "async"}.${name.toLowerCase()}`;
      if (isSync) replace(fs, key, (own) => tracedSync(own, cat, label));
      else if (name in fs) replace(fs, name, (own) => tracedAsync(own, cat, label));
    }
    return () => {
      for (const restore of undo) restore();
    };
  };
}

function tracedSync(own: Function, cat: string, name: string): Function {
  return function (this: unknown, ...args: unknown[]): unknown {
    emit("B", cat, name);
    try {
      return Reflect.apply(own, this, args);
    } finally {
      emit("E", cat, name);
    }
  };
}

function tracedAsync(own: Function, cat: string, name: string): Function {
  return function (this: unknown, ...args: unknown[]): unknown {
    const callback = args[args.length - 1];
    if (typeof callback !== "function") return Reflect.apply(own, this, args);
    const id = ++lastId;
    args[args.length - 1] = function (this: unknown, ...results: unknown[]): unknown {
      emit("e", cat, name, { id });
      return Reflect.apply(callback, this, results);
    };
    emit("b", cat, name, { id });
    try {
      return Reflect.apply(own, this, args);
    } catch (error) {
      emit("e", cat, name, { id });
      throw error;
    }
  };
}

/** The sources by the categories of their events. */
const SOURCES: Record<string, Source> = {
  "node,node.async_hooks": asyncHooks,
  "node,node.bootstrap": bootstrap,
  "node,node.console": consoleCalls,
  "node,node.dns,node.dns.native": entries("dns"),
  "node,node.fs,node.fs.async": files(false, false),
  "node,node.fs,node.fs.sync": files(false, true),
  "node,node.fs_dir,node.fs_dir.async": files(true, false),
  "node,node.fs_dir,node.fs_dir.sync": files(true, true),
  "node,node.http": http,
  "node,node.net,node.net.native": net,
  "node,node.perf,node.perf.timerify": entries("function"),
  "node,node.perf,node.perf.usertiming": entries("mark", "measure"),
  "node,node.promises,node.promises.rejections": rejections,
  "node,node.vm,node.vm.script": vm,
};

/** How the sources end that are in use. */
const active = new Map<string, () => void>();

/** Begins the sources that somebody traces, and ends the others. */
function settle(): void {
  for (const [cat, source] of Object.entries(SOURCES)) {
    const end = active.get(cat);
    const isWanted = isTraced(cat);
    if (isWanted && end === undefined) active.set(cat, source(cat));
    else if (!isWanted && end !== undefined) {
      active.delete(cat);
      end();
    }
  }
  watchTitle();
}

/** The accessor that `process.title` has while nobody traces. */
let title: PropertyDescriptor | undefined;

/** Tells of names that the process is given. */
function watchTitle(): void {
  if ((title !== undefined) === tracers.size > 0) return;
  if (title !== undefined) {
    Object.defineProperty(process, "title", title);
    title = undefined;
    return;
  }
  const own = Object.getOwnPropertyDescriptor(process, "title");
  if (own?.set === undefined || !own.configurable) return;
  title = own;
  Object.defineProperty(process, "title", {
    ...own,
    set(value: unknown) {
      Reflect.apply(own.set!, process, [value]);
      emit("M", "__metadata", "process_name", { args: { name: process.title } });
    },
  });
}

/** Begins to trace. */
export function addTracer(tracer: Tracer): void {
  if (!tracers.has(tracer)) {
    tracers.add(tracer);
    introduce(tracer);
  }
  settle();
}

/** Ends it. */
export function removeTracer(tracer: Tracer): void {
  tracers.delete(tracer);
  settle();
}

// ------------------------------------------------------------------------------------------------------ the file

/** Categories of the file, and how many ask for each. */
const counts = new Map<string, number>();

const fileTracer: Tracer = {
  get categories() {
    return new Set(counts.keys());
  },
  write: (event) => ops.writeTrace(JSON.stringify(event)),
};

function option(name: string): string | undefined {
  const value = ops.cliOption(name);
  return typeof value === "string" ? value : undefined;
}

/** Has events of these categories written to the file of the process. */
export function enableInFile(categories: string[]): void {
  for (const category of categories) counts.set(category, (counts.get(category) ?? 0) + 1);
  ops.openTrace(option("--trace-event-file-pattern") ?? DEFAULT_PATTERN);
  addTracer(fileTracer);
}

/** Takes back `enableInFile`. */
export function disableInFile(categories: string[]): void {
  for (const category of categories) {
    const count = counts.get(category)! - 1;
    if (count === 0) counts.delete(category);
    else counts.set(category, count);
  }
  if (counts.size === 0) removeTracer(fileTracer);
  else settle();
}

/** The categories that the file gets, sorted, with commas; undefined if there are none. */
export function categoriesOfFile(): string | undefined {
  return counts.size === 0 ? undefined : [...counts.keys()].sort().join(",");
}

/** Begins what the options ask for, in each thread. */
export function start(): void {
  const listed = option("--trace-event-categories");
  const categories = listed === undefined ? DEFAULT_CATEGORIES : listed.split(",").map((name) => name.trim());
  enableInFile(categories.filter((name) => name !== ""));
}

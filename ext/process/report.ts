// process.report: diagnostic reports (https://nodejs.org/api/report.html).
//
// Reports are written by calls, by a signal and by uncaught exceptions. One for a fatal error of the engine does not exist, and
// switching it on throws.

const ops = native("process");

/** An address of os.networkInterfaces(). */
type NetworkAddress = Record<"address" | "netmask" | "family" | "mac" | "internal" | "scopeid", unknown>;

function sharedObjects(fs: BuiltinModules["node:fs"]): string[] {
  try {
    const paths = new Set<string>();
    for (const line of fs.readFileSync("/proc/self/maps", "utf8").split("\n")) {
      const path = line.slice(73).trim();
      if (path.startsWith("/") && path.includes(".so")) paths.add(path);
    }
    return [...paths];
  } catch {
    return [];
  }
}

/** The limits that Node reports, by the names of /proc; divided by the unit of the name. */
const LIMITS: Record<string, [name: string, unit: number]> = {
  __proto__: null as never,
  "Max core file size": ["core_file_size_blocks", 512],
  "Max data size": ["data_seg_size_bytes", 1],
  "Max file size": ["file_size_blocks", 512],
  "Max locked memory": ["max_locked_memory_bytes", 1],
  "Max resident set": ["max_memory_size_bytes", 1],
  "Max open files": ["open_files", 1],
  "Max stack size": ["stack_size_bytes", 1],
  "Max cpu time": ["cpu_time_seconds", 1],
  "Max processes": ["max_user_processes", 1],
  "Max address space": ["virtual_memory_bytes", 1],
};

function userLimits(fs: BuiltinModules["node:fs"]): { [key: string]: unknown } {
  const limits: { [key: string]: unknown } = {};
  try {
    for (const line of fs.readFileSync("/proc/self/limits", "utf8").split("\n").slice(1)) {
      const match = /^(.+?)\s{2,}(\S+)\s+(\S+)/.exec(line);
      const known = match === null ? undefined : LIMITS[match[1]!];
      if (known === undefined) continue;
      const value = (text: string) => (text === "unlimited" ? text : Math.floor(Number(text) / known[1]));
      limits[known[0]] = { soft: value(match![2]!), hard: value(match![3]!) };
    }
  } catch {
    // No /proc on this system.
  }
  return limits;
}

/** The limit of the heap that the program has reached, in bytes. */
let reachedLimit: number | undefined;

/** The heap in V8's terms, as node:v8 gives it. */
function heapOf() {
  const v8 = require("node:v8");
  const heap = v8.getHeapStatistics();
  const heapSpaces: Record<string, object> = {};
  for (const space of v8.getHeapSpaceStatistics()) {
    heapSpaces[space.space_name] = {
      memorySize: space.space_size,
      committedMemory: space.physical_space_size,
      capacity: space.space_used_size + space.space_available_size,
      used: space.space_used_size,
      available: space.space_available_size,
    };
  }
  return {
    totalMemory: heap.total_heap_size,
    executableMemory: heap.total_heap_size_executable,
    totalCommittedMemory: heap.total_physical_size,
    availableMemory: heap.total_available_size,
    totalGlobalHandlesMemory: heap.total_global_handles_size,
    usedGlobalHandlesMemory: heap.used_global_handles_size,
    usedMemory: heap.used_heap_size,
    memoryLimit: reachedLimit ?? heap.heap_size_limit,
    mallocedMemory: heap.malloced_memory,
    externalMemory: heap.external_memory,
    peakMallocedMemory: heap.peak_malloced_memory,
    nativeContextCount: heap.number_of_native_contexts,
    detachedContextCount: heap.number_of_detached_contexts,
    doesZapGarbage: heap.does_zap_garbage,
    heapSpaces,
  };
}

/** The own properties of an error, as texts. */
function propertiesOf(error: unknown): Record<string, string> {
  if (!(error instanceof Error)) return {};
  const found: Record<string, string> = {};
  for (const key of Object.keys(error)) found[key] = textOfValue((error as unknown as Record<string, unknown>)[key]);
  return found;
}

const textOfValue = (value: unknown) => {
  try {
    return String(value);
  } catch {
    return require("node:util").inspect(value);
  }
};

/** `thrown`: the value that ends the process, if it is no error. */
function build(error: NodeError | undefined | null, thrown?: { value: unknown }) {
  const process = require("node:process");
  const os = require("node:os");
  const fs = require("node:fs");
  const now = new Date();
  const usage = process.resourceUsage();
  const memory = process.memoryUsage();
  const shown = error instanceof Error ? error : new Error("JavaScript Callstack");
  const glibc = ops.glibcVersion();
  return {
    header: {
      reportVersion: 5,
      event: "JavaScript API",
      trigger: "GetReport",
      filename: null as string | null,
      dumpEventTime: now.toISOString().replace(/\.\d+/, ""),
      dumpEventTimeStamp: `${now.getTime()}`,
      processId: process.pid,
      threadId: ops.threadId(),
      cwd: process.cwd(),
      commandLine: [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
      nodejsVersion: process.version,
      ...(glibc === undefined ? {} : { glibcVersionRuntime: glibc, glibcVersionCompiler: glibc }),
      wordSize: 64,
      arch: process.arch,
      platform: process.platform,
      componentVersions: { ...process.versions },
      release: { ...process.release },
      osName: os.type(),
      osRelease: os.release(),
      osVersion: os.version(),
      osMachine: os.machine(),
      cpus: os.cpus().map((cpu: { model: string; speed: number; times: object }) => ({
        model: cpu.model,
        speed: cpu.speed,
        ...cpu.times,
      })),
      ...(settings.excludeNetwork
        ? {}
        : {
            networkInterfaces: Object.entries(os.networkInterfaces() as Record<string, NetworkAddress[]>).flatMap(
              ([name, list]) =>
                list.map(({ internal, mac, address, netmask, family, scopeid }) => ({
                  name,
                  internal,
                  mac,
                  address,
                  netmask,
                  family,
                  ...(family === "IPv6" ? { scopeid } : {}),
                })),
            ),
          }),
      host: os.hostname(),
    },
    javascriptStack: {
      message: thrown === undefined ? `${shown.name}: ${shown.message}` : textOfValue(thrown.value),
      stack: `${thrown === undefined ? shown.stack : "\nUnavailable."}`
        .split("\n")
        .slice(1)
        .map((line) => line.trim()),
      errorProperties: propertiesOf(error),
    },
    javascriptHeap: heapOf(),
    nativeStack: [],
    resourceUsage: {
      free_memory: `${os.freemem()}`,
      total_memory: `${os.totalmem()}`,
      rss: `${memory.rss}`,
      available_memory: `${process.availableMemory()}`,
      userCpuSeconds: usage.userCPUTime / 1e6,
      kernelCpuSeconds: usage.systemCPUTime / 1e6,
      cpuConsumptionPercent: ((usage.userCPUTime + usage.systemCPUTime) / 1e6 / process.uptime()) * 100,
      userCpuConsumptionPercent: (usage.userCPUTime / 1e6 / process.uptime()) * 100,
      kernelCpuConsumptionPercent: (usage.systemCPUTime / 1e6 / process.uptime()) * 100,
      maxRss: `${usage.maxRSS * 1024}`,
      pageFaults: { IORequired: usage.majorPageFault, IONotRequired: usage.minorPageFault },
      fsActivity: { reads: usage.fsRead, writes: usage.fsWrite },
    },
    libuv: [],
    workers: [],
    ...(settings.excludeEnv ? {} : { environmentVariables: { ...process.env } }),
    userLimits: userLimits(fs),
    sharedObjects: sharedObjects(fs),
  };
}

/** What is set, by the command line at first: https://nodejs.org/api/cli.html#--report-compact */
const option = ops.cliOption;
const text = (name: string) => {
  const value = option(name);
  return typeof value === "string" ? value : "";
};
const settings: Record<string, unknown> = {
  compact: option("--report-compact") === true,
  excludeNetwork: option("--report-exclude-network") === true,
  excludeEnv: option("--report-exclude-env") === true,
  directory: text("--report-dir"),
  filename: text("--report-filename"),
  signal: text("--report-signal") || "SIGUSR2",
  reportOnSignal: option("--report-on-signal") === true,
  reportOnUncaughtException: option("--report-uncaught-exception") === true,
  reportOnFatalError: option("--report-on-fatalerror") === true,
};
let count = 0;

/** Writes a report and says on standard error where. */
function write(file: string | undefined, error: unknown, event: string, trigger: string): string {
  const now = new Date();
  const pad = (n: number, digits = 2) => `${n}`.padStart(digits, "0");
  const name =
    file ||
    (settings.filename as string) ||
    `report.${now.getFullYear()}${pad(now.getMonth() + 1)}${pad(now.getDate())}.` +
      `${pad(now.getHours())}${pad(now.getMinutes())}${pad(now.getSeconds())}.${ops.pid()}.${ops.threadId()}.${pad(++count, 3)}.json`;
  const isThrown = event === "Exception" && !(error instanceof Error);
  const content = build(error as NodeError | undefined, isThrown ? { value: error } : undefined);
  content.header.filename = name;
  content.header.event = event;
  content.header.trigger = trigger;
  const shown = `${JSON.stringify(content, null, settings.compact ? undefined : 2)}\n`;
  if (name === "stdout" || name === "stderr") {
    ops.stdioWrite(name === "stdout" ? 1 : 2, shown);
    ops.stdioWrite(2, "Node.js report completed\n");
    return name;
  }
  const path = settings.directory ? require("node:path").resolve(settings.directory, name) : name;
  ops.stdioWrite(2, `\nWriting Node.js report to file: ${name}`);
  try {
    require("node:fs").writeFileSync(path, shown);
  } catch (error) {
    const { code, errno = 0 } = error as NodeError & { errno?: number };
    if (code === "ERR_ACCESS_DENIED" && trigger === "API") throw error;
    ops.stdioWrite(2, `\nFailed to open Node.js report file: ${path} (errno: ${-errno})\n`);
    return name;
  }
  ops.stdioWrite(2, "\nNode.js report completed\n");
  return name;
}

const onSignal = (name: string) => write(undefined, undefined, name, "Signal");

/** Listens to the signal, or no more. */
function listen(on: boolean): void {
  const process = require("node:process");
  process.removeListener(settings.signal as string, onSignal);
  if (on) process.on(settings.signal as string, onSignal);
}

/** Called with an error that ends the process. */
function onUncaught(error: unknown): void {
  if (settings.reportOnUncaughtException) write(undefined, error, "Exception", "Exception");
}

/** Called when the heap is full and the program ends; `limit`: the limit that it has reached, in bytes. The report has more. */
export function fatal(limit: number): void {
  reachedLimit = limit;
  if (settings.reportOnFatalError)
    write(undefined, undefined, "Allocation failed - JavaScript heap out of memory", "OOMError");
}

/** Puts what the command line asks for in force; called before the program. */
export function start(): void {
  if (settings.reportOnSignal && ops.isMainThread()) listen(true);
  if (settings.reportOnUncaughtException) require("internal/process/execution").reporting.uncaught = onUncaught;
}

export const report = {
  /** The report as an object; `error` gives the stack to show. */
  getReport(error?: NodeError | null | undefined) {
    if (error === undefined) return build(undefined);
    (require("internal/core/validators").validateObject as Check)(error, "err");
    return build(error);
  },
  /** Writes the report to `file` (by default a name with date, pid and thread in process.report.directory). */
  writeReport(file?: string, error?: NodeError): string {
    if (typeof file === "object" && file !== null) [file, error] = [undefined, file];
    const { validateObject, validateString } = require("internal/core/validators") as Checks;
    if (file !== undefined) validateString(file, "file");
    if (error !== undefined) validateObject(error, "err");
    return write(file, error, "JavaScript API", "API");
  },
};

/** A setting as a property; `changed` is called with the value before it counts. */
function setting(key: string, check: string, changed?: (value: unknown) => void): void {
  Object.defineProperty(report, key, {
    enumerable: true,
    configurable: true,
    get: () => settings[key],
    set(value: unknown) {
      (require("internal/core/validators") as Checks)[check as "validateString"](value, key);
      changed?.(value);
      settings[key] = value;
    },
  });
}
for (const key of ["compact", "excludeNetwork", "excludeEnv"]) setting(key, "validateBoolean");
for (const key of ["directory", "filename"]) setting(key, "validateString");
setting("signal", "validateString", (name) => {
  const { codes } = require("internal/core/errors");
  const { signals } = require("node:os").constants;
  if (!Object.hasOwn(signals, name as string)) {
    const isLower = Object.hasOwn(signals, (name as string).toUpperCase());
    throw new codes.ERR_UNKNOWN_SIGNAL(`${name}${isLower ? " (signals must use all capital letters)" : ""}`);
  }
  listen(false);
  const on = settings.reportOnSignal;
  settings.signal = name;
  if (on) listen(true);
});
setting("reportOnSignal", "validateBoolean", (on) => listen(on as boolean));
setting("reportOnUncaughtException", "validateBoolean", () => {
  require("internal/process/execution").reporting.uncaught = onUncaught;
});
setting("reportOnFatalError", "validateBoolean");

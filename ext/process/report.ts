// process.report: diagnostic reports (https://nodejs.org/api/report.html).
//
// getReport() and writeReport() work; reports written by a signal, a fatal error or an uncaught exception do not
// exist, and switching them on throws.

const ops = native("process");

/** An address of os.networkInterfaces(). */
type NetworkAddress = Record<"address" | "netmask" | "family" | "mac" | "internal", unknown>;

function notImplemented(what: string): never {
  throw new Error(`process.report.${what} is not implemented`);
}

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

function userLimits(fs: BuiltinModules["node:fs"]): { [key: string]: unknown } {
  const limits: { [key: string]: unknown } = {};
  try {
    for (const line of fs.readFileSync("/proc/self/limits", "utf8").split("\n").slice(1)) {
      const match = /^(.+?)\s{2,}(\S+)\s+(\S+)/.exec(line);
      if (match === null) continue;
      const value = (text: string) => (text === "unlimited" ? text : Number(text));
      limits[match[1]!.toLowerCase().replace(/^max /, "").replaceAll(" ", "_")] = {
        soft: value(match[2]!),
        hard: value(match[3]!),
      };
    }
  } catch {
    // No /proc on this system.
  }
  return limits;
}

function build(error: NodeError | undefined | null) {
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
      ...(report.excludeNetwork
        ? {}
        : {
            networkInterfaces: Object.entries(os.networkInterfaces() as Record<string, NetworkAddress[]>).flatMap(
              ([name, list]) =>
                list.map(({ internal, mac, address, netmask, family }) => ({
                  name,
                  internal,
                  mac,
                  address,
                  netmask,
                  family,
                })),
            ),
          }),
      host: os.hostname(),
    },
    javascriptStack: {
      message: `${shown.name}: ${shown.message}`,
      stack: `${shown.stack}`
        .split("\n")
        .slice(1)
        .map((line) => line.trim()),
      errorProperties: {},
    },
    javascriptHeap: { totalMemory: memory.heapTotal, usedMemory: memory.heapUsed, externalMemory: memory.external },
    nativeStack: [],
    resourceUsage: {
      free_memory: `${os.freemem()}`,
      total_memory: `${os.totalmem()}`,
      rss: `${memory.rss}`,
      available_memory: `${process.availableMemory()}`,
      userCpuSeconds: usage.userCPUTime / 1e6,
      kernelCpuSeconds: usage.systemCPUTime / 1e6,
      cpuConsumptionPercent: ((usage.userCPUTime + usage.systemCPUTime) / 1e6 / process.uptime()) * 100,
      maxRss: `${usage.maxRSS * 1024}`,
      pageFaults: { IORequired: `${usage.majorPageFault}`, IONotRequired: `${usage.minorPageFault}` },
      fsActivity: { reads: usage.fsRead, writes: usage.fsWrite },
    },
    libuv: [],
    workers: [],
    ...(report.excludeEnv ? {} : { environmentVariables: { ...process.env } }),
    userLimits: userLimits(fs),
    sharedObjects: sharedObjects(fs),
  };
}

const flags: Record<string, boolean> = {
  reportOnFatalError: false,
  reportOnSignal: false,
  reportOnUncaughtException: false,
};

const report = {
  compact: false,
  excludeNetwork: false,
  excludeEnv: false,
  directory: "",
  filename: "",
  signal: "SIGUSR2",
  /** The report as an object; `error` gives the stack to show. */
  getReport(error?: NodeError | null | undefined) {
    return build(error);
  },
  /** Writes the report to `file` (by default a name with date, pid and thread in process.report.directory). */
  writeReport(file?: string, error?: NodeError): string {
    if (typeof file === "object" && file !== null) [file, error] = [undefined, file];
    if (file !== undefined) (require("internal/core/validators").validateString as Check)(file, "file");
    const now = new Date();
    const pad = (n: number) => `${n}`.padStart(2, "0");
    const name =
      file ||
      report.filename ||
      `report.${now.getFullYear()}${pad(now.getMonth() + 1)}${pad(now.getDate())}.` +
        `${pad(now.getHours())}${pad(now.getMinutes())}${pad(now.getSeconds())}.${ops.pid()}.${ops.threadId()}.001.json`;
    const content = build(error);
    content.header.filename = name;
    content.header.trigger = "API";
    const path = require("node:path").resolve(report.directory || ".", name);
    require("node:fs").writeFileSync(path, `${JSON.stringify(content, null, report.compact ? undefined : 2)}\n`);
    return name;
  },
};
for (const key of Object.keys(flags)) {
  Object.defineProperty(report, key, {
    enumerable: true,
    configurable: true,
    get: () => flags[key],
    set(value: unknown) {
      (require("internal/core/validators").validateBoolean as Check)(value, key);
      if (value) notImplemented(key);
    },
  });
}

export default report;

// `node:os` (https://nodejs.org/api/os.html).
import { codes, hideStackFrames } from "internal/core/errors";
import { validateInt32 } from "internal/core/validators";

const os = native("os");
const { defineProperty } = Object;
const isWindows = process.platform === "win32";

/** Makes `${os.hostname}` read as the value, as in Node. */
function asPrimitive<F extends (...args: unknown[]) => unknown>(fn: F): F {
  (fn as any)[Symbol.toPrimitive] = () => fn();
  return fn;
}

/** Runs a native call; its failure becomes Node's SystemError, without the frames of this module. */
const system = hideStackFrames((call: (...args: any[]) => any, ...args: any[]) => {
  try {
    return call(...args);
  } catch (error: any) {
    throw new codes.ERR_SYSTEM_ERROR(context(error));
  }
});

/** The parts of a native error, whose message is "CODE: text, syscall". */
function context(error: NodeError) {
  const { code, errno, syscall } = error;
  const message = String(error.message).slice(`${code}: `.length, -`, ${syscall}`.length);
  return { errno, code, message, syscall };
}

let names: string[] | undefined;
/** [sysname, version, release, machine] */
function uname(): string[] {
  return (names ??= os.uname() as string[]);
}

/** Instruction set the executable was compiled for, as process.arch. */
function arch(): string {
  return process.arch;
}

function platform(): string {
  return process.platform;
}

/** Name of the operating system as uname gives it: "Linux", "Darwin". */
function getOSType(): string {
  return uname()[0]!;
}

function getOSVersion(): string {
  return uname()[1]!;
}

function getOSRelease(): string {
  return uname()[2]!;
}

/** Machine type as uname gives it: "x86_64", "aarch64". */
function getMachine(): string {
  return uname()[3]!;
}

function hostname(): string {
  return system(os.hostname);
}

/** Home directory: the variable HOME if it is set, else the user database. Throws SystemError without an entry. */
function homedir(): string {
  return process.env.HOME ?? system(os.homeDirectory);
}

/** Seconds since the system started, with fractions. */
function uptime(): number {
  return system(os.uptime);
}

/** Number of threads worth starting: the CPUs the process may use, within the limit of its control group. */
function getAvailableParallelism(): number {
  return os.availableParallelism();
}

/** Available memory in bytes. */
function getFreeMem(): number {
  return os.freeMemory();
}

/** Memory in bytes. */
function getTotalMem(): number {
  return os.totalMemory();
}

/** Byte order: "LE" or "BE". */
function endianness(): "LE" | "BE" {
  return new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? "LE" : "BE";
}

/** Load averages over 1, 5 and 15 minutes. */
function loadavg(): number[] {
  return Array.from(os.loadavg());
}

/** One entry per logical CPU: model, speed in MHz, times in milliseconds. Throws SystemError. */
function cpus() {
  return system(os.cpus).map(([model, speed, user, nice, sys, idle, irq]: unknown[]) => ({
    model,
    speed,
    times: { user, nice, sys, idle, irq },
  }));
}

/** Addresses of the interfaces that are up, by interface name. Throws SystemError. */
function networkInterfaces() {
  const result: Record<string, unknown[]> = {};
  for (const [name, address, netmask, version, mac, internal, scopeid, prefix] of system(os.networkInterfaces)) {
    const entry: any = {
      address,
      netmask,
      family: version === 4 ? "IPv4" : "IPv6",
      mac,
      internal,
      cidr: prefix === -1 ? null : `${address}/${prefix}`,
    };
    if (version === 6) entry.scopeid = scopeid;
    if (Object.hasOwn(result, name)) result[name]!.push(entry);
    else result[name] = [entry];
  }
  return result;
}

/** Directory for temporary files: TMPDIR, TMP, TEMP, else "/tmp"; no slash at its end. */
function tmpdir(): string {
  if (isWindows) {
    const { env } = process;
    const path = env.TEMP || env.TMP || `${env.SystemRoot || env.windir}\\temp`;
    return path.length > 1 && path.endsWith("\\") && !path.endsWith(":\\") ? path.slice(0, -1) : path;
  }
  const { TMPDIR, TMP, TEMP } = process.env;
  const path = TMPDIR || TMP || TEMP || "/tmp";
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Nice value of a process (0: this one). Throws SystemError, e.g. ESRCH. */
function getPriority(pid?: number): number {
  if (pid === undefined) pid = 0;
  else validateInt32(pid, "pid");
  return system(os.getPriority, pid);
}

/** os.setPriority([pid, ] priority): nice value from -20 (favoured) to 19. Throws SystemError, e.g. EACCES. */
function setPriority(pid: number, priority?: number): void {
  if (priority === undefined) {
    priority = pid;
    pid = 0;
  }
  validateInt32(pid, "pid");
  validateInt32(priority, "priority", -20, 19);
  system(os.setPriority, pid, priority);
}

/**
 * The entry of the process's user in the user database: uid, gid, username, homedir, shell.
 * @param options `encoding` of the texts, "buffer" for Buffers
 */
function userInfo(options?: { encoding?: string }) {
  let encoding =
    options !== null && (typeof options === "object" || typeof options === "function") ? options.encoding : "utf8";
  if (encoding !== "buffer" && !Buffer.isEncoding(encoding)) encoding = "utf8";
  const [uid, gid, ...texts] = system(os.userInfo);
  const [username, homedir, shell] = texts.map((bytes: Uint8Array) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return encoding === "buffer" ? buffer : buffer.toString(encoding);
  });
  return { __proto__: null, uid, gid, username, homedir, shell: isWindows ? null : shell };
}

/** A null-prototype object of one group of constants, each of them read-only. */
function group(name: string): Record<string, number> {
  const [keys, values] = os.constants(name);
  const out = Object.create(null);
  for (let i = 0; i < keys.length; i++) defineProperty(out, keys[i], { value: values[i], enumerable: true });
  return out;
}

function buildConstants() {
  const signals = group("signals");
  return {
    __proto__: null,
    UV_UDP_REUSEADDR: 4,
    dlopen: group("dlopen"),
    errno: group("errno"),
    signals: Object.freeze(signals),
    priority: group("priority"),
  };
}

const exported: any = {
  arch: asPrimitive(arch),
  availableParallelism: asPrimitive(getAvailableParallelism),
  cpus,
  endianness: asPrimitive(endianness),
  freemem: asPrimitive(getFreeMem),
  getPriority,
  homedir: asPrimitive(homedir),
  hostname: asPrimitive(hostname),
  loadavg,
  networkInterfaces,
  platform: asPrimitive(platform),
  release: asPrimitive(getOSRelease),
  setPriority,
  tmpdir: asPrimitive(tmpdir),
  totalmem: asPrimitive(getTotalMem),
  type: asPrimitive(getOSType),
  userInfo,
  uptime: asPrimitive(uptime),
  version: asPrimitive(getOSVersion),
  machine: asPrimitive(getMachine),
};
Object.defineProperties(exported, {
  constants: { configurable: false, enumerable: true, writable: false, value: buildConstants() },
  EOL: { configurable: true, enumerable: true, writable: false, value: isWindows ? "\r\n" : "\n" },
  devNull: { configurable: true, enumerable: true, writable: false, value: isWindows ? "\\\\.\\nul" : "/dev/null" },
});

export default exported;

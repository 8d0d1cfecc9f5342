// Calls everything that built-in modules export with odd arguments, and reports what ends the process:
//
//     bao tools/monkey.mjs [--seconds 60] [--stress N] [--module NAME ...] [--patience 20]
//         (--stress: BAO_GC_STRESS of the processes; --patience: seconds of one of them, for a machine that does other things)
//     bao tools/monkey.mjs --run SEED MODULE CALLS [LOG]                      one process, to repeat a find
//
// Exceptions, rejections and refusals are answers; a signal, a panic or an exit code of a crash is a defect. Each process makes CALLS calls, chosen
// by SEED, and writes the call that it is about to make to LOG. Exit code 1 if anything crashed.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { outcome } from "./processes.mjs";
import { generator } from "./random.mjs";

const CALLS = 300;
/** Seconds for one process if nothing is said; a call may wait for ever, or fill the heap. */
const PATIENCE = "20";
/**
 * Calls that end or block the process, change what the driver stands on, or delete files that are not the monkey's; that start programs or
 * write into what belongs to the user; and `FFI`, which takes addresses of memory at its word.
 */
const LEFT_OUT = new Set(
  `exit reallyExit abort kill _kill dlopen execve chroot setuid setgid seteuid setegid setgroups initgroups umask chdir _debugEnd
  _debugProcess wait sleepSync fork disconnect rmSync rm rmdir rmdirSync unlink unlinkSync rename renameSync createServer REPLServer start
  prompt alert confirm debugger writeHeapSnapshot setFlagsFromString startupSnapshot gc readSync readFileSync readv openAsBlob cp cpSync
  truncate truncateSync chmod chmodSync lchmod chown chownSync lchown symlink symlinkSync link linkSync mkdtemp mkdir mkdirSync fullGC
  shrink segfault unsafe FFI cron openInEditor secrets WebView $ build`.split(/\s+/),
);
/** Properties that lead out of the module. */
const NOT_ENTERED = new Set(["env", "argv", "mainModule", "stdout", "stderr", "stdin", "children", "parent", "cache"]);
/** Modules whose functions read the terminal, or that start what goes on by itself. */
const NOT_CALLED = new Set(["repl", "cluster", "inspector", "inspector/promises", "sea", "node:sea", "bun:ffi"]);

if (process.argv[2] === "--run") run(process.argv.slice(3));
else process.exitCode = await drive();

/** Starts processes until the time is over, two at once; the exit code. */
async function drive() {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      stress: { type: "string" },
      module: { type: "string", multiple: true },
      patience: { type: "string", default: PATIENCE },
    },
  });
  const own = builtinModules.filter(
    (name) => !name.startsWith("_") && !name.startsWith("internal/") && !NOT_CALLED.has(name),
  );
  const modules = values.module ?? ["globals", "Bun", ...own];
  const end = Date.now() + Number(values.seconds) * 1000;
  const scratch = mkdtempSync(join(tmpdir(), "bao-monkey-"));
  const env = { ...process.env, ...(values.stress === undefined ? {} : { BAO_GC_STRESS: values.stress }) };
  const found = new Map();
  let runs = 0;
  let calls = 0;
  const one = async (lane) => {
    while (Date.now() < end) {
      const name = modules[Math.floor(Math.random() * modules.length)];
      const seed = 1 + Math.floor(Math.random() * 0x7ffffffe);
      const log = join(scratch, `log${lane}`);
      const words = [fileURLToPath(import.meta.url), "--run", String(seed), name, String(CALLS), log];
      writeFileSync(log, "");
      const { code, signal, output } = await outcome(words, { cwd: scratch, env }, Number(values.patience), 4000);
      runs++;
      // One that was ended for its time made fewer calls than it should.
      const last = readFileSync(log, "utf8").trim();
      calls += last === "" ? 0 : Number(last.split(" ")[0]) + 1;
      if (signal === "SIGKILL" || !crashed(code, signal, output)) continue;
      const called = last.split(" ")[1] ?? "?";
      found.set(called, (found.get(called) ?? 0) + 1);
      if (found.get(called) > 1) continue;
      console.log(
        `${signal ?? code} in ${name}: ${last.slice(0, 200)}\n  repeat: bao tools/monkey.mjs --run ${seed} ${name} ${CALLS}`,
      );
      console.log(output.slice(-400));
    }
  };
  await Promise.all([one(0), one(1)]);
  rmSync(scratch, { recursive: true, force: true });
  console.error(`${calls} calls in ${runs} processes, ${found.size} places that crash`);
  return found.size > 0 ? 1 : 0;
}

function crashed(code, signal, output) {
  return signal !== null || [70, 101, 132, 133, 134, 136, 139].includes(code) || output.includes("panicked");
}

/** One process: chooses and calls. */
function run([seedText, name, calls, log]) {
  const random = generator(Number(seedText));
  const reallyExit = process.reallyExit;
  process.on("uncaughtException", () => {});
  process.on("unhandledRejection", () => {});
  const functions = functionsOf(name);
  for (const word of ["exit", "abort", "kill"]) {
    process[word] = () => {
      throw new Error(`${word} is not for monkeys`);
    };
  }
  const pick = argumentsFrom(random);
  /** Results of earlier calls: receivers of later ones. */
  const instances = [];
  for (let i = 0; i < Number(calls) && functions.length > 0; i++) {
    const { path, callee, receiver } = functions[random(functions.length)];
    const values = Array.from({ length: random(5) }, pick);
    if (log !== undefined) writeFileSync(log, `${i} ${path} ${values.map(shown).join(" | ")}\n`);
    try {
      const how = random(6);
      let result;
      if (how === 0) result = new callee(...values);
      else if (how === 1) result = Reflect.apply(callee, pick(), values);
      else if (how === 2 && instances.length > 0)
        result = Reflect.apply(callee, instances[random(instances.length)], values);
      else result = Reflect.apply(callee, receiver, values);
      keep(instances, result);
    } catch {}
  }
  setTimeout(() => reallyExit.call(process, 0), 20);
}

function keep(instances, result) {
  if (result === null || typeof result !== "object") return;
  if (instances.length > 30) instances.shift();
  instances.push(result);
  if (typeof result.then === "function")
    result.then(
      () => {},
      () => {},
    );
  if (typeof result.on === "function") result.on("error", () => {});
  if (typeof result.unref === "function") result.unref();
}

function shown(value) {
  try {
    return typeof value === "object" ? Object.prototype.toString.call(value) : String(value).slice(0, 30);
  } catch {
    return "?";
  }
}

/** All functions, methods and getters that can be reached from a module's exports, three steps deep. */
function functionsOf(name) {
  const found = [];
  const seen = new Set();
  const walk = (object, path, depth) => {
    if (object === null || (typeof object !== "object" && typeof object !== "function")) return;
    if (depth > 3 || seen.has(object)) return;
    seen.add(object);
    let keys;
    try {
      keys = Reflect.ownKeys(object);
    } catch {
      return;
    }
    for (const key of keys) {
      if (LEFT_OUT.has(key) || NOT_ENTERED.has(key)) continue;
      const place = `${path}.${String(key).replace(/\s/g, "")}`;
      let value;
      try {
        const { get, value: own } = Object.getOwnPropertyDescriptor(object, key);
        if (get !== undefined) found.push({ path: `get:${place}`, callee: get, receiver: object });
        value = get === undefined ? own : path.endsWith("prototype") ? undefined : object[key];
      } catch {
        continue;
      }
      if (typeof value === "function") found.push({ path: place, callee: value, receiver: object });
      walk(value, place, depth + 1);
    }
  };
  if (name === "globals") {
    const others = ["globalThis", "global", "self", "process", "require", "Atomics", "WebAssembly", "Bun"];
    for (const key of Object.getOwnPropertyNames(globalThis)) {
      if (others.includes(key) || LEFT_OUT.has(key)) continue;
      const value = globalThis[key];
      if (typeof value === "function") found.push({ path: key, callee: value, receiver: undefined });
      walk(value, key, 1);
    }
  } else {
    walk(name === "Bun" ? globalThis.Bun : createRequire(import.meta.url)(name), name, 0);
  }
  return found;
}

/** Values that a careless native function trips over: wrong types, edges of numbers, detached, shrinking and shared buffers, throwing objects. */
function argumentsFrom(random) {
  const detached = () => {
    const bytes = new Uint8Array(16);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    return bytes;
  };
  const throwing = () => ({
    valueOf() {
      if (random(3) === 0) throw new Error("valueOf");
      return random(100) - 50;
    },
    toString() {
      if (random(3) === 0) throw new Error("toString");
      return "odd";
    },
    get length() {
      return random(5) > 0 ? 3 : 2 ** 40;
    },
  });
  /** Bytes, or a number whose reading makes these bytes shorter. */
  const shrinking = () => {
    const buffer = new ArrayBuffer(64, { maxByteLength: 128 });
    const resizing = {
      valueOf() {
        buffer.resize(random(65));
        return random(64);
      },
    };
    return [new Uint8Array(buffer), resizing];
  };
  const proxy = () =>
    new Proxy(
      {},
      {
        get(_, key) {
          if (random(4) === 0) throw new Error("proxy");
          return key === Symbol.toPrimitive ? () => 1 : undefined;
        },
      },
    );
  const endless = () => ({ [Symbol.iterator]: () => ({ next: () => ({ done: random(3) === 0, value: 1 }) }) });
  const plain = [
    undefined,
    null,
    true,
    0,
    -0,
    -1,
    1,
    1.5,
    NaN,
    Infinity,
    -Infinity,
    1e21,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    -(2 ** 31) - 1,
    "",
    "a",
    "utf8",
    "latin1",
    "sha256",
    "aes-256-gcm",
    "é\u{1F600}",
    "\ud800",
    "./none",
    "\0",
    "http://[::1]:1/",
    10n,
    2n ** 70n,
    Symbol("s"),
    Symbol.iterator,
    globalThis,
    process,
  ];
  const made = [
    () => "x".repeat(random(5000)),
    () => ({}),
    () => [],
    () => Object.assign([1], { 2: 3 }),
    () => new Array(2 ** 20),
    () => () => 1,
    () => async () => 1,
    () => () => {
      throw new Error("callback");
    },
    () => new Uint8Array(8),
    () => Buffer.from("hello"),
    detached,
    () => new DataView(new ArrayBuffer(3)),
    () => new Float64Array(2),
    () => new SharedArrayBuffer(8),
    () => new Uint8Array(new SharedArrayBuffer(8)),
    () => new Map([[1, 2]]),
    () => new Set([1]),
    () => new WeakMap(),
    () => new Date(NaN),
    () => /x/gu,
    proxy,
    () => new Proxy(() => {}, {}),
    throwing,
    () => Object.create(null),
    () => Promise.resolve(1),
    () => new Error("error"),
    () => new URL("file:///x"),
    () => new AbortController().signal,
    () => AbortSignal.abort(),
    () => new ReadableStream(),
    () => new Blob(["x"]),
    () => ({ encoding: "nope", flag: -1, signal: 1, length: -5, highWaterMark: -1 }),
    endless,
    () => Object.freeze([1, 2]),
    () => new Uint8Array(new ArrayBuffer(8, { maxByteLength: 16 })),
    () => shrinking()[0],
    () => shrinking()[1],
  ];
  return () => {
    const index = random(plain.length + made.length);
    return index < plain.length ? plain[index] : made[index - plain.length]();
  };
}

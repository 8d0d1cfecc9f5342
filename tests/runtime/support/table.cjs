// Wrong arguments for several hundred functions of Node's modules. Usage: PROGRAM table.cjs ANSWERS.json
// Each function is called with each of the values below in place of its first argument (and, where `at` says so, of a later
// one). What it throws, or the promise rejects with, is an answer: class, code, message. Functions that take anything are left out, so
// are those whose effect would outlive the test: process.kill(-1) ends every process of the machine.
"use strict";

// Made anew for each call: some functions keep or change what they get.
const values = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  "1.5": () => 1.5,
  "-1": () => -1,
  NaN: () => NaN,
  "{}": () => ({}),
  "[]": () => [],
  "function": () => () => {},
  symbol: () => Symbol("x"),
  "10n": () => 10n,
  "'\\0'": () => "\0",
};

const noop = () => {};
// module: [name, arguments before, arguments after] or a name alone. `*` marks what returns a promise.
const table = {
  fs: [
    ...["accessSync", "readFileSync", "readdirSync", "statSync", "lstatSync", "unlinkSync", "rmdirSync", "readlinkSync", "realpathSync", "openSync", "mkdirSync",
      "opendirSync", "statfsSync", "mkdtempSync", "rmSync", "closeSync", "fsyncSync", "fdatasyncSync", "fstatSync", "ftruncateSync", "truncateSync"],
    ...["writeFileSync", "appendFileSync"].map((name) => [name, [], ["x"]]),
    ...["renameSync", "linkSync", "copyFileSync", "symlinkSync", "cpSync"].flatMap((name) => [[name, [], ["/nonexistent/b"]], [name, ["/nonexistent/a"], []]]),
    ...["chmodSync", "lchownSync", "chownSync"].flatMap((name) => [[name, [], [0, 0]], [name, ["/nonexistent/a"], [0]]]),
    ...["utimesSync", "lutimesSync"].map((name) => [name, [], [0, 0]]),
    ["fchmodSync", [], [0]], ["fchownSync", [], [0, 0]], ["futimesSync", [], [0, 0]], ["readSync", [], [Buffer.alloc(1)]], ["writeSync", [], ["x"]],
    ["readSync", [0], []], ["writevSync", [], [[]]], ["readvSync", [], [[]]], ["readFileSync", ["/nonexistent/a"], []], ["openSync", ["/nonexistent/a"], []],
    ["accessSync", ["/nonexistent/a"], []], ["mkdirSync", ["/nonexistent/a"], []], ["rmSync", ["/nonexistent/a"], []], ["readdirSync", ["/nonexistent/a"], []],
    ["truncateSync", ["/nonexistent/a"], []],
    ...["access", "readFile", "readdir", "stat", "lstat", "unlink", "rmdir", "readlink", "realpath", "open", "mkdir", "opendir", "statfs", "mkdtemp", "rm", "close",
      "fsync", "fdatasync", "fstat", "exists"].flatMap((name) => [[name, [], [noop]],
      // Node's rm does not look at the callback before the file.
      ...(name === "rm" ? [] : [[name, ["/nonexistent/a"], []]])]),
    ...["rename", "link", "copyFile", "symlink"].map((name) => [name, [], ["/nonexistent/b", noop]]),
    ...["chmod", "chown", "lchown", "utimes", "lutimes"].map((name) => [name, [], [0, 0, noop]]),
    ["createReadStream"], ["createWriteStream"], ["watchFile", [], [noop]], ["watchFile", ["/nonexistent/a", {}], []], ["watch"], ["fchmod", [], [0, noop]],
    ["write", [], ["x", noop]], ["read", [], [Buffer.alloc(1), 0, 1, 0, noop]], ["writeFile", [], ["x", noop]], ["appendFile", [], ["x", noop]],
    ["createReadStream", ["/nonexistent/a"], []], ["globSync"], ["existsSync", []],
  ],
  "fs/promises": ["access", "readFile", "readdir", "stat", "lstat", "unlink", "rmdir", "readlink", "realpath", "open", "mkdir", "opendir", "statfs", "mkdtemp", "rm",
    "chmod", "chown", "utimes", "truncate", "copyFile", "rename", "link", "symlink", "cp", "writeFile", "appendFile"].map((name) => [name, [], ["/nonexistent/b"]]),
  path: [
    ...["basename", "dirname", "extname", "isAbsolute", "join", "normalize", "parse", "resolve", "format"],
    ["basename", ["a"], []], ["relative", [], ["b"]], ["relative", ["a"], []], ["matchesGlob", [], ["*"]],
  ],
  "path/win32": ["basename", "dirname", "extname", "isAbsolute", "join", "normalize", "parse", "resolve", "format"],
  url: ["parse", "fileURLToPath", "pathToFileURL", "domainToASCII", "domainToUnicode", "urlToHttpOptions", ["resolve", [], ["b"]], ["format"]],
  querystring: ["unescapeBuffer"],
  util: [
    ...["promisify", "callbackify", "debuglog", "deprecate", "stripVTControlCharacters", "parseEnv", "toUSVString", "getSystemErrorName", "getSystemErrorMessage",
      "aborted", "transferableAbortSignal", "getCallSites"].map((name) => [name]),
    ["inherits", [], [noop]], ["inherits", [noop], []], ["styleText", [], ["x"]], ["styleText", ["red"], []], ["deprecate", [noop, "m"], []],
    ["inspect", [{}], []], ["formatWithOptions", [], ["x"]], ["aborted", [new AbortController().signal], []], ["diff", [], ["a"]],
  ],
  assert: [
    ["throws"], ["rejects"], ["doesNotThrow"], ["doesNotReject"], ["match"], ["match", ["x"], []], ["doesNotMatch", ["x"], []], ["ok"], ["ifError"], ["fail"],
    ["throws", [() => { throw new Error("x"); }], []], ["strictEqual", [1], []], ["deepStrictEqual", [[1]], []], ["notStrictEqual"], ["equal"],
  ],
  events: [
    ["once"], ["on"], ["getEventListeners"], ["setMaxListeners"], ["listenerCount"], ["addAbortListener"], ["once", [process], [{ signal: 1 }]],
    ["setMaxListeners", [1], []], ["getMaxListeners"],
  ],
  stream: [
    ["pipeline"], ["finished"], ["finished", [process.stdin], []], ["compose"], ["addAbortSignal"], ["setDefaultHighWaterMark", [false], []], ["setDefaultHighWaterMark"],
    ["getDefaultHighWaterMark", []],
  ],
  "stream/promises": [["finished"], ["pipeline"]],
  timers: ["setTimeout", "setInterval", "setImmediate"],
  "timers/promises": [["setTimeout", [1, 1], []], ["setImmediate", [1], []]],
  buffer: [
    ["isUtf8"], ["isAscii"], ["atob"], ["btoa"], ["transcode"], ["transcode", [Buffer.from("x")], ["utf8"]], ["resolveObjectURL"], ["constants.x"],
  ],
  crypto: [
    ["createHash"], ["createHmac"], ["createHmac", ["sha256"], []], ["randomBytes"], ["randomInt"], ["randomInt", [1], []], ["randomFillSync"], ["randomUUID"],
    ["timingSafeEqual"], ["timingSafeEqual", [Buffer.alloc(1)], []], ["pbkdf2Sync"], ["pbkdf2Sync", ["p"], ["s", 1, 1, "sha1"]], ["pbkdf2Sync", ["p", "s"], [1, "sha1"]],
    ["pbkdf2Sync", ["p", "s", 1], ["sha1"]], ["pbkdf2Sync", ["p", "s", 1, 1], []], ["scryptSync"], ["scryptSync", ["p"], [1]], ["scryptSync", ["p", "s"], []],
    ["hkdfSync"], ["hkdfSync", ["sha1"], ["k", "s", "i", 1]], ["hkdfSync", ["sha1", "k", "s", "i"], []], ["randomFill"], ["randomBytes", [1], []], ["hash"],
    ["hash", ["sha1"], []], ["hash", ["sha1", "x"], []], ["getRandomValues"], ["getHashes.x"],
  ],
  zlib: [
    ...["gzipSync", "gunzipSync", "deflateSync", "inflateSync", "brotliCompressSync", "brotliDecompressSync", "deflateRawSync", "inflateRawSync", "unzipSync",
      "zstdCompressSync", "zstdDecompressSync", "crc32"],
    ["crc32", ["x"], []], ["createGzip"], ["createBrotliCompress"], ["gzip", [], [noop]], ["gzipSync", ["x"], []], ["inflateSync", [Buffer.from([1])], []],
    ["createDeflate", [], []],
  ],
  os: [["setPriority", [0], []], ["getPriority"], ["userInfo"]],
  dns: [["setServers"], ["lookup"], ["lookup", ["localhost"], []], ["resolve", ["localhost"], []], ["lookupService"], ["lookupService", ["127.0.0.1"], [noop]], ["reverse", [], [noop]],
    ["setDefaultResultOrder"]],
  net: [["createServer", []], ["isIP"], ["setDefaultAutoSelectFamily"], ["setDefaultAutoSelectFamilyAttemptTimeout"]],
  http: [["validateHeaderName"], ["validateHeaderValue", ["x"], []], ["setMaxIdleHTTPParsers"], ["request", [{ path: "/ x" }], []], ["get", [{ method: 1 }], []]],
  child_process: [["spawn"], ["spawn", ["x"], []], ["exec"], ["execFile"], ["execFileSync"], ["execSync"], ["spawnSync"], ["fork"], ["spawnSync", ["x", []], []],
    ["execFile", ["x"], [1]]],
  readline: [["clearLine"], ["clearScreenDown"], ["cursorTo"], ["cursorTo", [process.stdout], []], ["moveCursor"], ["emitKeypressEvents"], ["createInterface"]],
  vm: [["createContext"], ["runInContext", ["1"], []], ["runInContext"], ["runInNewContext"], ["runInThisContext"], ["compileFunction"], ["compileFunction", ["1"], []], ["isContext"],
    ["runInNewContext", ["1"], []], ["createContext", [{}], []]],
  v8: [["setFlagsFromString"], ["deserialize"], ["setHeapSnapshotNearHeapLimit"]],
  module: [["createRequire"], ["isBuiltin"], ["findPackageJSON"], ["register"], ["registerHooks"]],
  perf_hooks: [["createHistogram"], ["monitorEventLoopDelay"]],
  diagnostics_channel: [["channel"], ["subscribe"], ["subscribe", ["x"], []], ["hasSubscribers"], ["tracingChannel"], ["unsubscribe", ["x"], []]],
  async_hooks: [["createHook"]],
  string_decoder: [["StringDecoder.x"]],
  worker_threads: [["setEnvironmentData.x"]],
};

// Methods: [label, a function that gives the receiver, names]
const methods = [
  ["Buffer", () => Buffer, [["alloc"], ["allocUnsafe"], ["allocUnsafeSlow"], ["from"], ["concat"], ["concat", [[]], []], ["compare"], ["compare", [Buffer.alloc(1)], []], ["byteLength"],
    ["copyBytesFrom"], ["alloc", [1], []], ["of.x"]]],
  ["buffer", () => Buffer.alloc(8), [
    ...["readUInt8", "readInt8", "readUInt16LE", "readUInt16BE", "readInt16LE", "readInt16BE", "readUInt32LE", "readUInt32BE", "readInt32LE", "readInt32BE", "readBigInt64LE",
      "readBigUInt64BE", "readFloatLE", "readFloatBE", "readDoubleLE", "readDoubleBE"].map((name) => [name]),
    ...["writeUInt8", "writeInt8", "writeUInt16LE", "writeInt16BE", "writeUInt32LE", "writeInt32BE", "writeBigInt64LE", "writeBigUInt64BE"].flatMap((name) => [[name, [], [0]]]),
    ...["writeFloatLE", "writeDoubleBE"].map((name) => [name, [1], []]),
    ["readUIntLE", [0], []], ["readIntBE", [0], []], ["readUIntBE", [], [1]], ["writeUIntLE", [1, 0], []], ["writeIntBE", [1], [1]], ["fill", [0], []], ["indexOf"], ["includes"],
    ["lastIndexOf"], ["equals"], ["compare"], ["copy"], ["write"], ["toString"], ["swap16.x"], ["write", ["x", 0, 1], []], ["slice.x"], ["compare", [Buffer.alloc(8)], []], ["copy", [Buffer.alloc(8)], []],
  ]],
  ["emitter", () => new (require("events"))(), [["on"], ["on", ["x"], []], ["once", ["x"], []], ["prependListener", ["x"], []], ["off", ["x"], []], ["setMaxListeners"], ["emit", ["error"], []],
    ["listenerCount", ["x"], []]]],
  ["url", () => new URL("http://a/"), [["searchParams.x"]]],
  ["URL", () => globalThis, [["URL.canParse.x"]]],
  ["searchParams", () => new URLSearchParams(), [["append"], ["get.x"], ["forEach"], ["set"]]],
  ["readable", () => new (require("stream").Readable)({ read() {} }), [["setEncoding"], ["push"], ["unshift"], ["pipe"], ["map"], ["filter"], ["take"], ["drop"], ["reduce"], ["forEach"],
    ["compose"], ["iterator"], ["flatMap"], ["some"], ["every"], ["find"]]],
  ["writable", () => new (require("stream").Writable)({ write() {} }), [["write"], ["setDefaultEncoding"], ["end"], ["write", ["x"], []]]],
  ["hash", () => require("crypto").createHash("sha1"), [["update"], ["update", ["x"], []], ["digest"]]],
  ["hmac", () => require("crypto").createHmac("sha1", "k"), [["update"], ["digest"]]],
  ["process", () => process, [["chdir"], ["nextTick"], ["hrtime"], ["emitWarning"], ["cpuUsage"], ["setUncaughtExceptionCaptureCallback"], ["setSourceMapsEnabled"], ["loadEnvFile"], ["getBuiltinModule"], ["ref"], ["unref"], ["threadCpuUsage"]]],
  ["socket", () => new (require("net").Socket)(), [["setTimeout"], ["setTimeout", [1], []], ["connect"], ["write"], ["connect", [{ port: 1, host: 1 }], []]]],
  ["server", () => require("net").createServer(), [["listen"]]],
  ["blocklist", () => new (require("net").BlockList)(), [["addAddress"], ["addAddress", ["1.1.1.1"], []], ["addRange", ["1.1.1.1"], []], ["addSubnet", ["1.1.1.1"], []], ["check"]]],
  ["dgram", () => require("dgram"), [["createSocket"]]],
  ["udp", () => require("dgram").createSocket("udp4").unref(), [["send"], ["setTTL.x"], ["connect"], ["addMembership.x"]]],
  ["outgoing", () => new (require("http").OutgoingMessage)(), [["setHeader"], ["setHeader", ["x"], []], ["getHeader"], ["hasHeader"], ["removeHeader"], ["appendHeader", ["x"], []], ["setHeaders"], ["write"]]],
  ["agent", () => new (require("http").Agent)(), [["createConnection.x"]]],
  ["controller", () => AbortSignal, [["timeout"], ["any"]]],
  ["eventTarget", () => new EventTarget(), [["addEventListener"], ["addEventListener", ["x"], []], ["dispatchEvent"], ["removeEventListener", ["x"], []]]],
  ["decoder", () => new TextDecoder(), [["decode"]]],
  ["encoder", () => new TextEncoder(), [["encodeInto"], ["encodeInto", ["x"], []]]],
  ["global", () => globalThis, [["queueMicrotask"], ["structuredClone"], ["atob"], ["btoa"], ["setTimeout"], ["setInterval"], ["setImmediate"]]],
  ["performance", () => performance, [["mark"], ["measure"], ["timerify"], ["measure", ["x"], []], ["getEntriesByName"]]],
  ["als", () => new (require("async_hooks").AsyncLocalStorage)(), [["run", [1], []]]],
  ["asyncResource", () => require("async_hooks").AsyncResource, [["bind"]]],
  ["script", () => new (require("vm").Script)("1"), [["runInContext"], ["runInNewContext"], ["runInThisContext"]]],
  ["histogram", () => require("perf_hooks").createHistogram(), [["record"], ["percentile"], ["add"]]],
  ["mime", () => new (require("util").MIMEType)("a/b").params, [["set", ["x"], []], ["get"]]],
  ["construct", () => ({
    Buffer: (value) => new Buffer(value), URL: (value) => new URL(value), StringDecoder: (value) => new (require("string_decoder").StringDecoder)(value),
    EventEmitter: (value) => new (require("events"))(value), Readable: (value) => new (require("stream").Readable)({ highWaterMark: value }), Script: (value) => new (require("vm").Script)(value),
    AsyncResource: (value) => new (require("async_hooks").AsyncResource)(value), TextDecoder: (value) => new TextDecoder(value), Blob: (value) => new Blob(value),
    MIMEType: (value) => new (require("util").MIMEType)(value), Interface: (value) => require("readline").createInterface({ input: process.stdin, historySize: value, terminal: false }).close(),
    AssertionError: (value) => new (require("assert").AssertionError)(value), PerformanceObserver: (value) => new PerformanceObserver(value), SocketAddress: (value) => new (require("net").SocketAddress)(value),
    TTYRead: (value) => new (require("tty").ReadStream)(value), Console: (value) => new console.Console(value), Duplex: (value) => require("stream").Duplex.from(value), AbortAny: (value) => AbortSignal.any(value),
    URLPattern: (value) => new URLPattern(value), File: (value) => new File(value, "x"), Event: (value) => new Event("x", value), CountQueuingStrategy: (value) => new CountQueuingStrategy(value),
    ReadableStream: (value) => new ReadableStream(value), WritableStream: (value) => new WritableStream(value), TransformStream: (value) => new TransformStream(value),
    DOMException: (value) => new DOMException(value), CustomEvent: (value) => new CustomEvent("x", value), Agent: (value) => new (require("http").Agent)(value),
  }), ["Buffer", "URL", "StringDecoder", "EventEmitter", "Readable", "Script", "AsyncResource", "TextDecoder", "Blob", "MIMEType", "Interface", "AssertionError", "PerformanceObserver", "SocketAddress",
    "TTYRead", "Console", "Duplex", "URLPattern", "File", "Event", "CountQueuingStrategy", "ReadableStream", "WritableStream", "TransformStream", "CustomEvent", "Agent"].map((name) => [name])],
];

const answers = {};
const pending = [];

// How messages show the values; the file of answers has "Received …" instead, so that one line serves for many values.
const received = {
  undefined: "undefined", null: "null", true: "type boolean (true)", "1.5": "type number (1.5)", "-1": "type number (-1)", NaN: "type number (NaN)", "{}": "an instance of Object",
  "[]": "an instance of Array", function: "function ", symbol: "type symbol (Symbol(x))", "10n": "type bigint (10n)", "'\\0'": "type string ('",
};

/** Class, code and message. Where there is no code the message is the engine's, and only the class is compared. */
function tell(error, shown) {
  if (error === null || typeof error !== "object") return `threw ${typeof error}`;
  if (error.code === undefined) return error.name;
  // Node's native checks show a text up to its first NUL.
  let message = String(error.message).split(/\n|\0/)[0].replaceAll(process.cwd(), ".");
  if (message.endsWith(`Received ${received[shown]}`)) message = message.slice(0, -received[shown].length) + "\u2026";
  return [error.name, error.code, message].join(" | ");
}

function ask(label, receiver, entry) {
  const [name, before = [], after = []] = typeof entry === "string" ? [entry] : entry;
  if (name.endsWith(".x")) return;
  const place = before.length === 0 ? "" : `#${before.length}`;
  const called = `${label}.${name}${place}`;
  const row = answers[called] ??= {};
  const fn = receiver()[name];
  if (typeof fn !== "function") {
    row.missing = true;
    return;
  }
  for (const [shown, make] of Object.entries(values)) {
    let result;
    try {
      result = fn.call(receiver(), ...before, make(), ...after);
    } catch (error) {
      row[shown] = tell(error, shown);
      continue;
    }
    if (typeof result?.on === "function" && label !== "events") result.on("error", noop);
    // Only what was really started: Node signals a process number that nobody set otherwise.
    if (result?.pid > 0) result.kill();
    if (typeof result?.close === "function" && label !== "server") try { result.close(); } catch {}
    if (typeof result?.then === "function") pending.push(Promise.resolve(result).then(noop, (error) => { row[shown] = `rejects ${tell(error, shown)}`; }));
  }
}

process.on("uncaughtException", noop);
process.on("unhandledRejection", noop);
process.removeAllListeners("warning");
process.on("warning", noop);

/** Calls everything and resolves to { "module.function": { value: answer } }; what throws nothing has no answer. */
module.exports = async function () {
  for (const [name, entries] of Object.entries(table)) {
    const loaded = require(`node:${name}`);
    for (const entry of entries) ask(name, () => loaded, entry);
  }
  for (const [label, receiver, entries] of methods) for (const entry of entries) ask(label, receiver, entry);
  await Promise.race([Promise.all(pending), new Promise((done) => setTimeout(done, 2000))]);
  return answers;
};

if (require.main === module) {
  module.exports().then((all) => {
    // One line for the values that get the same answer.
    const lines = Object.keys(all).sort().map((name) => {
      const groups = {};
      for (const [value, answer] of Object.entries(all[name])) (groups[answer] ??= []).push(value);
      return `${JSON.stringify(name)}: ${JSON.stringify(Object.entries(groups).map(([answer, list]) => [answer, ...list]))}`;
    });
    require("node:fs").writeFileSync(process.argv[2], `{\n${lines.join(",\n")}\n}\n`);
    process.exit(0);
  });
}

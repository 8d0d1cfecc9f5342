// Runs one test file of web-platform-tests in the program that was started with this script; tools/wpt.py reads what it writes.
//
// Usage: PROGRAM wpt.cjs ROOT TEST [VARIANT]   (TEST is a path below ROOT; VARIANT begins with "?")
//
// One line per subtest goes to standard output: U+0001, then {"name", "status", "message"} as JSON; status 0 is a pass. A line
// {"done": true} follows when the harness has ended. The harness is the checkout's own resources/testharness.js; what stands here
// is the page around it: `self`, `location`, `GLOBAL`, and a fetch() that also takes paths below ROOT.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const [root, test, variant = ""] = process.argv.slice(2);
const report = (line) => fs.writeSync(1, `\u0001${JSON.stringify(line)}\n`);
const define = (name, value) => {
  try {
    Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
  } catch {
    // A program may have it as a fixed property; its own is as good.
  }
};

// What the harness would get as an event of the page. The subtest that waits for it decides whether that is a failure.
process.on("uncaughtException", (error) => report({ uncaught: String(error?.stack ?? error) }));
process.on("unhandledRejection", (error) => report({ uncaught: String(error?.stack ?? error) }));

// A page does not end by itself: timers that do not hold the loop (AbortSignal.timeout's) still fire.
setInterval(() => {}, 1 << 30);

const fileOf = (address) => {
  const clean = address.replace(/[?#].*$/, "");
  if (clean === "/resources/WebIDLParser.js") {
    const file = path.join(root, "resources/webidl2/lib/webidl2.js");
    if (fs.existsSync(file)) return file;
  }
  return clean.startsWith("/") ? path.join(root, clean) : path.resolve(root, path.dirname(test), clean);
};

const TYPES = { ".json": "application/json", ".wasm": "application/wasm", ".js": "text/javascript", ".html": "text/html" };
const network = globalThis.fetch;
const fetchPath = async (input, init) => {
  if (typeof input === "string" && !/^[a-z][a-z0-9+.-]*:/i.test(input)) {
    const file = fileOf(input);
    const type = TYPES[path.extname(file)] ?? "text/plain";
    const found = fs.existsSync(file);
    const body = found ? fs.readFileSync(file) : new Uint8Array(0);
    if (globalThis.Response !== undefined) return new Response(body, { status: found ? 200 : 404, headers: { "content-type": type } });
    const text = () => Promise.resolve(Buffer.from(body).toString());
    return { ok: found, status: found ? 200 : 404, text, json: () => text().then(JSON.parse) };
  }
  return network(input, init);
};

define("self", globalThis);
define("GLOBAL", { isWindow: () => false, isWorker: () => false, isShadowRealm: () => false });
// With WPT_SERVER (tools/wpt.py --server) there is a real server behind the page.
const server = process.env.WPT_SERVER;
const page = new URL(`${server ?? "http://web-platform.test:8000"}/${test}${variant}`);
define("location", page);
if (server === undefined) {
  define("fetch", fetchPath);
} else {
  // A page has a base URL, a program has none.
  const absolute = (input) => {
    if (typeof input !== "string" && !(input instanceof URL) || URL.canParse(input)) return input;
    return URL.parse(input, page)?.href ?? input;
  };
  const { Request: NativeRequest } = globalThis;
  define("fetch", function fetch(input, init) {
    return arguments.length === 0 ? network() : network(absolute(input), init);
  });
  define("Request", new Proxy(NativeRequest, {
    construct: (target, [input, ...rest], newTarget) => Reflect.construct(target, [absolute(input), ...rest], newTarget === globalThis.Request ? target : newTarget),
  }));
}
// idlharness.js asks whether an interface is exposed in this kind of global.
if (/idlharness/.test(test)) define("Window", Object.getPrototypeOf(globalThis).constructor ?? Object);

// Files with ".sub." in their name have places that the server fills in.
const textOf = (file) => server !== undefined && /\.sub\./.test(path.basename(file))
  ? require("node:child_process").execFileSync("curl", ["-s", `${server}/${path.relative(root, file)}`], { encoding: "utf8" })
  : fs.readFileSync(file, "utf8");
const execute = (file) => vm.runInThisContext(textOf(file), { filename: file });
execute(path.join(root, "resources/testharness.js"));
globalThis.add_result_callback(({ name, status, message }) => report({ name, status, message }));
globalThis.add_completion_callback((_, status) => {
  report({ done: true, status: status.status, message: status.message ?? undefined });
  process.exit(0);
});
try {
  for (const [, script] of fs.readFileSync(path.join(root, test), "utf8").matchAll(/^\/\/ META: script=(.*?)\s*$/gm)) execute(fileOf(script));
  execute(path.join(root, test));
} catch (error) {
  report({ uncaught: String(error?.stack ?? error) });
  // The subtests before the error may still end.
  setTimeout(() => process.exit(1), 2000);
}

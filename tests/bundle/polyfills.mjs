// expected: written by hand
// Node's modules in bundles for browsers: bao's own, in a realm that has only what browsers have.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import vm from "node:vm";

const program = join(import.meta.dirname, "support/polyfills/program.mjs");
const folder = mkdtempSync(join(tmpdir(), "polyfills-"));

async function bundle(entry, options) {
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "browser", format: "iife", ...options });
  return outputs[0].text();
}

/** What a script of a page sees, beside the language. */
function page() {
  const { console, TextEncoder, TextDecoder, URL, URLSearchParams, performance, crypto } = globalThis;
  const { AbortController, AbortSignal, EventTarget, Event, Blob, File, MessageChannel, ReadableStream, WritableStream } = globalThis;
  const names = { console, TextEncoder, TextDecoder, URL, URLSearchParams, performance, crypto };
  Object.assign(names, { AbortController, AbortSignal, EventTarget, Event, ReadableStream, WritableStream });
  // What makes bytes has to be of the same realm.
  const bytes = { Uint8Array, ArrayBuffer, Promise, Error, TypeError, RangeError, AggregateError, Map, Set, Date, RegExp };
  Object.assign(names, { Blob, File, MessageChannel, navigator: { userAgent: "" } }, bytes, { Object, Array });
  // Functions that take no other `this` than the global object, as Web IDL has it.
  for (const name of ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "queueMicrotask", "atob", "btoa"]) {
    names[name] = function (...values) {
      if (this !== undefined && this !== global) throw new TypeError(`'${name}' called on an object that does not implement Window`);
      return globalThis[name](...values);
    };
  }
  const context = vm.createContext(names);
  const global = vm.runInContext("globalThis", context);
  return context;
}

await import(program);
const expected = await globalThis.done;
for (const minify of [false, true]) {
  const context = page();
  vm.runInContext(await bundle(program, { minify }), context);
  const found = await context.done;
  const differences = expected.filter((line, i) => line !== found[i]);
  console.log(minify ? "minified" : "as written", expected.length > 25, found.length === expected.length, differences);
}

// Only what is used comes along; what a package has instead is taken from there.
const write = (name, text) => {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const events = await bundle(write("events.js", 'import { EventEmitter } from "node:events"; console.log(EventEmitter.name);'));
console.log(events.includes("isDeepStrictEqual"), events.includes("listenerCount"));
vm.runInContext(events, page());
console.log((await bundle(write("unused.js", 'import "events"; import path from "path"; console.log(1);'), {})).length < 200);
write("node_modules/events/package.json", '{ "main": "index.js" }');
write("node_modules/events/index.js", 'exports.EventEmitter = { name: "of the package" };');
vm.runInContext(await bundle(join(folder, "events.js")), page());

// What browsers cannot do says so.
const missing = write("missing.js", `
  import crypto from "crypto"; import net from "net"; import path from "path"; import process from "process";
  for (const call of [() => crypto.createCipheriv("aes"), () => net.connect(1), () => path.matchesGlob("a", "*"), () => process.chdir("/")])
    try { call(); } catch (error) { console.log(error.message); }`);
vm.runInContext(await bundle(missing), page());

// The development server has them, too.
rmSync(join(folder, "node_modules"), { recursive: true });
write("page.js", 'import { EventEmitter } from "node:events"; import { Buffer } from "buffer"; console.log(EventEmitter, Buffer);');
write("index.html", '<!doctype html><script type="module" src="./page.js"></script>');
const serve = join(import.meta.dirname, "support/polyfills/serve.mjs");
const { stdout, stderr } = spawnSync(process.execPath, [serve, join(folder, "index.html")], { encoding: "utf8" });
// The line about the page has a time in it.
console.log((stdout.replace(/^Bundled page .*\n/m, "") || stderr).trim());
rmSync(folder, { recursive: true });

// Runs whole folders of test262 in one process, each file in a realm of its own: a global script in a context of node:vm, sloppy and strict.
//
//     bao tools/test262_realms.mjs CHECKOUT [FOLDER ...]          folders below test/; without any, FOLDERS
//
// A run takes about a millisecond, a thirtieth of tools/test262.py, which starts a process for each file and has modules, too. Left out and
// counted are modules, files with import(), those that need an agent or a collection on demand, and proposals that the engine lacks. What fails
// is printed. Any program that has node:vm can run it, so the outputs of two can be compared.

import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import vm from "node:vm";

/** What the engine's overlay touches: promises, async functions, generators, typed arrays. */
const FOLDERS = `built-ins/Promise built-ins/TypedArray built-ins/TypedArrayConstructors built-ins/GeneratorFunction built-ins/GeneratorPrototype
built-ins/AsyncFunction built-ins/AsyncGeneratorFunction built-ins/AsyncGeneratorPrototype built-ins/AsyncIteratorPrototype
built-ins/AsyncFromSyncIteratorPrototype built-ins/Iterator built-ins/Array/fromAsync language/expressions/async-arrow-function
language/expressions/async-function language/expressions/async-generator language/expressions/await language/expressions/generators
language/expressions/yield language/expressions/class language/expressions/object/method-definition language/statements/async-function
language/statements/async-generator language/statements/await-using language/statements/class language/statements/for-await-of
language/statements/generators`.split(/\s+/);

/** Proposals that the engine does not ship, as in tools/test262.py. */
const MISSING = new Set(
  `decorators import-defer import-bytes import-text source-phase-imports source-phase-imports-module-source ShadowRealm tail-call-optimization
legacy-regexp IsHTMLDDA host-gc-required immutable-arraybuffer nonextensible-applies-to-private await-dictionary Intl.Era-monthcode
iterator-chunking iterator-includes Iterator.prototype.join`.split(/\s+/),
);

/** Milliseconds that an asynchronous test may take. */
const PATIENCE = 10_000;

const [checkout, ...given] = process.argv.slice(2);
const folders = given.length > 0 ? given : FOLDERS;

// Tests leave rejections behind that nobody handles.
process.on("unhandledRejection", () => {});

/** Flags, features, files of the harness and the expected error of a test: flat keys of its YAML block. */
function metadata(text) {
  const block = /\/\*---([^]*?)---\*\//.exec(text)?.[1] ?? "";
  const list = (key) => {
    const inline = new RegExp(`^${key}:\\s*\\[([^\\]]*)\\]`, "m").exec(block);
    if (inline) return inline[1].split(",").map((word) => word.trim()).filter(Boolean);
    const lines = new RegExp(`^${key}:\\s*\\n((?:\\s+-.*\\n?)+)`, "m").exec(block);
    return lines ? lines[1].split("\n").map((line) => line.replace(/^\s+-\s*/, "").trim()).filter(Boolean) : [];
  };
  const negative = /^negative:\s*\n(?:\s+.*\n)*?\s+type:\s*(\w+)/m.exec(block)?.[1];
  return { flags: list("flags"), features: list("features"), includes: list("includes"), negative };
}

/** The files of a folder and those below it, in the order of their names. */
function* filesOf(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesOf(path);
    else if (entry.name.endsWith(".js") && !entry.name.includes("_FIXTURE")) yield path;
  }
}

const scripts = new Map();
/** A compiled file of the harness. */
function harness(name) {
  let script = scripts.get(name);
  if (!script) scripts.set(name, (script = new vm.Script(readFileSync(join(checkout, "harness", name), "utf8"), { filename: name })));
  return script;
}

/** A new realm with the host object; what it prints goes to `printed`. */
function newRealm(printed) {
  const context = vm.createContext({});
  context.print = (line) => printed.push(String(line));
  context.$262 = {
    global: vm.runInContext("globalThis", context),
    evalScript: (text) => vm.runInContext(text, context),
    createRealm: () => newRealm(printed).$262,
    detachArrayBuffer(buffer) {
      if (!buffer.detached) buffer.transfer();
    },
  };
  return context;
}

/** Waits until the test has called $DONE. */
async function settled(printed) {
  const end = Date.now() + PATIENCE;
  while (printed.length === 0 && Date.now() < end) await new Promise((resolve) => setImmediate(resolve));
}

/** Why a test in one mode does not pass; undefined if it does. */
async function run(file, text, meta, front) {
  const printed = [];
  const context = newRealm(printed);
  try {
    if (!meta.flags.includes("raw")) {
      const names = ["assert.js", "sta.js", ...(meta.flags.includes("async") ? ["doneprintHandle.js"] : []), ...meta.includes];
      for (const name of new Set(names)) harness(name).runInContext(context);
    }
    vm.runInContext(front + text, context, { filename: basename(file) });
  } catch (error) {
    const name = error?.constructor?.name;
    if (meta.negative) return name === meta.negative ? undefined : `${name} instead of ${meta.negative}`;
    return `${name}: ${error?.message}`.split("\n")[0];
  }
  if (meta.negative) return `no ${meta.negative}`;
  if (!meta.flags.includes("async")) return undefined;
  await settled(printed);
  return printed.includes("Test262:AsyncTestComplete") ? undefined : (printed[0] ?? "$DONE was not called").split("\n")[0];
}

let files = 0;
let skipped = 0;
let runs = 0;
const failures = [];
for (const folder of folders) {
  for (const file of filesOf(join(checkout, "test", folder))) {
    files++;
    const text = readFileSync(file, "utf8");
    const meta = metadata(text);
    const needs = text + (meta.includes.includes("atomicsHelper.js") ? "$262.agent" : "");
    if (meta.flags.some((flag) => flag === "module" || flag === "CanBlockIsFalse") || meta.features.some((feature) => MISSING.has(feature)) || /\$262\.(?:agent|gc|AbstractModuleSource|IsHTMLDDA)\b|\bimport\s*[.(]/.test(needs)) {
      skipped++;
      continue;
    }
    const modes = meta.flags.includes("onlyStrict") ? ["strict"] : meta.flags.includes("raw") || meta.flags.includes("noStrict") ? ["sloppy"] : ["sloppy", "strict"];
    for (const mode of modes) {
      runs++;
      const why = await run(file, text, meta, mode === "strict" ? '"use strict";\n' : "");
      if (why !== undefined) failures.push(`${mode} ${file.slice(join(checkout, "test").length + 1)}: ${why}`);
    }
  }
}
console.log(`${files} files, ${skipped} left out, ${runs} runs, ${runs - failures.length} pass`);
for (const failure of failures) console.log(failure);
process.exitCode = failures.length > 0 ? 1 : 0;

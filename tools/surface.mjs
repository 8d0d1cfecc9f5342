// The names that a runtime offers, and those of Bun and Node that another one lacks:
//
//     EXE tools/surface.mjs                     prints what the runtime that runs this lacks of Bun and Node, and how much
//     EXE tools/surface.mjs names [MODULE,…]    prints the names of the runtime that runs this
//     EXE tools/surface.mjs lacks FILE          prints the names of FILE that the runtime that runs this lacks
//     EXE tools/surface.mjs compare PEER EXE    prints the names of PEER that EXE lacks, which are other executables
//     EXE tools/surface.mjs record PEER FILE    writes the names of PEER, another executable, to FILE
//
// A name is `G:…` for what the global object has, `M:…` for what built-in modules export: members, prototypes of classes, well-known
// symbols, three levels deep. A runtime has a name if it finds something there, inherited or not. tests/surface has the names of Bun and
// Node, recorded, and left_out.txt those that are left out on purpose, with the reasons.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);
const self = fileURLToPath(import.meta.url);
const data = join(dirname(self), "../tests/surface");

const MAX_DEPTH = 3;
/** What differs from one process or machine to the next. */
const CHANGING = /\.(env|argv|execArgv|config|cache|moduleLoadList|versions|release|constructor)$/;
/** Modules whose names are those of others, or internal. */
const SKIPPED = /^node:_|^bun$|^node:(sys|process|constants|console)$/;
const GLOBAL_ALIASES = ["globalThis", "global", "self", "window"];

const isClass = (value) => typeof value === "function" && value.prototype && Reflect.ownKeys(value.prototype).length > 1;

/** Adds the names below an object. */
function walk(object, path, depth, names, seen) {
  const isObject = typeof object === "object" || typeof object === "function";
  if (object === null || !isObject || depth > MAX_DEPTH || seen.has(object) || CHANGING.test(path)) return;
  seen.add(object);
  let keys;
  try {
    keys = Reflect.ownKeys(object);
  } catch {
    return;
  }
  for (const key of keys) {
    if (typeof key === "symbol") {
      const text = String(key);
      if (text.startsWith("Symbol(Symbol.")) names.add(`${path}[${text.slice(7, -1)}]`);
      continue;
    }
    if (/^\d+$/.test(key) || key.startsWith("_") || key === "constructor") continue;
    if (typeof object === "function" && ["length", "name", "arguments", "caller"].includes(key)) continue;
    if (key === "prototype" && !isClass(object)) continue;
    names.add(`${path}.${key}`);
    try {
      const own = Object.getOwnPropertyDescriptor(object, key);
      // Accessors of a prototype want an instance.
      const value = "value" in own ? own.value : path.endsWith("prototype") ? undefined : object[key];
      walk(value, `${path}.${key}`, depth + 1, names, seen);
    } catch {
      // A getter that throws has no members that could be compared.
    }
  }
}

/** The names of this runtime, sorted. `modules`: the built-in modules to look at, else those that the runtime lists. */
export function namesOf(modules) {
  const names = new Set();
  for (const key of Object.getOwnPropertyNames(globalThis)) {
    if (GLOBAL_ALIASES.includes(key)) continue;
    names.add(`G:${key}`);
    try {
      walk(globalThis[key], `G:${key}`, 1, names, new Set());
    } catch {
      // As above.
    }
  }
  const own = new Set(builtinModules.map((id) => (/^(bun|node:)/.test(id) ? id : `node:${id}`)));
  for (const id of modules ?? own) {
    if (SKIPPED.test(id)) continue;
    let exports;
    try {
      exports = require(id);
    } catch {
      names.add(`M:${id}!missing`);
      continue;
    }
    names.add(`M:${id}`);
    for (const key of Object.keys(exports)) {
      names.add(`M:${id}.${key}`);
      let value;
      try {
        value = exports[key];
      } catch {
        continue;
      }
      if (isClass(value)) walk(value.prototype, `M:${id}.${key}.prototype`, 2, names, new Set());
    }
  }
  return [...names].sort();
}

const lines = (text) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
/** The modules that a list of names has. */
const modulesOf = (list) => list.filter((name) => /^M:[^.]*$/.test(name) && !name.endsWith("!missing")).map((name) => name.slice(2));
/** What another executable prints for a command of this file. */
const ask = (executable, ...words) =>
  lines(execFileSync(executable, [self, ...words], { encoding: "utf8", maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "ignore"] }));

/** The recorded names of `"bun"` or `"node"`. */
export function recorded(peer) {
  return lines(readFileSync(join(data, peer === "bun" ? "bun-1.4.5.txt" : "node-25.9.0.txt"), "utf8"));
}

/** The names that are left out on purpose. A line that ends in `*` stands for all names that begin so. */
export function leftOut() {
  return lines(readFileSync(join(data, "left_out.txt"), "utf8"));
}

/** Whether something is found under a name: the last part may be inherited. */
function isThere(name) {
  const [, kind, path] = /^([GM]):(.*)$/.exec(name);
  const parts = path.replace(/\[(Symbol\.\w+)\]/g, ".[$1").split(".[");
  let object;
  let keys;
  if (kind === "G") {
    object = globalThis;
    keys = parts[0].split(".");
  } else {
    const id = /^[^.]*/.exec(parts[0])[0];
    try {
      object = require(id);
    } catch {
      return false;
    }
    keys = parts[0].split(".").slice(1);
  }
  keys.push(...parts.slice(1).map((symbol) => Symbol[symbol.slice(7)]));
  try {
    return keys.every((key, at) => {
      if (object === null || object === undefined || !(key in Object(object))) return false;
      // The last one is not read: accessors of a prototype want an instance.
      if (at < keys.length - 1) object = object[key];
      return true;
    });
  } catch {
    return false;
  }
}

/** The names of `list` that this runtime lacks. */
export function lacking(list) {
  const there = new Set(namesOf(modulesOf(list)));
  return list.filter((name) => !name.endsWith("!missing") && !there.has(name) && !isThere(name));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [command, first, second] = process.argv.slice(2);
  if (command === "names") {
    console.log(namesOf(first?.split(",")).join("\n"));
  } else if (command === "lacks" && first !== undefined) {
    console.log(lacking(lines(readFileSync(first, "utf8"))).join("\n"));
  } else if (command === "record" && second !== undefined) {
    writeFileSync(second, `${ask(first, "names").join("\n")}\n`);
  } else if (command === "compare" && second !== undefined) {
    const list = ask(first, "names");
    const folder = mkdtempSync(join(tmpdir(), "surface-"));
    writeFileSync(join(folder, "names"), `${list.join("\n")}\n`);
    const names = ask(second, "lacks", join(folder, "names"));
    rmSync(folder, { recursive: true });
    console.log([...names, `${names.length} of ${list.length} names are missing`].join("\n"));
  } else if (command === undefined) {
    const known = leftOut();
    const isKnown = (name) => known.some((line) => (line.endsWith("*") ? name.startsWith(line.slice(0, -1)) : name === line));
    for (const peer of ["bun", "node"]) {
      const list = recorded(peer);
      const names = lacking(list);
      const open = names.filter((name) => !isKnown(name));
      for (const name of open) console.log(name);
      console.log(`${peer}: ${names.length} of ${list.length} names are missing, ${open.length} of them not on the list of what is left out`);
    }
  } else {
    console.error("no argument, names [MODULE,…], lacks FILE, compare PEER EXE, or record PEER FILE");
    process.exitCode = 2;
  }
}

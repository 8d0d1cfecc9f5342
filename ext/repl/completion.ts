/** Completion in the REPL: commands, modules, files, variables and properties. */
import type { Dirent } from "internal/fs/dirent";
import type { REPLServer } from "internal/repl/server";
import type { Completions } from "internal/repl/types";
import { builtinLibs, isIdentifier, languageGlobals, nextResourceName } from "internal/repl/utils";

const ops = native("repl");

const path = require("node:path");

const requireCall = /\brequire\s*\(\s*['"`](([\w@./:-]+\/)?(?:[\w@./:-]*))(?![^'"`])$/;
const importCall = /\bimport\s*\(\s*['"`](([\w@./:-]+\/)?(?:[\w@./:-]*))(?![^'"`])$/;
const importFrom = /^\s*import\b[^'"`]*['"]((?:([\w@./:-]+\/))?[\w@./:-]*)$/;
const fsCall = /fs(?:\.promises)?\.\s*[a-z][a-zA-Z]+\(\s*["'](.*)/;
// As npm names versions it keeps beside each other.
const versioned = /-\d+\.\d+/;

const words = (
  "async await break case catch const continue debugger default delete do else export false finally for function if " +
  "import in instanceof let new null return switch this throw true try typeof var void while with yield"
).split(" ");
const legacy = new Set(["__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"]);

/** All modules with their scheme; programs may change the list without. */
let schemeNames: string[] | undefined;

function propertyNames(object: unknown): string[] {
  if (!object) return [];
  let isObjectPrototype = false;
  if (Object.getPrototypeOf(object) === null) {
    const constructor = Object.getOwnPropertyDescriptor(object, "constructor")?.value;
    if (constructor) {
      const above = Object.getPrototypeOf(constructor);
      isObjectPrototype = above && Object.getPrototypeOf(above) === object;
    }
  }
  return Object.getOwnPropertyNames(object).filter(
    (name) => isIdentifier(name) && !(isObjectPrototype && legacy.has(name)),
  );
}

function readdir(dir: string): Dirent[] | undefined {
  try {
    return require("node:fs").readdirSync(dir, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

function fileNames(text: string): [string[][], string] {
  let base = "";
  let list = readdir(text);
  if (list === undefined) {
    base = path.basename(text);
    list = readdir(path.dirname(text)) ?? [];
  }
  return [[list.filter((entry) => entry.name.startsWith(base)).map((entry) => entry.name)], base];
}

/** Modules for what stands in `require("` or `import("`. */
function modules(self: REPLServer, typed: string, folder: string, isImport: boolean): string[][] {
  const groups: string[][] = [];
  if (self.allowBlockingCompletions) {
    const { Module } = require("internal/module/cjs");
    const extensions: string[] = isImport
      ? [".cjs", ".js", ".json", ".mjs", ".node", ".wasm", ".ts", ".mts", ".cts"]
      : Object.keys(require("internal/module/cjs").extensions);
    const indexes = extensions.map((extension) => `index${extension}`);
    indexes.push("package.json");
    if (!isImport) indexes.push("index");
    let group: string[] = [];
    let dirs: string[] = [];
    if (typed === ".") group = ["./", "../"];
    else if (typed === "..") group = ["../"];
    else if (/^\.\.?\//.test(typed)) dirs = [process.cwd()];
    else {
      dirs = [...((self.context.module as { paths?: string[] } | undefined)?.paths ?? [])];
      if (!isImport)
        dirs.push(...(require("node:module").globalPaths ?? (Module as { globalPaths?: string[] }).globalPaths ?? []));
    }
    for (const from of dirs) {
      const dir = path.resolve(from, folder);
      const inPackages = path.basename(dir) === "node_modules";
      for (const entry of readdir(dir) ?? []) {
        const { name } = entry;
        if (versioned.test(name) || name === ".npm") continue;
        const extension = path.extname(name);
        if (!entry.isDirectory()) {
          if (!extensions.includes(extension)) continue;
          if (isImport) group.push(folder + name);
          else {
            const base = name.slice(0, -extension.length);
            if (!folder || base !== "index") group.push(folder + base);
          }
          continue;
        }
        group.push(`${folder}${name}/`);
        if (isImport && (folder || !inPackages)) continue;
        const inside = readdir(path.resolve(dir, name)) ?? [];
        if (inside.some((file) => indexes.includes(file.name))) group.push(folder + name);
      }
    }
    if (group.length > 0) groups.push(group);
  }
  groups.push(
    [...builtinLibs()],
    [
      ...(schemeNames ??= [
        ...builtinLibs().map((name) => `node:${name}`),
        ...require("node:module").builtinModules.filter((name) => name.startsWith("node:")),
      ]),
    ],
  );
  return groups;
}

/** Evaluates for completion; undefined where that fails. */
function evaluate(self: REPLServer, code: string, callback: (value: unknown) => void): void {
  self.eval(`try { ${code} } catch {}`, self.context, nextResourceName(), (error, value) => {
    callback(error ? undefined : value);
  });
}

/**
 * Whether evaluating a chain of properties would run a getter or a proxy's trap. `steps`: a kind ("variable", "name" or
 * "computed") and a text by turns.
 */
function hasSideEffects(self: REPLServer, steps: string[], callback: (yes: boolean) => void): void {
  const { isProxy } = require("internal/util/types");
  let at = 2;
  const check = (base: unknown) => {
    if (isProxy(base)) return callback(true);
    if (!base || at >= steps.length) return callback(false);
    const { [at]: kind, [at + 1]: text } = steps;
    at += 2;
    const named = (name: unknown) => {
      if (typeof name !== "string") return callback(false);
      if (typeof Object.getOwnPropertyDescriptor(base, name)?.get === "function") return callback(true);
      check((base as Record<string, unknown>)[name]);
    };
    if (kind === "name") named(text);
    else evaluate(self, text!, named);
  };
  if (steps.length === 0) return callback(false);
  // The globalThis of a context is a view of its object, and no program's proxy.
  if (steps[1] === "globalThis" && !self.useGlobal) check(self.context);
  else evaluate(self, steps[1]!, check);
}

/** The names that `let`, `const` and `class` at the top level have declared: of lines that ran. */
function lexicalNames(self: REPLServer): string[] {
  const names: string[] | undefined = ops.lexicalNames(self.lines.join("\n"));
  // A line with a mistake in it: one by one.
  return [...new Set<string>(names ?? self.lines.flatMap((line) => ops.lexicalNames(line) ?? []))];
}

/** The completer of a REPL (`this`): calls back with [completions, the part of the line they replace]. */
export function complete(
  this: REPLServer,
  line: string,
  callback: (error: null, completions: Completions) => void,
): void {
  let groups: string[][] = [];
  let completeOn: string | undefined | null;
  let filter = "";
  line = line.trimStart();
  let match: RegExpExecArray | null;

  const done = () => {
    if (groups.length > 0 && filter) {
      const wanted = filter.toLowerCase();
      groups = groups
        .map((group) => group.filter((entry) => entry.toLowerCase().startsWith(wanted)))
        .filter((group) => group.length > 0);
    }
    // The first group is the nearest: it comes last.
    const completions: string[] = [];
    const seen = new Set([""]);
    for (const group of groups) {
      group.sort((a, b) => (b > a ? 1 : -1));
      const before = seen.size;
      for (const entry of group) {
        if (seen.has(entry)) continue;
        completions.unshift(entry);
        seen.add(entry);
      }
      if (seen.size !== before) completions.unshift("");
    }
    if (completions[0] === "") completions.shift();
    callback(null, [completions, completeOn as string]);
  };

  if ((match = /^\s*\.(\w*)$/.exec(line)) !== null) {
    groups.push(Object.keys(this.commands));
    completeOn = filter = match[1];
    return done();
  }
  if ((match = requireCall.exec(line)) !== null) {
    completeOn = filter = match[1];
    groups = modules(this, match[1], match[2] || "", false);
    return done();
  }
  if ((match = importCall.exec(line) ?? importFrom.exec(line)) !== null) {
    completeOn = filter = match[1];
    groups = modules(this, match[1], match[2] || "", true);
    return done();
  }
  if ((match = fsCall.exec(line)) !== null && this.allowBlockingCompletions) {
    [groups, completeOn] = fileNames(match[1]);
    return done();
  }
  if (line.length > 0 && !/\w|\.|\$/.test(line[line.length - 1])) return done();

  const target = line.length === 0 ? line : ops.completionTarget(line);
  if (line.length > 0 && !target) return done();
  completeOn = target;
  let expression = "";
  if (line.endsWith(".")) {
    expression = target!.slice(0, -1);
  } else if (line.length > 0) {
    const dot = target!.lastIndexOf(".");
    filter = target!.slice(dot + 1);
    expression = dot === -1 ? "" : target!.slice(0, dot);
  }

  if (!expression) {
    groups.push(lexicalNames(this));
    let above: object = this.context;
    while ((above = Object.getPrototypeOf(above)) !== null) groups.push(propertyNames(above));
    const own = propertyNames(this.context);
    if (!this.useGlobal) own.push(...languageGlobals());
    groups.push(own);
    if (filter !== "") groups.push([...words]);
    return done();
  }

  const whole = target!.endsWith(".") ? `${target}x` : target!;
  const steps = ops.memberChain(whole);
  if (steps === undefined) return done();
  hasSideEffects(this, steps, (yes) => {
    if (yes) return done();
    let chain = ".";
    if (expression.endsWith("?")) {
      expression = expression.slice(0, -1);
      chain = "?.";
    }
    evaluate(this, expression, (object) => {
      const members: string[][] = [];
      try {
        let at: unknown;
        if ((typeof object === "object" && object !== null) || typeof object === "function") {
          members.push(propertyNames(object));
          at = Object.getPrototypeOf(object);
        } else {
          at = (object as object).constructor ? (object as object).constructor.prototype : null;
        }
        for (let depth = 0; at !== null && depth < 5; depth++) {
          members.push(propertyNames(at));
          at = Object.getPrototypeOf(at);
        }
      } catch {
        // undefined, null, or a proxy that does not want to be looked at.
      }
      if (members.length > 0) {
        const prefix = expression + chain;
        for (const group of members) groups.push(group.map((name) => prefix + name));
        if (filter) filter = prefix + filter;
      }
      done();
    });
  });
}

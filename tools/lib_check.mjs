// The check of ext's own rules, and the writer of the files that follow from the folder: `bao tools/lib_check.mjs [--write]`.
//
// Without an option the command lists what breaks a rule and exits with 1 if there is anything. With --write it brings
// ext/modules.d.ts, the paths in ext/tsconfig.json and tools/lib_limits.json up to date first.

import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const ext = join(root, "ext");
const writes = process.argv.includes("--write");

const problems = [];

/** Reports a broken rule; `place` is a path below the repository, with a line where there is one. */
function problem(place, text) {
  problems.push(`${place}: ${text}`);
}

// ---------------------------------------------------------------------------------------------- the modules

/** All TypeScript files below a folder of ext, as paths below ext; not those of the native halves. */
function* files(folder) {
  const entries = readdirSync(join(ext, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== "native") yield* files(path);
    } else if (entry.name.endsWith(".ts")) {
      yield path;
    }
  }
}

/** The id of the module in a file, as runtime/src/builtin_files.rs derives it; undefined for a declaration file. */
function idOf(path) {
  if (path.endsWith(".d.ts") || !path.includes("/")) return undefined;
  const place = path.slice(0, -".ts".length);
  const rest = place.slice(place.indexOf("/") + 1);
  if (rest.startsWith("node/")) return `node:${rest.slice("node/".length)}`;
  if (rest.startsWith("web/") || rest.startsWith("bun/")) return rest;
  return `internal/${place}`;
}

/** The text with comments blanked out, lines kept. Strings are respected; templates and regular expressions by and large. */
function withoutComments(text) {
  const pattern =
    /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`|\/\*[^]*?\*\/|\/\/[^\n]*|(?<=[(,=:[!&|?{};+\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;
  return text.replace(pattern, (found) =>
    found.startsWith("//") || found.startsWith("/*") ? found.replace(/[^\n]/g, " ") : found,
  );
}

/** The built-in modules by id: path, text, text without comments. */
const modules = new Map();
/** The declaration files. */
const declarations = [];
for (const path of files("")) {
  const text = readFileSync(join(ext, path), "utf8");
  const id = idOf(path);
  const file = { id, path, family: path.slice(0, path.indexOf("/")), text, code: withoutComments(text) };
  if (id === undefined) declarations.push(file);
  else modules.set(id, file);
}
const sorted = [...modules.values()].sort((a, b) => (a.id < b.id ? -1 : 1));

// ---------------------------------------------------------------------------------------------- written files

/** ext/modules.d.ts: the exports of every module by its id, for `require`, and the globals that programs have. */
function moduleTypes() {
  const lines = [
    "// Types of the built-in modules by id and of the lazy globals. Written by tools/lib_check.mjs --write; do not edit.",
    "",
    "/** What `require(id)` gives. A module with a default export is that value. */",
    "interface BuiltinModules {",
  ];
  for (const { id, code } of sorted) {
    const type = `typeof import(${JSON.stringify(id)})`;
    lines.push(`  ${JSON.stringify(id)}: ${/^export default /m.test(code) ? `(${type})["default"]` : type};`);
  }
  lines.push("}", "", "// The globals of globals.rs in runtime, where ext/globals.d.ts does not declare them itself.");
  const byHand = readFileSync(join(ext, "globals.d.ts"), "utf8");
  for (const [name, id, member] of globals()) {
    if (new RegExp(`^declare (?:var|function|const|class|namespace) ${name}\\b`, "m").test(byHand)) continue;
    const type = `BuiltinModules[${JSON.stringify(id)}]${member === "" ? "" : `[${JSON.stringify(member)}]`}`;
    lines.push(`declare var ${name}: ${type};`);
    if (/^[A-Z]/.test(name) && member !== "" && !new RegExp(`^(?:interface|type) ${name}\\b`, "m").test(byHand)) {
      lines.push(`type ${name} = Instance<typeof ${name}>;`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The rows of the table of lazy globals: name, module, export ("" for the module itself). */
function globals() {
  const file = ["runtime/core/src/globals.rs", "runtime/src/globals.rs"].find((path) => existsSync(join(root, path)));
  const text = readFileSync(join(root, file), "utf8");
  const table = text.slice(text.indexOf("const TABLE"), text.indexOf("];"));
  return [...table.matchAll(/\("([\w$]+)", (?:true|false), "([^"]+)", "(\w*)"\)/g)].map((found) => found.slice(1));
}

/** ext/tsconfig.json with the folders that ids of `node:`, `web/` and `bun/` are in. */
function typeScriptConfig() {
  const config = JSON.parse(readFileSync(join(ext, "tsconfig.json"), "utf8"));
  const families = readdirSync(ext, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const having = (face) =>
    families
      .map((entry) => entry.name)
      .filter((name) => readdirSync(join(ext, name)).includes(face))
      .sort()
      .map((name) => `./${name}/${face}/*`);
  config.compilerOptions.paths = {
    "node:*": having("node"),
    "web/*": having("web"),
    "bun/*": having("bun"),
    // What only the modules for browsers have.
    "internal/*": ["./*", "./bundle/native/browser/*"],
  };
  // As oxfmt writes it: a short array stands on one line.
  const text = JSON.stringify(config, undefined, 2).replace(/\[\n\s+([^\]]+?)\n\s+\]/g, (array, entries) => {
    const line = `[${entries.replace(/,\n\s+/g, ", ")}]`;
    return line.length <= 80 ? line : array;
  });
  return `${text}\n`;
}

for (const [path, text] of [
  ["ext/modules.d.ts", moduleTypes()],
  ["ext/tsconfig.json", typeScriptConfig()],
]) {
  let present;
  try {
    present = readFileSync(join(root, path), "utf8");
  } catch {}
  if (present === text) continue;
  if (writes) writeFileSync(join(root, path), text);
  else problem(path, "is not up to date; run tools/lib_check.mjs --write");
}

// ---------------------------------------------------------------------------------------------- imports

/** The line of a position in a text. */
function lineOf(text, at) {
  return text.slice(0, at).split("\n").length;
}

/** Where a module is, with a line. */
function place(file, at) {
  return `ext/${file.path}:${lineOf(file.text, at)}`;
}

const IMPORT = /^(?:import|export)\s+(type\s+)?([^"';]*?)\s*from\s+"([^"]+)"|^import\s+"([^"]+)"/gm;

/** The statements of a file that import, or export what another has: id, position, whether only types are imported. */
function importsOf(file) {
  return [...file.code.matchAll(IMPORT)].map((found) => {
    const names = /^\{([^}]*)\}$/
      .exec(found[2] ?? "")?.[1]
      .split(",")
      .map((name) => name.trim());
    const onlyTypes = names?.filter((name) => name !== "").every((name) => name.startsWith("type ")) ?? false;
    return { id: found[3] ?? found[4], at: found.index, isType: found[1] !== undefined || onlyTypes };
  });
}

/** All modules that a file names: imports, `require("id")`, `import("id")`. */
function namedBy(file) {
  const calls = [...file.code.matchAll(/\b(?:require|import)\("([^"$]+)"/g)];
  return [...importsOf(file), ...calls.map((found) => ({ id: found[1], at: found.index }))];
}

const everything = [...modules.values(), ...declarations];
/** The ids of the declaration files that are written for one family. */
const typeIds = new Set(
  declarations.filter(({ path }) => path.includes("/")).map(({ path }) => `internal/${path.slice(0, -".d.ts".length)}`),
);
const familyOf = (id) => modules.get(id)?.family ?? (typeIds.has(id) ? id.split("/")[1] : undefined);

for (const file of everything) {
  for (const { id, at } of namedBy(file)) {
    if (familyOf(id) === undefined) problem(place(file, at), `there is no built-in module "${id}"`);
  }
}

/** Groups of modules that import each other with import statements, which run at once (Tarjan's algorithm). */
function cycles() {
  const state = new Map();
  const stack = [];
  const groups = [];
  const visit = (file) => {
    const own = { index: state.size, low: state.size, open: true };
    state.set(file, own);
    stack.push(file);
    for (const { id, isType } of importsOf(file)) {
      const target = modules.get(id);
      if (isType || target === undefined) continue;
      const other = state.get(target) ?? visit(target);
      if (other.open) own.low = Math.min(own.low, other.low);
    }
    if (own.low === own.index) {
      const group = stack.splice(stack.indexOf(file));
      for (const member of group) state.get(member).open = false;
      const isLoop = group.length > 1 || importsOf(file).some(({ id }) => id === file.id);
      if (isLoop) groups.push(group);
    }
    return own;
  };
  for (const file of sorted) if (!state.has(file)) visit(file);
  return groups;
}

for (const group of cycles()) {
  problem(`ext/${group[0].path}`, `eager imports go round: ${group.map(({ id }) => id).join(", ")}`);
}

// ---------------------------------------------------------------------------------------------- families

const families = readdirSync(ext, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

/** The other families that a family's files name, with the first place of each. */
function importedBy(family) {
  const found = new Map();
  for (const file of everything) {
    if (file.family !== family || file.path === undefined) continue;
    for (const { id, at } of namedBy(file)) {
      const other = familyOf(id);
      if (other !== undefined && other !== family && !found.has(other)) found.set(other, place(file, at));
    }
  }
  return found;
}

const readmes = new Map();
for (const family of families) {
  if (readdirSync(join(ext, family)).includes("README.md")) {
    readmes.set(family, readFileSync(join(ext, family, "README.md"), "utf8"));
  }
}
for (const family of families) {
  const imported = importedBy(family);
  if (process.argv.includes("--imports")) console.log(`${family}: Imports: ${[...imported.keys()].sort().join(", ")}`);
  const readme = readmes.get(family);
  if (readme === undefined) {
    // While the READMEs are being written nobody has to be told.
    if (readmes.size === families.length - 1) problem(`ext/${family}`, "has no README.md");
    continue;
  }
  const line = /^Imports: (.*)$/m.exec(readme)?.[1];
  if (line === undefined) {
    problem(`ext/${family}/README.md`, 'has no line "Imports: ..."');
    continue;
  }
  const allowed = line.split(/[\s,.]+/).filter((name) => name !== "" && name !== "nothing");
  for (const [other, where] of imported) {
    if (!allowed.includes(other))
      problem(where, `${family} imports ${other}, which ext/${family}/README.md does not name`);
  }
  for (const name of allowed) {
    if (!imported.has(name)) problem(`ext/${family}/README.md`, `names ${name}, which ${family} does not import`);
  }
}

// ---------------------------------------------------------------------------------------------- ops and exports

/** The Rust sources that may name built-in modules and their exports. */
function* rustFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== "target") yield* rustFiles(join(folder, entry.name));
    else if (entry.name.endsWith(".rs")) yield readFileSync(join(folder, entry.name), "utf8");
  }
}
const rust = ["cli", "runtime", "ext"].flatMap((folder) => [...rustFiles(join(root, folder))]);

const wordLists = new Map();
/** The words of a file's code, strings included. */
function wordsOf(file) {
  let words = wordLists.get(file);
  if (words === undefined) wordLists.set(file, (words = new Set(file.code.match(/[\w$]+/g))));
  return words;
}

/** The functions of every native family, from the natives.d.ts files: family, name, file. */
function* ops() {
  for (const file of declarations) {
    if (!file.path.endsWith("natives.d.ts")) continue;
    let family;
    for (const line of file.code.split("\n")) {
      family = /^  (\w+): \{$/.exec(line)?.[1] ?? family;
      const name = /^    (?:readonly )?(\w+)(?:<[^(]*>)?[(:]/.exec(line)?.[1];
      if (name !== undefined) yield { family, name, file };
    }
  }
}

/** Files that have the object of a family's functions: those that name it, and those that import it from them. */
function usersOf(family) {
  const direct = everything.filter(({ code }) => code.includes(`native("${family}")`));
  const ids = new Set(direct.map(({ id }) => id));
  return [...direct, ...everything.filter((file) => namedBy(file).some(({ id }) => ids.has(id)))];
}

const users = new Map();
for (const { family, name, file } of ops()) {
  if (!users.has(family)) users.set(family, usersOf(family));
  const isUsed = users.get(family).some((user) => wordsOf(user).has(name));
  if (!isUsed) problem(`ext/${file.path}`, `nobody uses the op ${family}.${name}`);
}

/** Modules whose exports programs see, or that are written from Rust. */
const isPublic = ({ id }) =>
  id.endsWith("/native_constants") ||
  id.startsWith("node:") ||
  id.startsWith("internal/node_internals/") ||
  /^bun\/(?:ffi|jsc|sqlite|test|main)$/.test(id);

/** The names that a module exports, with their positions. */
function* exportsOf({ code }) {
  for (const found of code.matchAll(
    /^export (?:declare )?(?:async )?(?:function\*?|class|const|let|var|interface|type|abstract class) ([\w$]+)/gm,
  )) {
    yield { name: found[1], at: found.index };
  }
  for (const found of code.matchAll(/^export (?:type )?(?:const )?\{([^}]*)\}/gm)) {
    for (const item of found[1].split(",")) {
      const name = item.trim().split(/\s+as\s+|\s*:\s*/)[found[0].includes("const") ? 0 : 1] ?? item.trim();
      if (name !== "") yield { name: name.replace(/^type /, ""), at: found.index };
    }
  }
}

/** Whether a file names a module: by its id in an import, in `require` or in a string, or by the start of an id in a template. */
function names(file, id) {
  if (file.code.includes(`"${id}"`)) return true;
  return [...file.code.matchAll(/`((?:bun|web|internal)\/[^`$]*)\$\{/g)].some(([, start]) => id.startsWith(start));
}

/** Whether a file hands on a whole module: `import * as it from "id"`, and `it` without a dot behind it. */
function handsOn(file, id) {
  const name = new RegExp(`^import \\* as (\\w+) from "${id}"`, "m").exec(file.code)?.[1];
  return name !== undefined && file.code.match(new RegExp(`\\b${name}\\b(?!\\.)`, "g")).length > 1;
}

for (const file of sorted) {
  if (isPublic(file)) continue;
  const others = everything.filter((other) => other !== file && other.path !== "modules.d.ts" && names(other, file.id));
  if (others.some((other) => handsOn(other, file.id))) continue;
  // A module that names itself says what the other end of a message calls.
  const sources = [file.code, ...rust].filter((text) => text.includes(`"${file.id}"`));
  for (const { name, at } of exportsOf(file)) {
    const isUsed =
      others.some((other) => wordsOf(other).has(name)) || sources.some((text) => text.includes(`"${name}"`));
    if (!isUsed) problem(place(file, at), `nobody imports ${name}`);
  }
}

// ---------------------------------------------------------------------------------------------- limits

/** How often `any` is written as a type, comments included. */
const count = everything.reduce((sum, { text }) => sum + (text.match(/(?:: |as |<)any\b/g)?.length ?? 0), 0);
const limitsPath = join(root, "tools/lib_limits.json");
const limits = JSON.parse(readFileSync(limitsPath, "utf8"));
if (count > limits.any) problem("ext", `${count} times \`any\`, and ${limits.any} are allowed (tools/lib_limits.json)`);
if (writes && count < limits.any) writeFileSync(limitsPath, `${JSON.stringify({ any: count }, undefined, 2)}\n`);

// ---------------------------------------------------------------------------------------------- result

for (const text of problems) console.error(text);
if (problems.length > 0) process.exitCode = 1;

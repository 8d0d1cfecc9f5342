// The check of ext's own rules, and the writer of the files that follow from the folder: `bao tools/lib_check.mjs [--write]`.
//
// Without an option the command lists what breaks a rule and exits with 1 if there is anything. With --write it brings
// ext/modules.d.ts, the paths in ext/tsconfig.json and tools/lib_limits.json up to date first.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
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
  lines.push("}", "", "// The globals of runtime/src/globals.rs, where ext/globals.d.ts does not declare them itself.");
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
  const text = readFileSync(join(root, "runtime/src/globals.rs"), "utf8");
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
    "internal/*": ["./*"],
  };
  // As oxfmt writes it: an array of one stands on one line.
  const text = JSON.stringify(config, undefined, 2).replace(/\[\n\s+("[^"\n]*")\n\s+\]/g, "[$1]");
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

// ---------------------------------------------------------------------------------------------- result

for (const text of problems) console.error(text);
if (problems.length > 0) process.exitCode = 1;

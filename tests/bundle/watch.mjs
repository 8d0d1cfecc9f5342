// expected: written by hand
// `bao build --watch`: after each edit the result is the one of a build that begins anew, also where the last one's modules are
// kept: bodies, names, imports that come and go, mistakes, data, several files at once, files that are written while it builds.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const folder = mkdtempSync(join(tmpdir(), "bundle-watch-"));
const write = (name, text) => writeFileSync(join(folder, name), text);
// Without the bundler's own core, which has other texts, unless the argument is "core". Further arguments are options of the builds.
const further = process.argv.slice(3);
const env = { ...process.env, BAO_BUNDLER_CORE: process.argv[2] === "core" ? "1" : "0" };
const options = { cwd: folder, encoding: "utf8", env };
const read = (name) => {
  try {
    return readFileSync(join(folder, name), "utf8").replaceAll(/(watched|anew)\.js/g, "").replaceAll(/debugId(=|":")\w+/g, "");
  } catch {
    return undefined;
  }
};

write("index.ts", 'import { a } from "./a";\nimport { b } from "./b";\nimport data from "./data.json";\nconsole.log(a(), b, data.value);');
write("a.ts", 'import { shared } from "./shared";\nexport const a = (): string => "a" + shared;');
write("b.ts", 'import { shared, other } from "./shared";\nexport const b: string = "b" + shared + other();');
write("shared.ts", 'export const shared: string = "1";\nexport function other(): number { return 2; }');
write("data.json", '{ "value": 1 }');
mkdirSync(join(folder, "sub"));

/** The result of a build of its own, and what it prints. */
function anew() {
  const { status } = spawnSync(process.execPath, ["build", "index.ts", "--outfile=anew.js", "--sourcemap", ...further], options);
  return status === 0 ? read("anew.js") : undefined;
}

async function wait(condition) {
  for (let round = 0; round < 600; round++) {
    if (condition()) return true;
    await sleep(50);
  }
  return false;
}

const child = spawn(process.execPath, ["build", "index.ts", "--outfile=watched.js", "--sourcemap", "--watch", ...further], options);
let log = "";
child.stdout.on("data", (text) => (log += text));
child.stderr.on("data", (text) => (log += text));

/** Makes an edit, and tells whether the result becomes that of a new build. */
async function edit(title, files) {
  for (const [name, text] of Object.entries(files)) write(name, text);
  const wanted = anew();
  const is = await wait(() => read("watched.js") === wanted && read("watched.js.map") === read("anew.js.map"));
  const printed = spawnSync(process.execPath, ["watched.js"], options).stdout.trim();
  console.log(`${title}: ${is ? "as anew" : "differs"}, prints ${printed}`);
}

try {
  await wait(() => log.includes("watched.js.map"));
  // The folders are watched a moment after that is printed.
  await sleep(300);
  await edit("a body", { "a.ts": 'import { shared } from "./shared";\nexport const a = (): string => "A" + shared;' });
  await edit("the body again", { "a.ts": 'import { shared } from "./shared";\nexport const a = (): string => shared + "A";' });
  await edit("more lines and other names", {
    "a.ts": 'import { shared } from "./shared";\nexport const a = (): string => {\n  // \u2014\n  const größe = "ä", other = [größe];\n  return other.join() + shared;\n};',
  });
  await edit("fewer lines", { "a.ts": 'import { shared } from "./shared";\nexport const a = (): string => "x" + shared;' });
  await edit("two bodies at once", {
    "a.ts": 'import { shared } from "./shared";\nexport const a = (): string => {\n  return "x" + shared;\n};',
    "b.ts": 'import { shared, other } from "./shared";\n\n\nexport const b: string = "b two" + shared + other();',
  });
  await edit("a constant that others use", { "shared.ts": 'export const shared: string = "one";\nexport function other(): number { return 2; }' });
  await edit("a name that comes", { "a.ts": 'export const a = (): string => "only a";\nexport const other = 1;' });
  await edit("an import of a new file", {
    "new.ts": 'export const fresh = "fresh"; console.log("side effect");',
    "a.ts": 'import { fresh } from "./new";\nexport const a = (): string => fresh;',
  });
  await edit("the new file", { "new.ts": 'export const fresh = "fresher";' });
  await edit("an import that goes", { "a.ts": 'export const a = (): string => "alone";' });
  await edit("data", { "data.json": '{ "value": 2 }' });
  await edit("a name that others have, too", {
    "a.ts": 'import { other } from "./shared";\nconst shared = "mine";\nexport const a = (): string => shared + other();',
  });
  await edit("a side effect that comes", {
    "shared.ts": 'export const shared: string = "one";\nexport function other(): number { return 2; }\nconsole.log("runs");',
  });
  await edit("a side effect that goes", {
    "shared.ts": 'export const shared: string = "one";\nexport function other(): number { return 3; }\nconst unused = 1;',
  });
  await edit("a star", {
    "more.ts": 'export const shared: string = "more";',
    "shared.ts": 'export * from "./more";\nexport function other(): number { return 4; }',
  });
  await edit("what a star leads to", { "more.ts": 'export const shared: string = "most", another = 1;' });
  await edit("a namespace", {
    "a.ts": 'import * as all from "./shared";\nconst same = (value: object) => value;\nexport const a = (): string => Object.keys(same(all)).join();',
  });
  await edit("an export that comes", { "more.ts": 'export const shared: string = "most", another = 1, third = 3;' });
  await edit("an external", { "a.ts": 'import { basename } from "node:path";\nexport const a = (): string => basename("x/base");' });
  await edit("another external", { "a.ts": 'import { dirname } from "node:path";\nexport const a = (): string => dirname("dir/y");' });
  await edit("a question whether it is the program", {
    "a.ts": 'if (import.meta.main) console.log("a runs");\nexport const a = (): string => "asks " + (require.main === module);',
  });
  await edit("another question", {
    "a.ts": 'if (import.meta.main) console.log("a runs again");\nexport const a = (): string => "asks " + (require.main !== module);',
  });
  await edit("a default export", { "more.ts": 'export const shared: string = "d";\nexport default () => "default";', "a.ts": 'import made from "./more";\nexport const a = (): string => made();' });
  await edit("a module that becomes CommonJS", { "more.ts": 'exports.__esModule = true;\nexports.shared = "c";\nexports.default = () => "of CommonJS";', "shared.ts": 'export { shared } from "./more";\nexport function other(): number { return 5; }' });
  await edit("and an ES module again", { "more.ts": 'export const shared: string = "e";\nexport default () => "of ES";' });
  const gone = log.length;
  rmSync(join(folder, "more.ts"));
  write("a.ts", 'import made from "./more";\nexport const a = (): string => made() + 1;');
  await wait(() => log.slice(gone).includes("error"));
  console.log("a file that has gone:", /error: /.test(log.slice(gone)));
  await edit("without it", { "a.ts": 'export const a = (): string => "alone";', "shared.ts": 'export const shared: string = "one";\nexport function other(): number { return 2; }' });
  await edit("a body, after that", { "a.ts": 'export const a = (): string => "alone" + "!";' });
  await edit("two files", {
    "b.ts": 'import { renamed } from "./shared";\nexport const b: string = "b" + renamed;',
    "shared.ts": 'export const renamed: string = "renamed";',
  });

  const before = read("watched.js");
  const length = log.length;
  write("b.ts", 'import { missing } from "./shared";\nexport const b = missing +;');
  await wait(() => log.slice(length).includes("error"));
  console.log("a mistake:", /error: /.test(log.slice(length)), read("watched.js") === before);
  await edit("mended", { "b.ts": 'import { renamed } from "./shared";\nexport const b: string = "mended " + renamed;' });
  await edit("CommonJS", { "shared.ts": 'exports.renamed = "from CommonJS";' });
  const paths = (to) => JSON.stringify({ compilerOptions: { paths: { "where-to": [`./${to}.ts`] } } });
  await edit("settings", {
    "first.ts": 'export const where = "first";',
    "second.ts": 'export const where = "second";',
    "tsconfig.json": paths("first"),
    "b.ts": 'export { where as b } from "where-to";',
  });
  await edit("other settings, and another module", { "tsconfig.json": paths("second"), "a.ts": 'export const a = (): string => "A";' });
  write("older.json", paths("first"));
  utimesSync(join(folder, "older.json"), 1, 1);
  renameSync(join(folder, "older.json"), join(folder, "tsconfig.json"));
  await edit("settings that were written before", { "a.ts": 'export const a = (): string => "B";' });
  await edit("settings that extend others", { "base.json": paths("first"), "tsconfig.json": '{ "extends": "./base.json" }', "a.ts": 'export const a = (): string => "D";' });
  await edit("what they extend", { "base.json": paths("second"), "a.ts": 'export const a = (): string => "E";' });
  mkdirSync(join(folder, "node_modules/where-to"), { recursive: true });
  write("node_modules/where-to/index.js", 'export const where = "a package";');
  rmSync(join(folder, "tsconfig.json"));
  await edit("no settings any more", { "a.ts": 'export const a = (): string => "C";' });
  await edit("a variable inside of a body", { "a.ts": 'import { deep } from "./sub/deep";\nexport const a = (): string => { const inner = deep; return inner + inner; };', "sub/deep.ts": 'export const deep: string = "deep";' });
  await edit("and another", { "a.ts": 'import { deep } from "./sub/deep";\nexport const a = (): string => { const first = deep, second = first; return second + "!"; };' });
  await edit("once more", { "a.ts": 'import { deep } from "./sub/deep";\nexport const a = (): string => { const first = deep; return first + "?"; };' });
  // Nobody tells what happens in the new folder.
  renameSync(join(folder, "sub"), join(folder, "before"));
  mkdirSync(join(folder, "sub"));
  write("sub/deep.ts", 'export const deep: string = "replaced";');
  await edit("a folder in the place of another", { "a.ts": 'import { deep } from "./sub/deep";\nexport const a = (): string => { const first = deep; return first + "."; };' });
  await edit("an edit in it", { "sub/deep.ts": 'export const deep: string = "replaced again";' });
  // Edits in quick succession: the last one counts.
  for (let round = 0; round < 20; round++) {
    write("a.ts", `export const a = (): string => "round ${round}";`);
    await sleep(7);
  }
  await edit("quick edits", { "a.ts": 'export const a = (): string => "last";' });
  // Of a large index file without side effects only what somebody asks for is read.
  const big = Array.from({ length: 60 }, (_, index) => index);
  mkdirSync(join(folder, "node_modules/big"), { recursive: true });
  write("node_modules/big/package.json", '{ "name": "big", "type": "module", "sideEffects": false }');
  for (const index of big) write(`node_modules/big/m${index}.js`, `export const n${index} = "n${index}";`);
  write("node_modules/big/index.js", big.map((index) => `export { n${index} } from "./m${index}.js";`).join("\n"));
  await edit("one of many", { "a.ts": 'import { n1 } from "big";\nexport const a = (): string => n1;' });
  await edit("the same one", { "a.ts": 'import { n1 } from "big";\nexport const a = (): string => n1 + n1;' });
  await edit("another of them", { "a.ts": 'import { n2 } from "big";\nexport const a = (): string => n2;' });
  await edit("all of them", {
    "a.ts": 'import * as all from "big";\nconst same = (value: object) => value;\nexport const a = (): string => String(Object.keys(same(all)).length);',
  });
} finally {
  child.kill();
  rmSync(folder, { recursive: true, force: true });
}

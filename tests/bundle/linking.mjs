// expected: as Bun, which keeps resources to the end of the chunk (its output has "value" first)
// What modules share when they are put into one scope, and the forms of results that are run: Bun's CommonJS, interpreters, sheets
// that import each other.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-linking-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

function write(files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function build(options) {
  const { outputs } = await Bun.build({ target: "bun", ...options, entrypoints: [join(folder, options.entrypoints[0])] });
  return outputs[0].text();
}

async function run(options) {
  const file = join(folder, "result.js");
  writeFileSync(file, await build(options));
  return execFileSync(process.execPath, [file], { encoding: "utf8" }).trim();
}

write({
  "resource.ts": `
    using file = { [Symbol.dispose]() { console.log("closed"); } };
    export default "value";`,
  "resources.ts": `import value from "./resource"; console.log(value);`,
  "loops.js": `
    for (var key in { a: 1, b: 2 });
    for (var last of [1, 2, 3]);
    for (var index = 0; index < 4; index++);
    for (var { name, sizes: [, size = 5, ...rest], ...others } of [{ name: "n", sizes: [1, undefined, 6, 7], x: 8 }]);
    const { list: [head = 9] } = { list: [] };
    export const read = () => [key, last, index, name, size, rest, others.x, head].join();`,
  "loop.js": `console.log(require("./loops").read());`,
  "spaces.js": `for ( var key in { c: 1 } ); export function read() { return key; }`,
  "spaced.js": `console.log(require("./spaces").read());`,
  "common.cjs": `module.exports = 1; console.log(typeof require, require.main === module, typeof __filename);`,
});

console.log("# resources end with their module");
console.log(await run({ entrypoints: ["resources.ts"] }));
console.log("# types beside resources go as the tsconfig.json says");
write({
  "typed/tsconfig.json": '{ "compilerOptions": { "verbatimModuleSyntax": true, "useDefineForClassFields": false } }',
  "typed/shape.ts": `export class Shape { size = 0; } console.log("shape is loaded");`,
  "typed/index.ts": `
    import { Shape } from "./shape";
    using file = { [Symbol.dispose]() { console.log("closed"); } };
    enum Sizes { Small = 2 }
    interface Sized { size: number }
    class Base { set size(value: number) { console.log("set", value); } }
    export class Box extends Base implements Sized { size = Sizes.Small; }
    new Box();
    export let shape: Shape | undefined;`,
});
console.log(await run({ entrypoints: ["typed/index.ts"] }));
console.log("# variables of loops are the module's");
for (const minify of [false, true]) console.log(await run({ entrypoints: ["loop.js"], minify }));
console.log(await run({ entrypoints: ["spaced.js"] }));
console.log("# blocks of a namespace share what they export");
write({
  "space.ts": `
    export namespace Space { export let count = 1; export function add() { count++; } }
    export namespace Space { export const read = () => count; }
    Space.add();
    console.log(Space.count, Space.read());`,
  "old.ts": `
    module Old { export let count = 1; export function add() { count++; } }
    module Old { export const read = () => count; }
    Old.add();
    console.log(Old.count, Old.read());`,
});
for (const entry of ["space.ts", "old.ts"]) console.log(await run({ entrypoints: [entry] }));
console.log("# types that are passed on like values");
write({
  "types.ts": `export interface Shape { size: number } export type Name = string; export const shape = "value";`,
  "other.ts": `export const Shape = "a value of the same name";`,
  "index.ts": `export { Shape, Name as Title, shape } from "./types";`,
  "top.ts": `import { Shape, shape } from "./index"; export { Shape, shape }; export { Title } from "./index";`,
  "ü.ts": `
    /* ü */ import { Shape as Other } from "./other"; import { Shape, Title, shape } from "./top";
    const one: Shape = { size: 1 }, name: Title = "name";
    console.log(one, name, shape, Other);
    export { Shape, Other };`,
  "wrong.ts": `import { Shape } from "./index"; console.log(Shape);`,
});
console.log(await run({ entrypoints: ["ü.ts"] }));
try {
  await build({ entrypoints: ["wrong.ts"] });
} catch (error) {
  console.log(error.errors.map((each) => `${each.message.replace(`${folder}/`, "")} ${each.position.line} ${each.position.column}`).join("\n"));
}
console.log("# CommonJS of Bun");
console.log(await run({ entrypoints: ["common.cjs"], format: "cjs" }));
console.log((await build({ entrypoints: ["common.cjs"], format: "cjs", minify: true, banner: "// banner" })).split("\n", 2).join("\n"));
console.log("# a line for the interpreter stays the first");
const banner = `#!/usr/bin/env -S ${process.execPath}\n// banner`;
for (const format of ["esm", "cjs"]) {
  const text = await build({ entrypoints: ["common.cjs"], format, banner });
  console.log(text.split("\n").slice(1, 3).map((line) => line.replace(/\{\/\/ banner$/, "{ + banner")).join("\n"));
  const file = join(folder, `tool-${format}`);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  console.log(execFileSync(file, { encoding: "utf8" }).trim());
}

console.log("# sheets that import each other");
write({
  "a.css": '@import "./b.css";\n.a { color: red }\n',
  "b.css": '@import "./a.css";\n@import "./b.css";\n.b { color: blue }\n',
});
process.chdir(folder);
console.log(await build({ entrypoints: ["a.css"] }));
write({
  "d.css": '@import "p/p.css";\n.d { color: red }\n',
  "node_modules/p/p.css": '@import "~p/q.css";\n.p { color: green }\n',
  "node_modules/p/q.css": '@import "p/p.css";\n.q { color: #fff }\n',
});
console.log(await build({ entrypoints: ["d.css"] }));
write({ "page.css": ".c { background: url(./gone.png) }\n" });
try {
  await build({ entrypoints: ["page.css"] });
} catch ({ errors }) {
  for (const { message, position } of errors) console.log(message, position.line, position.column);
}

console.log("# a tsconfig.json above that leads nowhere");
write({
  "tsconfig.json": '{ "files": [], "references": [{ "path": "./gone" }] }',
  "app/tsconfig.json": '{ "include": ["**/*.ts"], "compilerOptions": { "paths": { "~/*": ["./lib/*"] } } }',
  "app/index.js": 'import { name } from "~/name.ts"; console.log(name);',
  "app/lib/name.ts": 'export const name: string = "found";',
});
console.log(await run({ entrypoints: ["app/index.js"] }));

console.log("# a package that is imported and required is one package");
write({
  "dual/index.js": 'import value from "pair"; import "./later.js"; console.log(value.name, require("pair") === value);',
  "dual/later.js": 'console.log("later", require("implied").name);',
  "dual/only.js": 'import { name } from "pair"; import { name as other } from "implied"; console.log(name, other);',
  "dual/node_modules/pair/package.json": '{ "main": "main", "module": "./module.js" }',
  "dual/node_modules/pair/main.js": 'module.exports = { name: "main" };',
  "dual/node_modules/pair/module.js": 'export const name = "module"; export default { name };',
  "dual/node_modules/implied/package.json": '{ "module": "./module.js" }',
  "dual/node_modules/implied/index.js": 'module.exports = { name: "index" };',
  "dual/node_modules/implied/module.js": 'export const name = "module";',
});
console.log(await run({ entrypoints: ["dual/index.js"] }));
console.log(await run({ entrypoints: ["dual/only.js"] }));

console.log("# JSX is for development or production as NODE_ENV of the build says");
write({
  "jsx/index.jsx": "console.log(<p>text</p>);",
  "jsx/node_modules/react/jsx-runtime.js": 'export const jsx = () => "production";',
  "jsx/node_modules/react/jsx-dev-runtime.js": 'export const jsxDEV = () => "development";',
});
for (const jsx of ["react-jsx", "react-jsxdev"]) {
  write({ "jsx/tsconfig.json": JSON.stringify({ compilerOptions: { jsx } }) });
  for (const mode of ["production", "development"]) {
    const define = { "process.env.NODE_ENV": JSON.stringify(mode) };
    console.log(jsx, mode, await run({ entrypoints: ["jsx/index.jsx"], define }));
  }
}

console.log("# packages stand for Node's modules in browsers");
write({
  "web/index.js": 'import { createCipheriv } from "node:crypto"; import { Buffer } from "node:buffer"; import process from "process"; import * as fs from "fs"; console.log(createCipheriv(), Buffer, process.title, Object.keys(fs).length);',
  "web/node_modules/crypto-browserify/index.js": 'exports.createCipheriv = () => "crypto-browserify";',
  "web/node_modules/buffer/index.js": 'exports.Buffer = "buffer";',
});
console.log(await run({ entrypoints: ["web/index.js"], target: "browser" }));
console.log("# and so do files that a package names, or nothing");
write({
  "field/index.js": 'import "shim";',
  "field/page.html": '<script type="module" src="./index.js"></script>',
  "field/serve.mjs": `
    import page from "./page.html";
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", development: { console: false }, routes: { "/": page } });
    const [, url] = (await (await fetch(server.url)).text()).match(/src="([^"]+)"/);
    const script = await (await fetch(new URL(url, server.url))).text();
    console.log(script.includes("a file for util"), script.includes("bao-node:"));
    server.stop(true);`,
  "field/node_modules/shim/package.json": '{ "browser": { "crypto": false, "util": "./util.js" } }',
  "field/node_modules/shim/index.js": `
    import * as crypto from "crypto"; import * as same from "node:crypto"; import util from "util"; import again from "node:util";
    console.log(typeof crypto.createHash, typeof same.createHash, util, again);`,
  "field/node_modules/shim/util.js": 'export default "a file for util";',
});
console.log(await run({ entrypoints: ["field/index.js"], target: "browser" }));
rmSync(join(folder, "tsconfig.json"));
const served = execFileSync(process.execPath, ["serve.mjs"], { encoding: "utf8", cwd: join(folder, "field") });
console.log(served.replace(/^Bundled page .*\n/m, "").trim());
console.log("# CommonJS of ES modules is marked, with a default export only, too; module.require is require");
write({
  "forms/only.js": "export default 1;",
  "forms/both.js": 'export default 1; export let b = 2; setTimeout(() => (b = 3));',
  "forms/named.js": "export const a = 1;",
  "forms/common.js": 'exports.one = module.require("./one"); exports.two = module["require"]("./one");',
  "forms/one.js": "module.exports = 'one';",
});
for (const name of ["only", "both", "named", "common"]) {
  for (const minify of [false, true]) {
    const text = await build({ entrypoints: [`forms/${name}.js`], format: "cjs", target: "node", minify });
    const module = { exports: {} };
    new Function("module", "exports", "require", text)(module, module.exports, () => "outside");
    console.log(name, module.exports.__esModule, String(module.exports), JSON.stringify(module.exports));
  }
}
console.log("# but for one that is deleted: a name cannot be, in modules");
write({
  "forms/gone.js": 'exports.is = typeof module.require; delete module.require; exports.left = typeof module["require"];',
});
console.log(await run({ entrypoints: ["forms/gone.js"], target: "node", footer: "console.log(JSON.stringify(require_gone()));" }));

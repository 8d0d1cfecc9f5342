// expected: recorded from bun 1.4.5 where it has an answer, see docs/compatibility.md
// Macros at run time and in builds: what they are given, what becomes of what they give, and what they cannot do.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "macros-")));
process.chdir(root);
const short = (text) => text.replaceAll(root, "ROOT").trim();

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

write("m.ts", `
export const id = (...given: unknown[]) => (given.length > 1 ? given : given[0]);
export default () => "default";
export const later = () => new Promise((done) => setTimeout(() => done(["late"]), 5));
export const response = () => Response.json({ a: [1, "\\u2028"] });
export const text = () => new Response("text");
export const blob = () => new Blob([new Uint8Array([1, 2, 3])]);
export const bytes = () => new Uint8Array([1, 2, 3]);
export const numbers = () => [NaN, -Infinity, -0, 10n, undefined, null];
export const object = () => JSON.parse('{"__proto__":1,"a-b":/x/,"c":{}}'.replace("/x/", "2"));
export const made = () => new (class { x = /y/g })();
export const broken = () => { throw new TypeError("broken"); };
export const rejects = async () => { throw new Error("rejected"); };
export const fn = () => () => 1;
export const map = () => new Map();
export const symbol = () => Symbol("s");
export const round = () => { const o: any = {}; o.o = o; return o; };
export const ends = () => process.exit(3);
export const count = () => ((globalThis as any).count = ((globalThis as any).count ?? 0) + 1);
export const value = 5;
`);
write("node_modules/pack/package.json", JSON.stringify({ exports: { macro: "./macro.js", default: "./index.js" } }));
write("node_modules/pack/macro.js", "export const which = () => 'for macros'");
write("node_modules/pack/index.js", "export const which = () => 'at run time'");
write("node_modules/evil/index.js", "import { id } from '../../m.ts' with { type: 'macro' };\nid(1);\n");

const IMPORT =
  "import def, { id, later, response, text, blob, bytes, numbers, object, made, broken, rejects, fn, map, symbol, round, ends, count, value, nope } from './m.ts' with { type: 'macro' };";

function bao(...args) {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
  return { out: short(stdout), err: short(stderr), status };
}

function both(code, ...flags) {
  write("t.ts", code);
  const ran = bao(...flags, "t.ts");
  const built = bao(...flags, "build", "t.ts", "--target", "bun", "--outfile", "t.js");
  const bundled = built.status === 0 ? bao("t.js") : { ...built, out: "" };
  const told = ({ out, err }) => (err === "" ? out : err.split("\n").filter((line) => /^(BuildMessage|SyntaxError|error|    at)/.test(line)).join("\n"));
  console.log(`-- ${code.replace(IMPORT, "").trim()}`);
  console.log(told(ran));
  const second = told(bundled).replace(/^error: /gm, "");
  if (second !== told(ran)) console.log(`built: ${second}`);
}

for (const code of [
  "console.log(id(1), id('a', [1, , { b: 2 }]), id(undefined), id(-1), id(`x${1}`), id({ a: true, 'b': null, ['c']: /r/ }))",
  "const a = 'p' + 'q', b = id({ c: [a] }); console.log(id(a), id(b.c[0] + 1), id(id(2)), b)",
  "const a = 'x', b = a, c = b; console.log(id(c), id('y').toUpperCase(), id('y').concat(id(c)))",
  "console.log(def(), await later(), response(), text(), blob(), bytes())",
  "console.log(numbers(), object(), made(), Object.keys(object()))",
  "let line = 1\nid({ not: 'a block' })\nid('not an argument')\nconsole.log(line, id?.(3), (() => id({ k: 1 }))().k)",
  "console.log(count(), count(), globalThis.count)",
  "import { which } from 'pack' with { type: 'macro' }; import { which as other } from 'pack'; console.log(which(), other())",
  "import * as all from './m.ts' with { type: 'macro' }; console.log(all.id(4), all.default())",
  "import { escapeHTML } from 'bun' assert { type: 'macro' }; console.log(escapeHTML('<'))",
  "function shadow(id) { return id(Math.random()); } console.log(shadow(() => 8))",
])
  both(`${code.startsWith("import") ? "" : IMPORT} ${code}`);
for (const code of [
  "id(Math.random())",
  "let a = 1; id(a)",
  "const o = {}; id(o)",
  "const o = {}, p = o, q = p; id(q)",
  "const a: any = (a); id(a)",
  "id(id('x').toUpperCase())",
  "console.log(id)",
  "id`x`",
  "broken()",
  "\n  1 + rejects()",
  "fn()",
  "map()",
  "symbol()",
  "round()",
  "value()",
  "nope()",
  "ends()",
])
  both(`${IMPORT} ${code}`);
both("import { x } from './nowhere' with { type: 'macro' }; x()");
both("import 'evil'");
both(`${IMPORT} id(1)`, "--no-macros");
const refused = bao("build", "--no-macros", "t.ts");
console.log(refused.out, refused.err.split("\n").filter((line) => /^(error|    at)/.test(line)).join("\n"), refused.status);

console.log("-- Bun.Transpiler");
const WITH = "import { id } from './m.ts' with { type: 'macro' };";
const codes = [`${WITH}\nconsole.log(id(1))`, "import { id } from 'other';\nconsole.log(id(2))", `${WITH}\nconsole.log(3)`];
const told = (error) => `${error.name}: ${error.message} ${error.position?.file}:${error.position?.line}:${error.position?.column}`;
for (const macro of [undefined, null, true, "", {}, { other: { id: "./m.ts" } }, false]) {
  const transpiler = new Bun.Transpiler({ loader: "ts", macro });
  const texts = codes.map((code) => {
    try {
      return transpiler.transformSync(code).replace("export {};", "").trim();
    } catch (error) {
      return told(error);
    }
  });
  console.log(JSON.stringify(macro), JSON.stringify(texts));
}
console.log(await new Bun.Transpiler({ macro: false }).transform(codes[0]).catch(told));
process.chdir("/");
rmSync(root, { recursive: true });

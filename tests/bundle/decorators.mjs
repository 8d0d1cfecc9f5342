// expected: written by hand (Bun 1.4.5 cannot run all of it unbundled)
// Decorators: those of the language are lowered in bundles, whatever `useDefineForClassFields` says, and fields that TypeScript's older
// ones stand at are assigned, at run time and in bundles. What `for (var x of …)` declares belongs to a module that is required.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-decorators-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
let count = 0;

/** Builds and runs a project. What the engine gets has no decorators, as `Function` does not lower them. */
async function run(label, files, compilerOptions) {
  const project = join(folder, String(count++));
  mkdirSync(project);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  if (compilerOptions) writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const entry = join(project, Object.keys(files)[0]);
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "node", format: "iife", sourcemap: "external", outdir: project + "/out" });
  const code = await outputs[0].text();
  const lines = [];
  new Function("console", code)({ log: (...values) => lines.push(values.map(String).join(" ")) });
  console.log(label, "|", lines.join(", "));
  const source = JSON.parse(await outputs.find((output) => output.kind === "sourcemap").text()).sourcesContent.join("");
  console.log("  the map has the source:", Object.values(files).every((text) => source.includes(text)));
  const direct = execFileSync(process.execPath, [entry], { encoding: "utf8" }).trim().split("\n").join(", ");
  console.log("  the same unbundled:", direct === lines.join(", "));
}

const standard = `function t(_v: unknown, c: any) { if (c.kind === "field") return (value: any) => "decorated " + value; }
class D { @t a = "init"; @t b: any; c = 1; accessor z: number = 2 }
const d = new D;
console.log(d.a, d.b, d.c, d.z);
`;
await run("standard", { "a.ts": standard });
await run("standard, fields assigned", { "a.ts": standard }, { useDefineForClassFields: false });
await run("accessors, fields assigned", {
  "a.ts": `const order: string[] = [];
class A { a = order.push("a"); accessor b = order.push("b"); c = order.push("c"); }
new A;
console.log(order.join());
`,
}, { useDefineForClassFields: false });
const beside = (field) => `class Base {
  f: any; held: any;
  constructor() { this.f = 1; this.f ??= 0; }
  set x(value: any) { this.held = "set " + value; }
}
function t(_v: unknown, _c: any) {}
class D extends Base { declare f: any; x = 2; ${field} = 3; "z" = () => this.held + " " + this.y; 5 = this.y; }
class E extends Base { f: any; x = 4; static s = 5; }
const d = new D(), e = new E();
console.log(d.f, d.z(), d[5], Object.keys(e).join(), e.f, e.held, E.s);
`;
await run("others beside decorated fields, assigned", { "a.ts": beside("@t y") }, { useDefineForClassFields: false });
await run("others beside accessors, assigned", { "a.ts": beside("accessor y") }, { useDefineForClassFields: false });
await run("in JavaScript, with JSX", {
  "a.jsx": `const h = (name) => name;
const t = (value, { name }) => function () { return name + ":" + value.call(this); };
class D { @t m() { return <div/>; } }
console.log(new D().m());
`,
}, { jsx: "react", jsxFactory: "h" });

const legacy = (parameter) => `function Shout(target: any, key: string) {
  let held: any;
  Object.defineProperty(target, key, { get: () => held, set: (next) => { held = "<" + next + ">"; }, enumerable: true, configurable: true });
}
const outer = "outer";
class A {
  @Shout flavor = outer;
  @Shout "q-r" = 2;
  @Shout none!: string;
  plain = 3;
  constructor(${parameter}: string) { void ${parameter}; }
}
const a: any = new A("inner");
console.log(a.flavor, a["q-r"], Object.keys(a).join(), a.none, "none" in a);
`;
const legacyStatic = `const seen: any = {};
function note(target: any, key: string) { seen[key] = typeof target + " " + target[key]; }
class A { @note static s = 1; @note static "t-u" = 2; }
console.log(seen.s, seen["t-u"], (A as any).s);
`;
const legacyOrder = `const seen: string[] = [];
function note(_: any, key: any) { seen.push(String(key)); }
let count = 0;
class A {
  @note static first = count++;
  @note a = 1;
  static { seen.push("block " + A.first + count); }
  @note static m() {}
  @note b() {}
  @note 5 = 2;
  static last = count++;
}
console.log(seen.join(), A.first, A.last, new A()[5]);
`;
for (const useDefineForClassFields of [true, false]) {
  const options = { experimentalDecorators: true, useDefineForClassFields };
  // TypeScript refuses a parameter that hides what an initializer names if it puts that into the constructor.
  await run(`legacy, ${useDefineForClassFields}`, { "a.ts": legacy(useDefineForClassFields ? "outer" : "inner") }, options);
  await run(`a static field, ${useDefineForClassFields}`, { "a.ts": legacyStatic }, options);
  await run(`order, ${useDefineForClassFields}`, { "a.ts": legacyOrder }, options);
}

await run("variables of loops", {
  "a.js": `console.log(require("./nested.js").foo());\n`,
  "nested.js": `for (var i of [1, 2, 3]);\nexport function foo() { return i; }\n`,
});
const parameters = await Bun.build({
  entrypoints: ["/parameters.ts"],
  files: { "/parameters.ts": "function p() {}\nclass A { m(@p a: number) {} }\nnew A();" },
  throw: false,
});
console.log(parameters.success, parameters.logs.map((log) => log.message));

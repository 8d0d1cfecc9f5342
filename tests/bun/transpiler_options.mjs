// expected: the values are those of bun 1.4.5; the texts are bao's own, which prints other white space and names
// Options of Bun.Transpiler, shown by what their output does.
import vm from "node:vm";

const code = `import { a, b } from "x"; import def from "y"; import "z";
export const one = 1, two = a + 2; export function f(long) { const inner = long + 1; return inner * 2; }
if (false) { dead(); } const unused = 5; let z = true ? "yes" : "no"; report(z, 1 + 2, "a" + "b");
export default function g() { return 1 }`;
const scan = (options) => {
  const { exports, imports } = new Bun.Transpiler(options).scan(code);
  return `${exports.join()} | ${imports.map((each) => each.path).join()}`;
};
console.log(scan({}));
console.log(scan({ trimUnusedImports: true }));
console.log(scan({ exports: { eliminate: ["f", "default", "nothing"] } }));
console.log(scan({ exports: { replace: { one: 5, two: ["three", "x"], f: null } } }));

const values = async (options) => {
  const text = new Bun.Transpiler(options).transformSync(`export const a = 1, b = 2; export function f() {} export class K {} export default 4; const own = 3; export { own as o };`);
  const module = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  return JSON.stringify(Object.keys(module).sort().map((name) => [name, typeof module[name] === "function" ? "function" : module[name]]));
};
console.log(await values({}));
console.log(await values({ exports: { replace: { a: "x\"y\n`${z}`", b: undefined, f: -0.5, K: true, default: ["named", false], o: 7 } } }));
console.log(await values({ exports: { replace: { default: "text", a: ["z", null] }, eliminate: ["b", "a", "K"] } }));

for (const minify of [true, { whitespace: true }, { syntax: true }, { identifiers: true }, {}, false, null]) {
  const text = new Bun.Transpiler({ minify }).transformSync(code);
  console.log(JSON.stringify(minify), text.includes("\n  "), /\blong\b/.test(text), /const inner/.test(text), /1 ?\+ ?2/.test(text), text.includes("dead"));
}
console.log(new Bun.Transpiler({ minify: true }).transformSync("const long = 1; function other(value) { return value + long }"));
console.log(new Bun.Transpiler({ inline: true }).transformSync("export const x = 1 + 2 * 3, y = 'a' + 'b', z = !0;"));
console.log(new Bun.Transpiler({ deadCodeElimination: true }).transformSync("if (false) { gone() } else { kept() } const top = 1; false && gone(); export {}"));
console.log(new Bun.Transpiler({ deadCodeElimination: false }).transformSync("if (false) { kept() }"));
for (const options of [undefined, null, {}, { deadCodeElimination: undefined }, { deadCodeElimination: null }, { deadCodeElimination: 0 }])
  console.log(options, new Bun.Transpiler(options).transformSync("if (false) { gone() } kept()").includes("gone"));

// Words that are the name of no variable.
for (const replace of [{ a: ["class", 1] }, { a: ["eval", 1] }, { class: 1 }, { yield: 1 }]) {
  try {
    console.log(new Bun.Transpiler({ exports: { replace } }).transformSync("export const a = 1; export { a as class }").trim());
  } catch (error) {
    console.log(error.name, error.message);
  }
}

// replMode: lines of a session in one context.
const repl = new Bun.Transpiler({ replMode: true, loader: "tsx" });
const context = vm.createContext({ Promise });
for (const line of ["const a = 1; a + 1", "let a = 5", "a", "{ x: a }", "{ let y = 1; }", "function f(n: number) { return n * 2 }", "f(a)", "class A { m() { return 1 } }", "new A().m()", "await Promise.resolve(a)", "var [p, { q }] = [1, { q: await 2 }]; p + q", "for (const i of [1, 2]) { var last = i } last", "import { sep as separator } from 'node:path'; typeof separator", "// nothing", "throw new Error('x')", "const { deep: { er = 4 } = {} } = {}; er", "async function later() { return await 3 } await later()"]) {
  try {
    const value = await vm.runInContext(repl.transformSync(line), context, { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER });
    console.log(line, "=>", value && Object.getPrototypeOf(value), JSON.stringify(value?.value));
  } catch (error) {
    console.log(line, "throws", error.message);
  }
}

for (const options of [{ exports: false }, { exports: "x" }, { exports: { eliminate: "f" } }, { exports: { replace: 1 } }, { exports: { replace: { a: {} } } }, { exports: { replace: { a: ["b"] } } }, { exports: { replace: { a: ["b c", 1] } } }, { exports: { replace: { "a b": 1 } } }, { minify: 1 }, { macro: 1 }]) {
  try {
    new Bun.Transpiler(options);
    console.log("no error");
  } catch (error) {
    console.log(error.name, error.message, error.code);
  }
}

for (const logLevel of ["warn", "", null, "loud", 5]) {
  try {
    console.log("logLevel", logLevel, new Bun.Transpiler({ logLevel }) instanceof Bun.Transpiler);
  } catch (error) {
    console.log("logLevel", logLevel, error.name, error.message);
  }
}
console.log("a define without a name:", new Bun.Transpiler({ define: { "": "1", FOO: '"bar"' } }).transformSync("f(FOO);", "js").trim());

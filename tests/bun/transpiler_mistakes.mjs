// expected: recorded from bun 1.4.5, but names of strict modules by hand: Bun prints `let static` there, and is not done with many `&#` in a minute
// What Bun.Transpiler refuses, and what it prints that another parser has to read.
function told(code, loader, options = {}) {
  try {
    return JSON.stringify(new Bun.Transpiler({ loader, ...options }).transformSync(code));
  } catch (error) {
    const first = error.errors?.[0] ?? error;
    return `${first.name}: ${first.message}`;
  }
}
const show = (code, loader = "ts", options = undefined) => console.log(told(code, loader, options));

// Characters that there are none of.
for (const entity of ["&#7777707;", "&#x110000;", "&#99999999999999999999;", "&#-1;"]) {
  show(`x = <div>${entity}</div>`, "jsx");
  show(`x = <div a="${entity}"/>`, "tsx");
}
show("x = '&#x110000;'", "jsx");
// Many that do not end take no longer than other text.
console.log(new Bun.Transpiler({ loader: "jsx" }).transformSync(`x = <a b="${"&#".repeat(3e6)}"/>`).length > 6e6);

// Names of strict code.
for (const code of ["class Foo { static { yield } }", "class A { m() { public = 2 } }", "export let x = 1; let static = 2", '"use strict"; var interface;']) show(code, "js");
show("var yield = 1, public = 2, let = 3", "js");

// Namespaces have declarations only.
for (const code of ["namespace M { const x = 1; export { x }; }", "namespace M { export {}; }", "namespace A { namespace B { export { x }; } }", 'namespace M { export * from "y"; }', 'module M { export { x } from "y"; }']) show(code);
for (const code of ["declare namespace M { export { x }; }", 'declare module "m" { export { x }; }', "declare namespace A { namespace B { export { x }; } }"]) show(code);

// Names that imports have, too.
for (const code of ["export class Foo {}", "class Foo {}", "function Foo() {}", "var Foo = 1;", "let { a: [Foo] } = b;", "enum Foo {}", "export default class Foo {}", 'import Foo = require("./y");']) show(`import { Foo } from "./x";\n${code}`);
for (const code of ["declare class Foo {}\nnew Foo;", "function Foo(): void;", "interface Foo {}", "type Foo = 1;"]) show(`import { Foo } from "./x";\n${code}`);
show('import { Foo } from "./x";\nexport class Foo {}', "ts", { trimUnusedImports: true });
show('import { a } from ""\nimport { a } from "x"', "ts", { trimUnusedImports: true });

// Exports of what is not there may be types.
show("{\n  function encrypt() {}\n}\nexport { encrypt }", "js");
console.log(told("{\n  function encrypt() {}\n}\nexport { encrypt }", "ts").includes("export { encrypt }"));
show("const known = 1; export { known, unknown };");

// Numbers as names that only brackets can say.
for (const code of ["x = { 1e999: 1, 1e999() {} };", "const { 1e999: y } = x;", "({ 1e999: x.y } = z);", "x = class { static 1e999 = 1 };"]) show(code, "ts", { minifyWhitespace: true });
const printed = new Bun.Transpiler({ loader: "js", minifyWhitespace: true }).transformSync("const { 1e999: one, ...rest } = { 1e999: 1, a: 2 }; var two; ({ 1e999: two } = { 1e999: 2 }); var result = [one, two, Object.keys(rest)];");
console.log(JSON.stringify(new Function(`${printed}; return result;`)()));

// Code that is too deep for any stack.
console.log(/Maximum call stack size exceeded/.test(told("f(".repeat(200_000), "js")));

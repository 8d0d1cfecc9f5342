// expected: written by hand (Bun's output imports its helpers).
// tsconfig's decorators and `trimUnusedImports` of Bun.Transpiler.
const code = "function deco() { return (target, key) => { seen.push([typeof target, key]); }; }\nclass A { @deco() field = 1; }\nnew A();";
const run = (compilerOptions) => {
  const seen = [];
  const text = new Bun.Transpiler({ loader: "ts", tsconfig: { compilerOptions } }).transformSync(code);
  new Function("seen", text)(seen);
  return JSON.stringify(seen);
};
console.log("legacy", run({ experimentalDecorators: true }));
console.log("legacy, from text", (() => {
  const text = new Bun.Transpiler({ loader: "ts", tsconfig: '{"compilerOptions":{"experimentalDecorators":true}}' }).transformSync(code);
  const seen = [];
  new Function("seen", text)(seen);
  return JSON.stringify(seen);
})());
console.log("computed names, fields assigned", (() => {
  const seen = [];
  const text = new Bun.Transpiler({ loader: "ts", tsconfig: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } } }).transformSync(
    'const d = (target, key) => void seen.push([typeof target, key]); const key = "com" + "puted"; class Base { set plain(v) { seen.push("set " + v); } } class A extends Base { @d [key] = 1; @d static [key + "2"] = 2; plain = 3; @d named = 4; nothing; } seen.push(Object.keys(new A).join(), A.computed2);',
  );
  new Function("seen", text)(seen);
  return JSON.stringify(seen);
})());
console.log("metadata", new Bun.Transpiler({ loader: "ts", tsconfig: { compilerOptions: { experimentalDecorators: true, emitDecoratorMetadata: true } } })
  .transformSync("class A { @d() field: string; }").includes("design:type"));

const imports = 'import { a } from "./a"; import type { T } from "./t"; import "./side"; import b from "./b"; console.log(b);';
for (const trimUnusedImports of [true, false]) {
  const transpiler = new Bun.Transpiler({ loader: "tsx", trimUnusedImports });
  console.log(trimUnusedImports, JSON.stringify(transpiler.scanImports(imports).map(({ path }) => path)), JSON.stringify(transpiler.scan(imports).imports.map(({ path }) => path)));
}

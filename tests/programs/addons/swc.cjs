const swc = require("@swc/core");
const r = swc.transformSync("const x: number = 1; class A { private y = x ?? 2 }; export default A", {
  jsc: { parser: { syntax: "typescript" }, target: "es2015" },
});
console.log(r.code);
swc
  .transform("let a = <div>{b}</div>", { jsc: { parser: { syntax: "ecmascript", jsx: true } } })
  .then((r) => console.log(r.code))
  // One after the other: the threads of the pool end in any order.
  .then(() => swc.minify("function f(longName){ return longName + 1 + 2 } console.log(f(3))", { compress: true, mangle: true }))
  .then((r) => console.log(r.code));
try {
  swc.parseSync("let = = ;");
} catch (e) {
  console.log(String(e.message).split("\n")[0].length > 0);
}

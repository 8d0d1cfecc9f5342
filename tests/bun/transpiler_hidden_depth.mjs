// expected: written by hand
// What nests deeply is refused, or converted, also where comments, strings and unusual white space hide how deep it is.
const transpiler = new Bun.Transpiler({ loader: "ts" });
for (const [name, text] of [
  ["brackets that close in comments", "(/*),*/".repeat(100_000)],
  ["brackets that close in strings", '["],",'.repeat(100_000)],
  ["prefixes behind tabs", "typeof\t".repeat(100_000) + "a"],
  ["prefixes behind no-break spaces", "void\u00a0".repeat(100_000) + "a"],
  ["signs with separators in comments", "!/*;*/".repeat(100_000) + "a"],
]) {
  try {
    console.log(name, transpiler.transformSync(text).length > 0);
  } catch (error) {
    console.log(name, `${error}`.split("\n")[0].slice(0, 100));
  }
}
try {
  const { outputs } = await Bun.build({ entrypoints: ["/a.css"], files: { "/a.css": `a { b: ${"(/*)*/".repeat(300_000)} }` }, throw: true });
  console.log("sheet", outputs.length);
} catch (error) {
  console.log("sheet", `${error.errors?.[0]?.message ?? error}`.split("\n")[0].slice(0, 100));
}

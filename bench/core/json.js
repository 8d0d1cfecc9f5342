// JSON of a package manager's kind: 2,000 small documents parsed and written again, one of 10 MB.
const small = JSON.stringify({
  name: "package", version: "1.2.3", description: "A “quoted” description\n", main: "index.js",
  scripts: { test: "node test.js", build: "tsc -p ." }, dependencies: { a: "^1.0.0", b: "~2.3.4", c: ">=3 <4" }, files: ["lib", "bin"],
}, null, 2);
let sum = 0;
for (let i = 0; i < 150000; i++) {
  const value = JSON.parse(small);
  sum += value.name.length + JSON.stringify(value, null, 2).length;
}
const rows = [];
for (let i = 0; i < 100000; i++) rows.push({ id: i, ratio: i / 7, text: "line " + i, ok: i % 2 === 0, nested: { list: [i, i + 1, null] } });
for (let i = 0; i < 3; i++) sum += JSON.parse(JSON.stringify(rows)).length;
console.log(sum);

// fs.globSync over a tree of 20,000 files in 200 folders.
const { globSync } = require("node:fs");
const cwd = process.env.BENCH_TREE;
let found = 0;
for (let i = 0; i < 3; i++) {
  found += globSync("**/*.txt", { cwd }).length;
  found += globSync("d1*/f[0-4]*.txt", { cwd }).length;
  found += globSync("**/f{1,22,333}.{txt,js}", { cwd }).length;
}
console.log(found);

// 20,000 small files read one after another, as text and as bytes.
const fs = require("node:fs");
const path = require("node:path");
const root = process.env.BENCH_TREE;
let length = 0;
for (let folder = 0; folder < 200; folder++) {
  for (let i = 0; i < 100; i++) {
    const file = path.join(root, `d${folder}`, `f${i}.txt`);
    length += (i & 1 ? fs.readFileSync(file, "utf8") : fs.readFileSync(file)).length;
  }
}
console.log(length);

// 20,000 small files read with fs.readFile and a callback, 32 under way at any time.
const fs = require("node:fs");
const root = process.env.BENCH_TREE;
let next = 0;
let done = 0;
let length = 0;
function step() {
  if (next === 20000) return;
  const at = next++;
  fs.readFile(`${root}/d${Math.trunc(at / 100)}/f${at % 100}.txt`, (error, data) => {
    if (error) throw error;
    length += data.length;
    if (++done === 20000) console.log(length);
    step();
  });
}
for (let i = 0; i < 32; i++) step();

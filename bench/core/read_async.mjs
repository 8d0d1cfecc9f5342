// 20,000 small files read with fs.promises.readFile, 100 at a time.
import { readFile } from "node:fs/promises";
const root = process.env.BENCH_TREE;
let length = 0;
for (let folder = 0; folder < 200; folder++) {
  const jobs = [];
  for (let i = 0; i < 100; i++) jobs.push(readFile(`${root}/d${folder}/f${i}.txt`, i & 1 ? "utf8" : undefined));
  for (const one of await Promise.all(jobs)) length += one.length;
}
console.log(length);

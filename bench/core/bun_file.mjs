// 20,000 small files read with Bun.file (text and bytes), 2,000 written with Bun.write.
import { rmSync } from "node:fs";
const root = process.env.BENCH_TREE;
let length = 0;
for (let folder = 0; folder < 200; folder++) {
  const jobs = [];
  for (let i = 0; i < 100; i++) {
    const file = Bun.file(`${root}/d${folder}/f${i}.txt`);
    jobs.push(i & 1 ? file.text() : file.bytes());
  }
  for (const one of await Promise.all(jobs)) length += one.length;
}
const scratch = `${root}/w${process.pid}`;
for (let i = 0; i < 2000; i++) length += await Bun.write(`${scratch}/f${i}.txt`, "some text " + i);
rmSync(scratch, { recursive: true });
console.log(length);

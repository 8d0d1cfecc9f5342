// The most frequent words of files, or of standard input: `bao words.ts --top 5 FILE...`
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { top: { type: "string", short: "n", default: "8" }, "ignore-case": { type: "boolean", short: "i", default: true } },
  allowNegative: true,
  allowPositionals: true,
});

async function count(path: string, counts: Map<string, number>): Promise<number> {
  const input = path === "-" ? process.stdin : createReadStream(path);
  let lines = 0;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    lines++;
    for (const [word] of line.matchAll(/\p{Letter}[\p{Letter}'’-]*/gu)) {
      const key = values["ignore-case"] ? word.toLowerCase() : word;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return lines;
}

const counts = new Map<string, number>();
let lines = 0;
// Without arguments, this file counts itself.
for (const path of positionals.length > 0 ? positionals : [import.meta.filename]) lines += await count(path, counts);

const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
console.log(`${lines} lines, ${total} words, ${counts.size} different ones`);
const order = [...counts].sort(([a, n], [b, m]) => m - n || a.localeCompare(b));
for (const [word, n] of order.slice(0, Number(values.top))) console.log(String(n).padStart(5), word);

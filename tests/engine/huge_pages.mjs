// expected: written by hand
// The memory of a large heap is asked for as huge pages, that of a small one is not. (Whether the system has some is another thing.)
import { existsSync, readFileSync } from "node:fs";

const flags = () => readFileSync("/proc/self/smaps", "latin1").match(/^VmFlags:.*$/gm) ?? [];
// Not on this system.
if (!existsSync("/sys/kernel/mm/transparent_hugepage/enabled") || flags().length === 0) process.exit(77);

const huge = () => flags().filter((line) => / hg\b/.test(line)).length;
console.log("small:", huge());
const kept = [];
let isSeen = false;
for (let i = 0; i < 400_000; i++) {
  kept.push({ number: i, text: `${i}`, list: [i] });
  // A part of the heap may lose them again.
  if (i % 10_000 === 0) isSeen ||= huge() > 0;
}
console.log("large:", isSeen, kept.length, kept[399_999].text);

// expected: written by hand
// What a start leaves out is there after the first sleep: a server loads nothing in the middle of its work.
import { readFileSync } from "node:fs";

await new Promise((resolve) => setTimeout(resolve, 1));
console.log(readFileSync("/proc/self/maps", "latin1").includes("/libm.so.6"));

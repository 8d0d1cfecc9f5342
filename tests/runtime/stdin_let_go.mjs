// A stdin that is paused or unref'ed, before or after reading begins, lets the program end although the writer goes on.
// expected: recorded from node 25.9.0
import { spawn } from "node:child_process";
const programs = [
  'process.stdin.on("data", () => {}); process.stdin.pause()',
  'process.stdin.on("data", () => {}); process.stdin.unref()',
  'process.stdin.unref(); process.stdin.on("data", () => {})',
  'process.stdin.on("readable", () => {}); process.stdin.unref()',
  'process.stdin.on("data", () => {}); setTimeout(() => process.stdin.pause(), 20)',
];
for (const program of programs) {
  const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "inherit", "inherit"] });
  const late = setTimeout(() => child.kill(), 10_000);
  console.log(await new Promise((resolve) => child.on("exit", (code, signal) => resolve(signal ?? code))));
  clearTimeout(late);
}
const readers = [
  'process.stdin.on("data", (d) => console.log(`${d}`)); process.stdin.pause(); setTimeout(() => process.stdin.resume(), 20)',
  'process.stdin.unref(); process.stdin.ref(); process.stdin.on("data", (d) => console.log(`${d}`))',
  'process.stdin.pause(); process.stdin.resume(); process.stdin.on("data", (d) => console.log(`${d}`))',
];
for (const program of readers) {
  const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "inherit", "inherit"] });
  child.stdin.end("text");
  console.log(await new Promise((resolve) => child.on("exit", (code, signal) => resolve(signal ?? code))));
}

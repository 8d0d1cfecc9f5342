// terminate() ends a worker wherever it is: in loops of all kinds, in waits, and in native calls that wait.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { Worker } from "node:worker_threads";

const folder = mkdtempSync(join(tmpdir(), "ended-"));
const pipe = join(folder, "pipe");
execFileSync("mkfifo", [pipe]);

const loop = "Uint8Array.of(0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11)";
const programs = {
  loop: "ready(); for (;;);",
  "loop that catches": "ready(); for (;;) { try { for (;;); } catch {} finally { continue; } }",
  "Atomics.wait": "ready(); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
  WebAssembly: `const { f } = new WebAssembly.Instance(new WebAssembly.Module(${loop})).exports; ready(); f()`,
  "regular expression": "ready(); /^(a+)+$/.test('a'.repeat(40) + 'b')",
  microtasks: "ready(); const next = () => Promise.resolve().then(next); next()",
  ticks: "ready(); const next = () => process.nextTick(next); next()",
  immediates: "ready(); const next = () => setImmediate(next); next()",
  "exit listener": "process.on('exit', () => { ready(); for (;;); }); process.exit()",
  "compiling": "const code = 'function f() {' + 'a = 1;'.repeat(1e5) + '}'; ready(); for (;;) new Function(code)",
  sleepSync: "ready(); Bun.sleepSync(60000)",
  execFileSync: "ready(); require('child_process').execFileSync('sleep', ['60'])",
  "Bun.spawnSync": "ready(); Bun.spawnSync(['sleep', '60'])",
  readSync: `const fs = require('fs'); const fd = fs.openSync(${JSON.stringify(pipe)}, 'r+'); ready(); fs.readSync(fd, Buffer.alloc(1))`,
  "WebAssembly.compile": `WebAssembly.compile(${loop}); ready(); for (;;);`,
  "pool jobs": "for (let i = 0; i < 50; i++) require('fs').readFile('/proc/self/maps', () => {}); ready(); for (;;);",
};

for (const [name, program] of Object.entries(programs)) {
  const worker = new Worker(`const ready = () => require('worker_threads').parentPort.postMessage(1); ${program}`, { eval: true });
  worker.on("error", (error) => console.log(name, error));
  await once(worker, "message");
  // Until it is inside.
  await new Promise((resolve) => setTimeout(resolve, 5));
  console.log(name, await worker.terminate());
}
rmSync(folder, { recursive: true });

#!/bin/sh
# expected: written by hand
# What uses the engine's shared machine code first, each in a process of its own, in which nothing has been hot before.
"$BAO" -e 'console.log("sort", [3, 1, 2].sort((a, b) => a - b).join())'
"$BAO" -e 'console.log("typed sort", Uint8Array.of(3, 1, 2).sort((a, b) => b - a).join())'
"$BAO" -e 'console.log("sort by name", [..."cab"].sort(new Intl.Collator("en").compare).join())'
"$BAO" -e 'let sum = 0; for (let i = 0; i < 100000; i++) sum += i; console.log("loop", sum)'
"$BAO" -e 'const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); console.log("calls", f(20))'
"$BAO" -e 'let n = 0; for (const word of Array(50).fill("ab12")) if (/([a-z]+)(\d+)/.test(word)) n++; console.log("regexp", n, RegExp.$2)'
# A function that adds two int32s.
bytes='0,97,115,109,1,0,0,0,1,7,1,96,2,127,127,1,127,3,2,1,0,7,7,1,3,97,100,100,0,0,10,9,1,7,0,32,0,32,1,106,11'
"$BAO" -e "console.log('wasm', new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.of($bytes))).exports.add(40, 2))"
"$BAO" -e "WebAssembly.instantiate(Uint8Array.of($bytes)).then(({ instance }) => console.log('wasm later', [1, 2].map((n) => instance.exports.add(n, n)).join()))"
"$BAO" -e 'function asm() { "use asm"; function add(a, b) { a = a | 0; b = b | 0; return (a + b) | 0; } return { add: add }; } console.log("asm", asm().add(40, 2))'
"$BAO" -e 'const { Worker } = require("node:worker_threads"); new Worker("require(`node:worker_threads`).parentPort.postMessage([3, 1, 2].sort((a, b) => a - b).join())", { eval: true }).on("message", (text) => console.log("worker", text))'
"$BAO" -e 'const { Session } = require("node:inspector"); const session = new Session(); session.connect(); session.post("Debugger.enable", () => session.post("Runtime.evaluate", { expression: "6 * 7" }, (error, { result }) => { console.log("debugger", result.value); session.disconnect(); }))'
"$BAO" -e 'const { Session } = require("node:inspector"); const session = new Session(); session.connect(); session.post("Profiler.enable"); session.post("Profiler.start"); session.post("Profiler.stop", (error, { profile }) => { console.log("profiler", profile.nodes.length > 0); session.disconnect(); })'
"$BAO" -e 'const { Session } = require("node:inspector"); const session = new Session(); session.connect(); session.post("Profiler.enable"); session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true }, () => session.post("Profiler.takePreciseCoverage", (error, { result }) => { console.log("coverage", Array.isArray(result)); session.disconnect(); }))'
# Scripts that were made before the first code, called by it.
"$BAO" -e 'const all = Array.from({ length: 300 }, (_, i) => new Function("x", `return x + ${i}`)); let sum = 0; for (let k = 0; k < 40; k++) for (const f of all) sum += f(k); console.log("functions", sum)'

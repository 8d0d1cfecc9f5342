// Compares the order of events in random asynchronous programs between two executables.
//
//     bao tools/fuzz_order.mjs --exe bao --against node [--seconds 60] [--first 1] [--keep FOLDER] [--stress N]
//     bao tools/fuzz_order.mjs --print SEED                                  the program of a seed
//
// A program is made of async functions, async generators and generators that await, yield, throw, return, queue microtasks and ticks, make
// promises in every way, chain and combine them, and use AsyncLocalStorage and AsyncResource; some programs change Promise.prototype.then
// or listen to promise hooks while they run. It runs each of its entries many times, so that all tiers of a compiler see it, and prints a hash of
// the order for each round. No event depends on time: rounds are apart by setImmediate. Where the outputs differ, the program is kept with both.
// `--seconds` is processor time of both executables, `--stress` sets BAO_GC_STRESS for `--exe`. The exit code is 1 if anything differs.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { generator } from "./random.mjs";

/** Milliseconds that one program may take. */
const PATIENCE = 120_000;

/** What every program begins with: the log, its own random numbers, ways to make promises. `fuel` bounds the calls of a round. */
const PRELUDE = `import { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } from "node:async_hooks";
const storage = new AsyncLocalStorage(), other = new AsyncLocalStorage();
let seed = 1, fuel = 0, hash = 0, events = 0, round = 0, lines = [];
const detail = process.env.ORDER_ROUND === undefined ? -1 : +process.env.ORDER_ROUND;
const R = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % n; };
const show = (v) => { if (v === null || typeof v !== "object") return typeof v === "function" ? "function" : String(v); if (v instanceof Error) return v.constructor.name + ":" + (v.errors ? v.errors.map(show) : v.message); if (Array.isArray(v)) return "[" + v.map(show) + "]"; if ("done" in v) return (v.done ? "done:" : "next:") + show(v.value); if ("status" in v) return v.status + ":" + show(v.value ?? v.reason); return "object"; };
const L = (...words) => { let line = words.map(show).join(" ") + "@" + storage.getStore() + "," + other.getStore(); events++; for (let i = 0; i < line.length; i++) hash = (Math.imul(hash, 31) + line.charCodeAt(i)) | 0; if (round === detail) lines.push(line); };
class Mine extends Promise {}
class Odd extends Promise { then(f, r) { L("odd"); return super.then(f, r); } static get [Symbol.species]() { return Promise; } }
const bad = (v) => new Error("e" + show(v));
const tick = (v) => new Promise((resolve) => process.nextTick(resolve, v));
const micro = (v) => new Promise((resolve, reject) => queueMicrotask(() => R(4) ? resolve(v) : reject(bad(v))));
const thenable = (v) => ({ then(resolve, reject) { L("then"); R(5) ? resolve(v) : reject(bad(v)); } });
const late = (v) => ({ then(resolve) { queueMicrotask(() => { L("late"); resolve(v); resolve("again"); }); } });
const getter = { get then() { L("get then"); if (R(3) === 0) throw bad("getter"); return undefined; } };
const own = (v) => { const p = Promise.resolve(v); p.then = function (f, r) { L("own then"); return Promise.prototype.then.call(this, f, r); }; return p; };
const settled = (v) => { const p = Promise.reject(bad(v)); p.catch(() => {}); return p; };
const reject = (v) => Promise.reject(bad(v));
const resource = new AsyncResource("ORDER");
const bound = storage.run("bound", () => AsyncResource.bind((v) => { L("bound", v); return v; }));
const snapshot = storage.run("snap", () => AsyncLocalStorage.snapshot());
process.on("unhandledRejection", (e, p) => { L("unhandled", e); if (R(3) === 0) p.catch(() => L("caught late")); });
process.on("rejectionHandled", () => L("handled"));
`;

/** The program of a seed. */
function program(number) {
  const random = generator(Math.imul(number, 2654435761));
  const pick = (...words) => words[random(words.length)];
  const FUNCTIONS = 4;
  const GENERATORS = 3;
  let names = 0;
  /** What the function being made is: async, and a generator. */
  let isAsync = true;
  let isGenerator = false;
  const label = () => `"${(names++).toString(36)}"`;
  const variable = () => pick("a", "b", "c");
  const plain = () => pick(String(random(10)), '"s"', "undefined", "null", "true", "a", "b", "c", "1.5", "{}");
  const call = () => pick(`f${random(FUNCTIONS)}(${plain()}, ${variable()})`, `m.x(${plain()})`, `k.f${random(2)}(${plain()})`);
  const iterator = () => `g${random(GENERATORS)}(${plain()}, ${1 + random(3)})`;

  /** Something to await, which may settle in any way. */
  function value(depth = 0) {
    if (depth > 2) return pick(plain(), `Promise.resolve(${plain()})`, `tick(${plain()})`);
    const inner = () => value(depth + 1);
    switch (random(34)) {
      case 0: case 1: case 2: return plain();
      case 3: return `Promise.resolve(${plain()})`;
      case 4: return `tick(${plain()})`;
      case 5: return `micro(${plain()})`;
      case 6: return `thenable(${inner()})`;
      case 7: return `late(${plain()})`;
      case 8: return "getter";
      case 9: return `own(${plain()})`;
      case 10: return `settled(${plain()})`;
      case 11: return `reject(${plain()})`;
      case 12: return `Mine.resolve(${inner()})`;
      case 13: return `Odd.resolve(${plain()})`;
      case 14: case 15: case 16: case 17: return call();
      case 18: return `(async () => { ${isGenerator ? "" : block(2)} return ${inner()}; })()`;
      case 19: return `Promise.all([${inner()}, ${inner()}])`;
      case 20: return `Promise.race([${inner()}, ${inner()}])`;
      case 21: return `Promise.any([${inner()}, ${inner()}])`;
      case 22: return `Promise.allSettled([${inner()}, ${inner()}, ${plain()}])`;
      case 23: return `new Promise((resolve, reject) => { ${pick("resolve", "resolve", "reject")}(${inner()}); L(${label()}); })`;
      case 24: return `Promise.resolve(${inner()}).then((v) => { L(${label()}, v); return ${inner()}; })`;
      case 25: return `Promise.resolve(${inner()}).finally(() => { L(${label()}); return ${inner()}; })`;
      case 26: return `Promise.resolve(${inner()}).catch((e) => { L(${label()}, e); return ${plain()}; })`;
      case 27: return `${iterator()}.next()`;
      case 28: return `storage.run(${label()}, () => ${call()})`;
      case 29: return pick(`storage.exit(() => ${call()})`, `other.run(${label()}, () => ${call()})`, `snapshot(() => ${call()})`);
      case 30: return pick(`resource.runInAsyncScope(() => ${call()})`, `Promise.resolve(${plain()}).then(bound)`);
      case 31: return `Promise.try(() => { L(${label()}); ${pick("", `if (R(3) === 0) throw bad(${plain()});`)} return ${inner()}; })`;
      case 32: return `(() => { const { promise, resolve, reject } = Promise.withResolvers(); ${pick("process.nextTick", "queueMicrotask")}(() => { L(${label()}); R(3) ? resolve(${plain()}) : reject(bad(${plain()})); }); return promise; })()`;
      default: return `new ${pick("Mine", "Odd", "Promise")}((resolve) => resolve(${inner()}))`;
    }
  }

  function statement(depth) {
    const v = variable();
    switch (random(depth > 2 ? 12 : 26)) {
      case 0: case 1: case 2: return isAsync ? `${v} = await ${value()}; L(${label()}, ${v});` : `L(${label()}, ${v});`;
      case 3: return isAsync ? `L(${label()}, await ${plain()});` : "";
      case 4: return isAsync ? `await ${value()};` : `${call()}.catch(() => {});`;
      case 5: return `L(${label()}, ${v});`;
      case 6: return `${v} = ${plain()};`;
      case 7: return `queueMicrotask(() => L(${label()}));`;
      case 8: return `process.nextTick(() => L(${label()}));`;
      case 9: return `Promise.resolve(${value(1)}).then((v) => L(${label()}, v), (e) => L(${label()}, e));`;
      case 10: return isGenerator ? pick(`yield ${value(1)};`, `${v} = yield ${plain()};`, `L(${label()}, yield ${v});`) : `${v} = R(9);`;
      case 11: return isGenerator ? `${v} = yield ${value(1)};` : `if (R(6) === 0) return ${value(1)};`;
      case 12: case 13: return `try { ${block(depth + 1)} } catch (e) { L(${label()}, e); ${random(3) ? "" : block(depth + 1)} }`;
      case 14: return `try { ${block(depth + 1)} } finally { L(${label()}); ${random(3) ? "" : block(depth + 1)} }`;
      case 15: case 16: {
        const i = `i${names++}`;
        return `for (let ${i} = 0; ${i} < ${1 + random(4)}; ${i}++) { ${block(depth + 1)} ${random(4) ? "" : `if (R(3) === 0) ${pick("break", "continue")};`} }`;
      }
      case 17: case 18: return isAsync ? `for await (const x of ${pick(iterator(), iterator(), iterator(), `[${value(2)}, ${plain()}, ${value(2)}]`, `s0(${plain()})`)}) { L(${label()}, x); ${block(depth + 1)} ${random(3) ? "" : "if (R(2)) break;"} }` : "";
      case 19: return `if (R(3)) { ${block(depth + 1)} } else { ${block(depth + 1)} }`;
      case 20: return `if (R(8) === 0) throw bad(${label()});`;
      case 21: {
        const it = `t${names++}`;
        // Not return() with a promise that is rejected: V8 goes on behind a yield* as if it were next().
        return `{ const ${it} = ${iterator()}; const s = (w) => (r) => L(${label()}, w, r); ${it}.next().then(s(1), s(2)); ${it}.${pick("next", "next", "return", "throw")}(${plain()}).then(s(3), s(4)); ${isAsync && random(2) ? `await ${it}.next().catch(s(5));` : ""} ${it}.${pick(`next(${value(2)})`, `return(${plain()})`, `throw(${value(2)})`)}.then(s(6), s(7)); }`;
      }
      case 22: return isGenerator ? `${v} = yield* ${isAsync ? pick(iterator(), `[${value(2)}, ${plain()}]`, `s0(${plain()})`) : `s0(${plain()})`};` : isAsync ? `${v} = await ${call()}; L(${label()}, ${v});` : "";
      case 23: return pick(`storage.run(${label()}, () => { ${call()}.catch(() => {}); L(${label()}); });`, `other.run(${label()}, () => queueMicrotask(() => L(${label()})));`, `storage.enterWith(${label()});`);
      case 24: return `${call()}.then((v) => L(${label()}, v), (e) => L(${label()}, e)).finally(() => L(${label()}));`;
      default: return isAsync ? `[${variable()}, ${variable()}] = await Promise.all([${value(1)}, ${value(1)}]); L(${label()}, ${v});` : "";
    }
  }
  const block = (depth) => Array.from({ length: 1 + random(3) }, () => statement(depth)).join(" ");

  let text = PRELUDE;
  const body = (statements) => `{ if (--fuel < 0) return "dry"; let c = 0; L(${label()}, a); ${Array.from({ length: statements }, () => statement(0)).join("\n  ")}\n  return ${isAsync ? value(1) : plain()}; }\n`;
  for (let i = 0; i < FUNCTIONS; i++) text += `async function f${i}(a, b) ${body(2 + random(4))}`;
  text += `const m = { x: async (a, b) => ${body(2)} };\n`;
  text += `class K { async f0(a, b) ${body(2)} async f1(a, b) { return this.f0(b, a); } } const k = new K();\n`;
  isGenerator = true;
  for (let i = 0; i < GENERATORS; i++) text += `async function* g${i}(a, b) ${body(2 + random(3))}`;
  isAsync = false;
  text += `function* s0(a, b) ${body(2)}`;
  const special = random(12);
  let before = "";
  let after = "";
  if (special === 0) {
    before = `const then = Promise.prototype.then; if (round % 20 === 10) Promise.prototype.then = function (f, r) { L("patched"); return then.call(this, f, r); };`;
    after = "Promise.prototype.then = then;";
  } else if (special === 1) {
    text += `const ids = new Map(), id = (n) => { if (!ids.has(n)) ids.set(n, ids.size); return ids.get(n); }; const kinds = new Set();
const hook = createHook({ init(n, kind, parent) { if (kind !== "PROMISE") return; kinds.add(n); L("init", id(n)); }, before(n) { if (kinds.has(n)) L("before", id(n)); }, after(n) { if (kinds.has(n)) L("after", id(n)); }, promiseResolve(n) { if (kinds.has(n)) L("resolve", id(n)); } });\n`;
    before = "if (round % 20 === 10) hook.enable();";
    after = "hook.disable(); ids.clear(); kinds.clear();";
  } else if (special === 2) {
    before = `if (round === 30) Object.defineProperty(Promise.prototype, "constructor", { get() { L("constructor"); return Promise; }, configurable: true });`;
  } else if (special === 3) {
    before = `if (round === 30) Object.defineProperty(Promise, Symbol.species, { get() { L("species"); return this; }, configurable: true });`;
  } else if (special === 4) {
    before = `if (round === 30) { const r = Promise.resolve; Promise.resolve = function (v) { L("resolve"); return r.call(this, v); }; }`;
  }
  const tops = Array.from({ length: 1 + random(3) }, () => pick(`f${random(FUNCTIONS)}(R(5), R(3))`, `storage.run("top", () => f${random(FUNCTIONS)}(R(5), "t"))`, `k.f1(R(4))`));
  // Apart from the evaluation of the module, behind which Node runs microtasks first and Bun ticks.
  text += `await new Promise((resolve) => setImmediate(resolve));
for (round = 0; round < 150; round++) {
  seed = round * 7919 + 1; hash = 0; events = 0; fuel = 40; ${before}
  storage.enterWith(undefined); other.enterWith(undefined);
  const results = await Promise.allSettled([${tops.join(", ")}]); L(results);
  ${after}
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
  fuel = 0;
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
  console.log(round, hash, events);
}
if (detail >= 0) console.log(lines.join("\\n"));
`;
  return text;
}

const { values: options } = parseArgs({
  options: {
    exe: { type: "string", default: process.execPath },
    against: { type: "string", default: "node" },
    seconds: { type: "string", default: "60" },
    first: { type: "string", default: "1" },
    keep: { type: "string" },
    stress: { type: "string" },
    print: { type: "string" },
  },
});

/** Runs a file; returns what it printed and how it ended. */
function run(exe, file, more = {}) {
  const result = spawnSync(exe, [file], { encoding: "utf8", env: { ...process.env, ...more }, timeout: PATIENCE, maxBuffer: 1 << 28 });
  return { text: result.stdout, end: result.error ? String(result.error.code) : (result.signal ?? String(result.status)), errors: result.stderr };
}

/** Seconds of processor time of the children that have ended: fields 16 and 17 of proc_pid_stat(5), in hundredths. */
function spent() {
  const fields = readFileSync("/proc/self/stat", "latin1").split(") ")[1].split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** Compares until the time is over; returns the number of programs that differ. */
function compare() {
  const folder = mkdtempSync(join(tmpdir(), "order-"));
  const file = join(folder, "program.mjs");
  const stress = options.stress ? { BAO_GC_STRESS: options.stress } : {};
  let count = 0;
  let skipped = 0;
  let different = 0;
  for (let seed = Number(options.first); spent() < Number(options.seconds); seed++) {
    writeFileSync(file, program(seed));
    const right = run(options.against, file);
    const ours = run(options.exe, file, stress);
    count++;
    if (count % 100 === 0) console.error(`${count} programs, ${different} different, ${spent()} s`);
    if (right.end === "ETIMEDOUT") {
      skipped++;
      continue;
    }
    if (right.text === ours.text && right.end === ours.end) continue;
    different++;
    const lines = right.text.split("\n");
    const at = ours.text.split("\n").findIndex((line, i) => line !== lines[i]);
    console.log(`seed ${seed}: round ${at}, ends ${right.end} and ${ours.end}`);
    if (options.keep) {
      mkdirSync(options.keep, { recursive: true });
      const name = join(options.keep, `order-${seed}`);
      writeFileSync(`${name}.mjs`, program(seed));
      const round = { ORDER_ROUND: String(at) };
      writeFileSync(`${name}.against`, run(options.against, file, round).text + right.errors);
      writeFileSync(`${name}.exe`, run(options.exe, file, { ...stress, ...round }).text + ours.errors);
    }
  }
  rmSync(folder, { recursive: true });
  console.log(`${count} programs, ${skipped} too long, ${different} different`);
  return different;
}

if (options.print !== undefined) console.log(program(Number(options.print)));
else process.exitCode = compare() === 0 ? 0 : 1;

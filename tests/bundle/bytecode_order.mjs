// expected: written by hand
// A run of an executable notes which functions it uses, and the next build puts their compiled code in.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "bytecode-order-"));
process.chdir(root);
const many = (name) => Array.from({ length: 200 }, (_, i) => `function ${name}${i}(x) { return x > 0 ? ${name}${(i + 1) % 200}(x - 1) + ${i} : (() => x)(); }`).join("\n");
writeFileSync("main.ts", `
  ${many("used")}
  ${many("other")}
  class Shape { #side = 2; area(): number { return this.#side ** 2; } static *sides() { yield 4; } }
  const later = async (n: number) => { await null; return n; };
  console.log(used0(300), new Shape().area(), [...Shape.sides()].join(), await later(7), used5.toString().length);
  if (process.argv[2] === "other") console.log(other0(3));
  if (process.argv[2] === "exit") process.exit(3);
`);
const build = (options = {}) => Bun.build({ entrypoints: ["./main.ts"], bytecode: true, format: "esm", ...options });
const run = (file, env = {}, ...args) => {
  const { status, stdout, stderr } = spawnSync(join(root, file), args, { encoding: "utf8", env: { ...process.env, ...env } });
  return `${status} ${(stdout + stderr).trim().replaceAll("\n", " | ").replaceAll(root, "")}`;
};
/** How many bytes of compiled code a profile has. */
const noted = (file) => Number(readFileSync(file, "latin1").match(/\n[0-9a-f]{32} [0-9a-f]{32} (\d+) first\n/)[1]);

await build({ compile: { outfile: "first" } });
console.log(run("first", { BUN_BYTECODE_ORDER_OUT: "main.order" }), existsSync("main.order"));
console.log(run("first", { BUN_BYTECODE_ORDER_OUT: "more.order" }, "other"));
console.log(run("first", { BUN_BYTECODE_ORDER_OUT: "exit.%p.order" }, "exit"));
console.log(noted("more.order") > noted("main.order"));
console.log(run("first", { BUN_BYTECODE_ORDER_OUT: "none/main.order" }));

// The same program with the code of what was used; the order of the files counts.
let warnings = "";
process.on("warning", ({ message }) => (warnings += message));
for (const bytecodeOrder of ["main.order", ["more.order", "main.order"]]) {
  rmSync("first");
  await build({ compile: { outfile: "first", bytecodeOrder } });
  console.log(run("first"), "//", run("first", {}, "other"));
  // What the executable has already is noted all the same.
  console.log(run("first", { BUN_BYTECODE_ORDER_OUT: "again.order" }), noted("again.order") === noted("main.order"));
}
const used = statSync("first").size;
await build({ compile: { outfile: "all", bytecodeOrder: false } });
await build({ bytecodeDepth: 0, compile: { outfile: "modules" } });
console.log(statSync("all").size > used, used > statSync("modules").size, warnings === "");

// CommonJS, and several modules.
writeFileSync("old.js", `const { helper } = require("./helper.js"); exports.go = () => helper(1); console.log(exports.go());`);
writeFileSync("helper.js", `exports.helper = (n) => { const inner = () => n + 1; return inner(); };`);
const old = { entrypoints: ["./old.js"], format: "cjs" };
await build({ ...old, compile: { outfile: "old" } });
console.log(run("old", { BUN_BYTECODE_ORDER_OUT: "old.order" }));
await build({ ...old, compile: { outfile: "old", bytecodeOrder: ["old.order", null].slice(0, 1) } });
console.log(run("old"));

// A profile of another program is told; what is no profile is an error.
await build({ compile: { outfile: "second", bytecodeOrder: "old.order" } });
await new Promise((settle) => setImmediate(settle));
console.log(run("second"), "//", warnings);
await build({ compile: { outfile: "second", bytecodeOrder: "main.ts" } }).catch((error) => console.log(error.message));
writeFileSync("cut.order", readFileSync("main.order").subarray(0, -10));
await build({ compile: { outfile: "second", bytecodeOrder: "cut.order" } }).catch((error) => console.log(error.message));
writeFileSync("wrong.order", readFileSync("main.order").map((byte, at, all) => (at === all.length - 10 ? byte ^ 1 : byte)));
await build({ compile: { outfile: "second", bytecodeOrder: "wrong.order" } }).catch((error) => console.log(error.message));
process.chdir("/");
rmSync(root, { recursive: true });

// The shell of bao and Bun: `BAO bench/shell/bench.mjs [SH]` and `BUN bench/shell/bench.mjs`. Prints microseconds per call, the best
// of some rounds. With the name of another shell (dash, bash) what it takes for the same scripts is printed as well. Under Node, `$` is
// that of zx, below the folder $ZX. run.sh runs all of them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const shell = process.versions.bun ? (await import("bun")).$ : (await import(join(process.env.ZX, "node_modules/zx/build/index.js"))).$;
/** `.quiet()` and `.cwd()` of zx are options. */
const $ = (...words) => {
  if (process.versions.bun) return shell(...words);
  const lazy = { quiet: () => shell({ quiet: true, cwd: lazy.dir })(...words), cwd: (dir) => ((lazy.dir = dir), lazy) };
  return lazy;
};
const ROUNDS = 5;
const FILES = 50_000;
const other = process.versions.bun ? process.argv[2] : undefined;

const dir = mkdtempSync(join(tmpdir(), "shell-bench-"));
mkdirSync(join(dir, "many"));
for (let i = 0; i < FILES; i++) writeFileSync(join(dir, "many", `file-${i}.txt`), "");
writeFileSync(join(dir, "lines"), Array.from({ length: 100_000 }, (_, i) => `line ${i}\n`).join(""));

async function best(calls, call) {
  let least = Infinity;
  await call();
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) await call();
    least = Math.min(least, ((performance.now() - start) / calls) * 1000);
  }
  return least;
}

const cases = [
  ["built-in", 2000, "echo hello", () => $`echo hello`.quiet()],
  ["built-in with a value", 2000, undefined, () => $`echo ${"a b"}`.quiet()],
  ["true as a program", 100, "/bin/true", () => $`/bin/true`.quiet()],
  [
    "pipeline of five",
    40,
    "/bin/echo a | tr a b | tr b c | tr c d | tr d e",
    () => $`/bin/echo a | tr a b | tr b c | tr c d | tr d e`.quiet(),
  ],
  [
    "100,000 lines through",
    20,
    "cat < lines | tr a-z A-Z | wc -l",
    () => $`cat < lines | tr a-z A-Z | wc -l`.cwd(dir).quiet(),
  ],
  ["pattern, 50,000 files", 5, "echo many/*1.txt", () => $`echo many/*1.txt`.cwd(dir).quiet()],
];
for (const [name, calls, script, call] of cases) {
  const mine = await best(calls, call);
  let theirs = "";
  if (other && script) {
    const time = await best(Math.min(calls, 100), async () => {
      const child = Bun.spawn([other, "-c", script], { cwd: dir, stdout: "pipe" });
      await child.stdout.text();
      await child.exited;
    });
    theirs = `  ${other} ${time.toFixed(0)}`;
  }
  console.log(`${name.padEnd(24)} ${mine.toFixed(1).padStart(10)}${theirs}`);
}
rmSync(dir, { recursive: true });

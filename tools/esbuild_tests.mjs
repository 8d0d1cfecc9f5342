// esbuild's end-to-end tests by what the bundles do: `BAO tools/esbuild_tests.mjs DIR [--filter TEXT] [--only N,N,...] [--peer PATH]
// [--jobs N]`. DIR is the folder `scripts` of a clone of evanw/esbuild. A test gives command lines, files, and code that throws if it was bundled
// in a wrong way: Bun.build makes the bundle, and the executable (or PATH) runs it. Messages are not compared, only whether there is
// an error. Flags that have no option are counted apart, as are tests of esbuild's own watch mode and of its standard output. Each
// line of the result is `pass`, `fail` or `none` (no such option), the number of the test, its arguments, and what went wrong.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { optionsOf } from "./esbuild_options.mjs";

/** Seconds that one case may take. */
const PATIENCE = 30;
if (process.argv[2] === "--one") await one(JSON.parse(readFileSync(process.argv[3], "utf8")));
else await all();

/** Builds and runs one case in this process, in its folder. */
async function one({ args, cwd, folder, isError, isAsync, format, peer }) {
  const fail = (text) => {
    console.log(text);
    process.exit(1);
  };
  process.chdir(join(folder, cwd ?? "."));
  let options;
  try {
    options = optionsOf(args);
  } catch (error) {
    if (typeof error !== "string") throw error;
    console.log(error);
    process.exit(3);
  }
  const result = await Bun.build({ ...options, throw: false }).catch((error) => ({ success: false, logs: [error] }));
  if (isError !== !result.success) {
    fail(isError ? "no error" : `build: ${result.logs.map((log) => log.message ?? log).join("; ")}`);
  }
  if (isError) process.exit(0);
  const manifest = join(folder, "package.json");
  try {
    writeFileSync(manifest, JSON.stringify({ type: format === "esm" ? "module" : "commonjs" }), { flag: "wx" });
  } catch {}
  const url = pathToFileURL(join(folder, "node.js")).href;
  const code = `const all = await import(${JSON.stringify(url)}); ${isAsync ? `await all${format === "esm" ? "" : ".default"}.async();` : ""}`;
  const runner = join(folder, "run-the-bundle.mjs");
  writeFileSync(runner, code);
  const { status, output } = await started(peer ?? process.execPath, [runner]);
  if (status !== 0) fail(`run: ${output}`);
}

/** Starts a program; its exit code and its output. */
function started(program, args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], timeout: PATIENCE * 1000, killSignal: "SIGKILL" });
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (output += data));
    child.on("close", (status) => resolve({ status, output: output.trim() }));
  });
}

/** The tests of the script: those that are defined by `test`, with their place. */
function testsOf(scripts) {
  const file = join(scripts, "end-to-end-tests.js");
  const text = readFileSync(file, "utf8")
    .replace(/^function test\(/m, "function theirs(")
    .replace(/^main\(\)\s*$/m, "");
  const found = [];
  const require = createRequire(file);
  const helpers = { buildBinary: () => "esbuild", dirname: scripts, removeRecursiveSync() {}, writeFileAtomic() {} };
  const load = (name) => (name === "./esbuild.js" ? helpers : require(name));
  const test = (args, files, options) => void found.push({ args, files, options: options ?? {} });
  new Function("require", "test", "__filename", text)(load, test, file);
  return found;
}

async function all() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      filter: { type: "string", default: "" },
      only: { type: "string" },
      peer: { type: "string" },
      jobs: { type: "string", default: "2" },
    },
  });
  if (positionals.length !== 1) {
    console.error("usage: esbuild_tests.mjs DIR [--filter TEXT] [--only N,N,...] [--peer PATH] [--jobs N]");
    process.exit(2);
  }
  const root = mkdtempSync(join(tmpdir(), "esbuild-tests-"));
  const cases = testsOf(resolve(positionals[0])).map((test, index) => ({ ...test, index }));
  const counts = { pass: 0, fail: 0, none: 0 };
  const only = values.only?.split(",").map(Number);
  const wanted = cases.filter(
    ({ args, index }) => args.join(" ").includes(values.filter) && (only?.includes(index) ?? true),
  );
  const report = [];
  async function run({ args, files, options, index }) {
    const given = ["iife", "cjs", "esm"].find((format) => args.includes(`--format=${format}`));
    const isBundle = args.includes("--bundle");
    const formats = given ? [given] : isBundle ? ["cjs", "esm"] : ["cjs"];
    const messages = [options.expectedStderr ?? ""].flat();
    let state = "pass";
    let detail = "";
    for (const format of formats) {
      const folder = join(root, `${index}-${format}`);
      mkdirSync(folder);
      for (const [name, contents] of Object.entries(files)) {
        const path = join(folder, name);
        mkdirSync(dirname(path), { recursive: true });
        if (contents.symlink) symlinkSync(contents.symlink.replace("TEST_DIR_ABS_PATH", folder), path);
        else writeFileSync(path, contents);
      }
      const description = join(folder, "the-test.json");
      writeFileSync(
        description,
        JSON.stringify({
          args: given || !isBundle ? args : [...args, `--format=${format}`],
          cwd: options.cwd,
          folder,
          isError: messages.some((text) => text.includes("[ERROR]")),
          isAsync: options.async === true,
          format,
          peer: values.peer,
        }),
      );
      const { status, output } = await started(process.execPath, [import.meta.filename, "--one", description]);
      rmSync(folder, { recursive: true, force: true });
      if (status === 0) continue;
      state = status === 3 ? "none" : "fail";
      detail = `${format}: ${output}`;
      break;
    }
    counts[state]++;
    report[index] = `${state} ${index} ${args.join(" ")}${detail ? `\n    ${detail.slice(0, 600).replaceAll("\n", "\n    ")}` : ""}`;
  }
  const queue = wanted.values();
  await Promise.all(
    Array.from({ length: Number(values.jobs) }, async () => {
      for (const test of queue) await run(test);
    }),
  );
  rmSync(root, { recursive: true, force: true });
  console.log(report.filter((line) => line !== undefined).join("\n"));
  console.log(`${counts.pass} of ${wanted.length} pass, ${counts.fail} fail, ${counts.none} ask for what there is no option for`);
}

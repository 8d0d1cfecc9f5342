// esbuild's tests of its JavaScript API on Bun.build: `BAO tools/esbuild_api_tests.mjs DIR [--group build,transform] [--filter TEXT]
// [--jobs N]`. DIR is the folder `scripts` of a clone of evanw/esbuild. The tests get an object with `build`, `context` and `transform` that
// passes on to Bun.build what has an option there. Code that they compare with esbuild's is compared by what a printer makes of both.
// Groups that are about esbuild's server, its watch mode, its process and its formatter of messages are not run. Each line of the result is
// `pass`, `fail` or `none` (no such option), the test, and what went wrong.
import assert from "node:assert";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, delimiter, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { optionsOf } from "./esbuild_options.mjs";

/** Seconds that one test may take. */
const PATIENCE = 30;
/** Options that are about messages, or that are read here. */
const HANDLED = new Set(["absWorkingDir", "entryPoints", "logLevel", "logLimit", "nodePaths", "plugins", "sourcefile", "stdin", "tsconfigRaw", "write"]);

class NoSuchOption extends Error {}

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The command line that stands for options of the API. */
function flagsOf(options) {
  const flags = [];
  for (const [name, value] of Object.entries(options)) {
    const flag = `--${kebab(name)}`;
    if (HANDLED.has(name) || value === undefined) continue;
    if (value === true) flags.push(flag);
    else if (value === false) {
      if (name === "treeShaking") flags.push(`${flag}=false`);
      else if (name === "sourcesContent") throw new NoSuchOption(flag);
    } else if (Array.isArray(value)) {
      if (["external", "inject", "drop", "pure", "dropLabels"].includes(name)) flags.push(...value.map((one) => `${flag}:${one}`));
      else flags.push(`${flag}=${value.join(",")}`);
    } else if (value instanceof RegExp) throw new NoSuchOption(flag);
    else if (typeof value === "object") flags.push(...Object.entries(value).map(([key, one]) => `${flag}:${key}=${one}`));
    else flags.push(name === "banner" || name === "footer" ? `${flag}:js=${value}` : `${flag}=${value}`);
  }
  return flags;
}

function messageOf(log) {
  const at = log.position;
  const location =
    at === null || at === undefined
      ? null
      : { file: relative(process.cwd(), at.file), namespace: at.namespace, line: at.line, column: at.column, length: at.length, lineText: at.lineText };
  return { text: log.message, location, notes: [], detail: undefined, pluginName: "", id: "" };
}

/** `esbuild.build` of the options by Bun.build. */
async function build(given, outputs) {
  if (given.absWorkingDir !== undefined) process.chdir(given.absWorkingDir);
  if (given.nodePaths !== undefined) process.env.NODE_PATH = given.nodePaths.join(delimiter);
  const entries = given.entryPoints ?? [];
  if (!Array.isArray(entries) || entries.some((entry) => typeof entry !== "string")) throw new NoSuchOption("names of entry points");
  let options;
  try {
    options = optionsOf([...flagsOf(given), ...entries]);
  } catch (error) {
    throw typeof error === "string" ? new NoSuchOption(error) : error;
  }
  if (given.stdin !== undefined) {
    const { contents, resolveDir, sourcefile, loader } = given.stdin;
    const folder = resolveDir ?? process.cwd();
    const name = sourcefile ?? `stdin.${{ "local-css": "module.css", "global-css": "css" }[loader] ?? loader ?? "js"}`;
    options.entrypoints.push(resolve(folder, name));
    options.files = { [resolve(folder, name)]: contents };
    if (sourcefile !== undefined && loader !== undefined) options.loader[`.${sourcefile.split(".").pop()}`] = loader;
  }
  if (given.tsconfigRaw !== undefined) {
    const file = join(process.cwd(), "tsconfig.raw.json");
    writeFileSync(file, typeof given.tsconfigRaw === "string" ? given.tsconfigRaw : JSON.stringify(given.tsconfigRaw));
    options.tsconfig = file;
  } else if (options.jsx === undefined && given.tsconfig === undefined) options.jsx = { runtime: "classic" };
  // Without a bundle nothing is left out, and modules stay modules.
  if (given.bundle !== true) {
    if (given.treeShaking !== true) options.treeShaking = false;
    const sources = [given.stdin?.contents ?? "", ...entries.map((entry) => readFileSync(entry, "utf8"))];
    if (given.format === undefined) options.format = sources.some((text) => /^\s*(?:import|export)\b|\bawait\b/m.test(text)) ? "esm" : "cjs";
  }
  if (given.metafile === true) options.metafile = true;
  options.plugins = given.plugins;
  const { outdir } = options;
  const place = (name) => relative(process.cwd(), resolve(outdir ?? ".", name));
  if (given.write === false) delete options.outdir;
  const result = await Bun.build({ ...options, throw: false });
  const logs = result.logs.map((log) => ({ level: log.level ?? "error", message: messageOf(log) }));
  const errors = logs.filter(({ level }) => level === "error").map(({ message }) => message);
  const warnings = logs.filter(({ level }) => level === "warning").map(({ message }) => message);
  if (!result.success) {
    const text = `Build failed with ${errors.length} error${errors.length === 1 ? "" : "s"}:`;
    throw Object.assign(new Error([text, ...errors.map(({ text }) => `error: ${text}`)].join("\n")), { errors, warnings });
  }
  const metafile = result.metafile && { inputs: result.metafile.inputs, outputs: {} };
  // Bun's names of outputs are relative to `outdir`.
  for (const [name, output] of Object.entries(result.metafile?.outputs ?? {})) {
    const isOutput = (path) => path in result.metafile.outputs;
    const imports = output.imports.map((one) => ({ ...one, path: isOutput(one.path) ? place(one.path) : one.path }));
    metafile.outputs[place(name)] = { ...output, imports, cssBundle: output.cssBundle && place(output.cssBundle) };
  }
  const answer = { errors, warnings, outputFiles: undefined, metafile, mangleCache: undefined };
  if (given.write !== false && !outputs) return answer;
  answer.outputFiles = [];
  for (const file of result.outputs) {
    const contents = await file.bytes();
    const name = file.path.replace(/^\.\//, "");
    const path = given.outfile === undefined && outdir === undefined ? "<stdout>" : resolve(outdir ?? ".", name);
    answer.outputFiles.push({ path, contents, hash: file.hash, text: new TextDecoder().decode(contents), kind: file.kind });
  }
  return answer;
}

async function transform(input, given = {}) {
  const contents = typeof input === "string" ? input : new TextDecoder().decode(input);
  const stdin = { contents, loader: given.loader ?? "js", sourcefile: given.sourcefile };
  const { loader, sourcefile, ...options } = given;
  const sourcemap = options.sourcemap === true ? "external" : options.sourcemap;
  const { outputFiles, warnings } = await build({ ...options, sourcemap, stdin, write: false, outdir: process.cwd() }, true);
  const map = outputFiles.find(({ path }) => path.endsWith(".map"))?.text ?? "";
  return { code: outputFiles.find(({ path }) => !path.endsWith(".map"))?.text ?? "", map, warnings };
}

async function context(options) {
  const rebuild = () => build(options);
  const unknown = (name) => () => {
    throw new NoSuchOption(name);
  };
  return { rebuild, dispose: async () => {}, cancel: async () => {}, watch: unknown("watch"), serve: unknown("serve") };
}

/** Code in one form, or `undefined` if it is none: as JavaScript, else as a style sheet. */
async function reprinted(text, extension) {
  const path = resolve(`/reprinted/file.${extension}`);
  const result = await Bun.build({
    entrypoints: [path],
    files: { [path]: text },
    external: ["*"],
    treeShaking: false,
    minify: { whitespace: true },
    legalComments: "none",
    throw: false,
  });
  return result.success ? (await result.outputs[0].text()).trim() : undefined;
}

/** What a printed text must be, instead of being equal to the letter. The comparisons end after the test's statement. */
function comparing(pending) {
  const strictEqual = (actual, expected, message) => {
    if (typeof actual !== "string" || typeof expected !== "string" || actual === expected) return assert.strictEqual(actual, expected, message);
    pending.push(
      (async () => {
        for (const extension of ["ts", "css"]) {
          const [a, b] = [await reprinted(actual, extension), await reprinted(expected, extension)];
          if (a !== undefined && a === b) return;
        }
        assert.strictEqual(actual, expected, message);
      })(),
    );
  };
  return Object.assign((...args) => assert(...args), assert, { strictEqual });
}

function groupsOf(scripts, check) {
  const file = join(scripts, "js-api-tests.js");
  const text = readFileSync(file, "utf8").replace(/^main\(\)\.catch.*$/m, "");
  const require = createRequire(file);
  const helpers = { installForTests() {}, removeRecursiveSync() {}, writeFileAtomic: (path, contents) => writeFileSync(path, contents) };
  const load = (name) => (name === "./esbuild" ? helpers : name === "assert" ? check : require(name));
  return new Function("require", "__dirname", `${text}\nreturn { build: buildTests, transform: transformTests };`)(load, scripts);
}

/** Runs one test in this process. */
async function one(scripts, group, name, testDir) {
  const pending = [];
  const test = groupsOf(scripts, comparing(pending))[group][name];
  process.chdir(testDir);
  try {
    await test({ esbuild: { build, context, transform, version: "" }, testDir });
    await Promise.all(pending);
  } catch (error) {
    console.log(error?.stack ?? error);
    process.exit(error instanceof NoSuchOption ? 3 : error?.message?.startsWith("Build failed") ? 4 : 1);
  }
  process.exit(0);
}

function started(args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], timeout: PATIENCE * 1000, killSignal: "SIGKILL" });
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (output += data));
    child.on("close", (status) => done({ status, output: output.trim() }));
  });
}

async function all() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { group: { type: "string", default: "build,transform" }, filter: { type: "string", default: "" }, jobs: { type: "string", default: "2" } },
  });
  if (positionals.length !== 1) {
    console.error("usage: esbuild_api_tests.mjs DIR [--group build,transform] [--filter TEXT] [--jobs N]");
    process.exit(2);
  }
  const scripts = resolve(positionals[0]);
  const root = mkdtempSync(join(tmpdir(), "esbuild-api-tests-"));
  for (const group of values.group.split(",")) {
    const names = Object.keys(groupsOf(scripts, assert)[group]).filter((name) => name.includes(values.filter));
    const counts = { pass: 0, fail: 0, none: 0 };
    const report = [];
    const queue = names.entries();
    const work = async () => {
      for (const [index, name] of queue) {
        const folder = join(root, basename(name));
        mkdirSync(folder);
        const { status, output } = await started([import.meta.filename, "--one", scripts, group, name, folder]);
        rmSync(folder, { recursive: true, force: true });
        const state = status === 0 ? "pass" : status === 3 ? "none" : "fail";
        counts[state]++;
        report[index] = `${state} ${group} ${name}${state === "pass" ? "" : `\n    ${output.slice(0, 700).replaceAll("\n", "\n    ")}`}`;
      }
    };
    await Promise.all(Array.from({ length: Number(values.jobs) }, work));
    console.log(report.join("\n"));
    console.log(`${group}: ${counts.pass} of ${names.length} pass, ${counts.fail} fail, ${counts.none} ask for what there is no option for`);
  }
  rmSync(root, { recursive: true, force: true });
}

if (process.argv[2] === "--one") await one(...process.argv.slice(3));
else await all();

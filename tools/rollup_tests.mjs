// Rollup's samples by what the bundles do: `BAO tools/rollup_tests.mjs DIR [--filter TEXT] [--jobs N]`.
// DIR is the folder `test/function/samples`, `test/form/samples` or `test/chunking-form/samples` of a clone of rollup/rollup. A sample is a folder with modules and a `_config.js`, which
// says how to bundle `main.js` and checks what the bundle exports. Bun.build makes the bundle as CommonJS. Texts of errors and
// warnings are not compared, only whether there is an error; what Rollup leaves outside since it finds no file is external here, too.
// Samples of forms have Rollup's own results: these and the bundle have to print, export and throw the same; their text is not compared.
// Samples that ask for what Bun.build has no option for, or look into Rollup's own results, are counted as `none`.
import assert from "node:assert";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path, { basename, join } from "node:path";
import { inspect, parseArgs } from "node:util";

/** Seconds that one sample may take. */
const PATIENCE = 30;
/** Options of a result that only change what it looks like. */
const OF_TEXT = new Set(["amd", "compact", "entryFileNames", "chunkFileNames", "assetFileNames", "generatedCode", "hashCharacters", "indent", "minifyInternalExports"]);

if (process.argv[2] === "--one") await one(process.argv[3]);
else await all();

/** Ends this process: 0 is a pass, 1 a failure, 3 a sample that asks for what there is no option for. */
function end(status, text) {
  if (text) console.log(String(text).slice(0, 600));
  process.exit(status);
}

/** Whether Rollup's option `external` names an import. */
function isExternal(external, id, importer) {
  if (typeof external === "function") return external(id, importer, false) === true;
  return [external ?? []].flat().some((one) => (one instanceof RegExp ? one.test(id) : one === id));
}

/** The options of Bun.build for those of Rollup; a text about the first that there is none for. */
function optionsOf(folder, options) {
  const { plugins, external, treeshake, output, input, onwarn, onLog, strictDeprecations, perf, logLevel, ...rest } = options;
  void [onwarn, onLog, strictDeprecations, perf, logLevel];
  const other = Object.keys(rest);
  if (other.length > 0) return `no option ${other[0]}`;
  if (typeof treeshake === "object") return "no option treeshake as an object";
  if (Array.isArray(output)) return "several outputs";
  // The behaviour of forms is compared as CommonJS, whatever is printed.
  const isForm = existsSync(join(folder, "_expected")) || existsSync(join(folder, "_expected.js"));
  const { format, exports, name, banner, footer, globals, sourcemap, file, dir, ...further } = output ?? {};
  void [exports, globals, sourcemap, file, dir];
  const furtherNames = Object.keys(further).filter((key) => !isForm || !OF_TEXT.has(key));
  if (furtherNames.length > 0) return `no option output.${furtherNames[0]}`;
  if (!isForm && format !== undefined && format !== "cjs") return `output.format ${format}`;
  if ([banner, footer].some((text) => typeof text === "function")) return "a banner that is a function";
  const entries = input === undefined ? [join(folder, "main.js")] : typeof input === "object" ? Object.values(input) : [input];
  const outside = {
    name: "outside",
    resolveId(source, importer) {
      if (importer !== undefined && isExternal(external, source, importer)) return { id: source, external: true };
    },
  };
  const last = {
    name: "not-found",
    async resolveId(source, importer, { skipSelf } = {}) {
      void skipSelf;
      if (importer === undefined || source.startsWith(".") || source.startsWith("/") || source.startsWith("\0")) return null;
      const found = await this.resolve(source, importer, { skipSelf: true });
      return found === null || found.id.includes("node_modules") ? { id: source, external: true } : null;
    },
  };
  return {
    entrypoints: entries,
    root: folder,
    target: "node",
    format: "cjs",
    splitting: true,
    globalName: name,
    banner,
    footer,
    treeShaking: treeshake !== false,
    naming: { entry: "[name].[ext]" },
    plugins: [outside, ...[plugins ?? []].flat(Infinity).filter(Boolean), last],
    throw: false,
  };
}

/** Runs chunks as Rollup's tests do: what they require of each other by their names, all else by Node's `require`. */
function runChunks(chunks, entry, context, require) {
  const loaded = new Map();
  const requireFrom = (importer) => (specifier) => {
    const id = path.posix.join(path.posix.dirname(importer), specifier);
    if (loaded.has(id)) return loaded.get(id).exports;
    if (!chunks.has(id)) return require(specifier);
    const module = { exports: {} };
    loaded.set(id, module);
    const all = { assert, require: requireFrom(id), ...context, module, exports: module.exports };
    new Function(...Object.keys(all), chunks.get(id)).apply({}, Object.values(all));
    return module.exports;
  };
  return requireFrom(entry)(`./${entry}`);
}

async function one(folder) {
  const require = createRequire(join(folder, "_config.js"));
  globalThis.defineTest = (config) => config;
  let config;
  try {
    config = require("./_config.js");
  } catch (error) {
    end(3, `the configuration: ${error.message}`);
  }
  if (config.skip || config.onlyWindows || config.bundle || config.minNodeVersion > 25) end(3, "not for this machine, or looks into Rollup");
  await config.before?.();
  process.chdir(folder);
  const options = optionsOf(folder, config.options ?? {});
  if (typeof options === "string") end(3, options);
  const isError = config.error !== undefined || config.generateError !== undefined;
  const result = await Bun.build(options).catch((error) => ({ success: false, logs: [error] }));
  if (isError) end(result.success ? 1 : 0, result.success ? "no error" : "");
  const texts = result.logs.map((log) => log.message ?? String(log)).join("; ");
  if (!result.success) {
    end(/not implemented|ERR_NOT_IMPLEMENTED/i.test(texts) ? 3 : 1, `build: ${texts}`);
  }
  const chunks = new Map();
  for (const output of result.outputs) {
    if (output.kind === "entry-point" || output.kind === "chunk") chunks.set(path.posix.normalize(output.path), await output.text());
  }
  try {
    config.code?.(chunks.size === 1 ? [...chunks.values()][0] : Object.fromEntries(chunks));
  } catch (error) {
    end(1, `code: ${error.message}`);
  }
  const entry = chunks.size === 1 ? [...chunks.keys()][0] : "main.js";
  const expected = expectedChunks(folder);
  if (expected !== undefined) {
    const entries = result.outputs.filter((output) => output.kind === "entry-point").map((output) => path.posix.normalize(output.path));
    return compareRuns(chunks, entries, await expected);
  }
  let exports;
  try {
    exports = runChunks(chunks, entry, config.context, require);
    // Rollup gives a module that only has a default export as the value itself.
    const names = Object.keys(exports ?? {});
    const mode = config.options?.output?.exports;
    if (mode !== "named" && names.length === 1 && names[0] === "default") exports = exports.default;
    await config.exports?.(exports);
  } catch (error) {
    if (!config.runtimeError) end(1, `run: ${error.stack ?? error}`);
    try {
      config.runtimeError(error);
    } catch (wrong) {
      end(1, `another error: ${wrong.message}`);
    }
    end(0);
  }
  if (config.runtimeError) end(1, "no error when it runs");
  await config.after?.();
  end(0);
}

/** Rollup's own results for a sample, as CommonJS by their names; nothing for samples of functions. */
function expectedChunks(folder) {
  const place = join(folder, "_expected");
  for (const kind of ["cjs", "es"]) {
    const files = join(place, kind);
    if (existsSync(files) && statSync(files).isDirectory()) return asCommonJs(files, readdirSync(files, { recursive: true }));
    if (existsSync(`${files}.js`)) return asCommonJs(place, [`${kind}.js`]);
  }
  if (existsSync(`${place}.js`)) return asCommonJs(folder, ["_expected.js"]);
}

/** Files of either module system as CommonJS, each by itself. */
async function asCommonJs(folder, names) {
  const chunks = new Map();
  for (const name of names.filter((file) => file.endsWith(".js"))) {
    const outside = { name: "outside", setup: (build) => build.onResolve({ filter: /.*/ }, (args) => (args.importer ? { path: args.path, external: true } : undefined)) };
    const { outputs } = await Bun.build({ entrypoints: [join(folder, name)], format: "cjs", target: "node", plugins: [outside], treeShaking: false });
    chunks.set(path.posix.normalize(name), await outputs[0].text());
  }
  return chunks;
}

/** What happens when chunks run: what they print, export and throw, with the names of modules that are not there. */
async function observed(chunks, entry) {
  const seen = [];
  // Namespaces are objects of other kinds there and here.
  const plain = (value) => (typeof value === "object" && value !== null && (Object.getPrototypeOf(value) === null || value[Symbol.toStringTag] === "Module")
    ? Object.fromEntries(Object.keys(value).filter((key) => key !== "__esModule").sort().map((key) => [key, plain(value[key])])) : value);
  const print = (...values) => void seen.push(values.map((value) => inspect(plain(value), { depth: 4 })).join(" "));
  // What a sample uses of its surroundings may be anything.
  const anything = (name) => new Proxy(function () {}, {
    get: (_, key) => (typeof key === "symbol" || key === "then" ? undefined : key === "__esModule" ? true : anything(`${name}.${key}`)),
    apply: (_, self, values) => (print(`${name}()`, values.length), anything(`${name}()`)),
    construct: () => (print(`new ${name}`), {}),
    set: (_, key) => (print(`${name}.${String(key)} =`), true),
  });
  const require = (id) => (print("requires", id), anything(id));
  const console = { log: print, error: print, warn: print, info: print };
  let exports = {};
  try {
    exports = runChunks(chunks, entry, { console, document: undefined }, require);
    await new Promise((resolve) => setTimeout(resolve, 20));
  } catch (error) {
    seen.push(`throws ${error?.name}`);
  }
  const names = Object.keys(exports ?? {}).filter((name) => name !== "__esModule").sort();
  const value = names.length === 1 && names[0] === "default" ? exports.default : exports;
  return { seen, exports: typeof value === "object" && value !== null ? Object.keys(value).filter((name) => name !== "__esModule").sort() : typeof value };
}

/** Ends with whether each entry point of a bundle does the same as Rollup's. */
async function compareRuns(chunks, entries, expected) {
  const names = [...expected.keys()];
  for (const entry of entries) {
    // Its name may be another if a sample says so.
    const theirs = names.length === 1 ? names[0] : names.find((name) => name === entry || basename(name).replace(/[-.].*/, "") === basename(entry, ".js"));
    if (theirs === undefined) end(3, `Rollup has no ${entry} among ${names.join(", ")}`);
    const texts = [JSON.stringify(await observed(chunks, entry)), JSON.stringify(await observed(expected, theirs))];
    if (texts[0] !== texts[1]) end(1, `${entry}: ours ${texts[0].slice(0, 280)}\nRollup's ${texts[1].slice(0, 280)}`);
  }
  end(0);
}

/** Runs a sample in a process of its own. */
function start(folder) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [import.meta.filename, "--one", folder], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: PATIENCE * 1000,
      killSignal: "SIGKILL",
    });
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (output += data));
    child.on("close", (status) => resolve({ state: status === 0 ? "pass" : status === 3 ? "none" : "fail", output: output.trim() }));
  });
}

async function all() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { filter: { type: "string", default: "" }, jobs: { type: "string", default: "2" } },
  });
  if (positionals.length !== 1) {
    console.error("usage: rollup_tests.mjs DIR [--filter TEXT] [--jobs N]");
    process.exit(2);
  }
  // Some samples are folders of samples.
  const samples = [];
  const find = (folder) => {
    if (existsSync(join(folder, "_config.js"))) return samples.push(folder);
    for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) find(join(folder, name));
  };
  find(path.resolve(positionals[0]));
  const wanted = samples.filter((folder) => basename(folder).includes(values.filter)).sort();
  const counts = { pass: 0, fail: 0, none: 0 };
  const report = [];
  const queue = wanted.entries();
  await Promise.all(
    Array.from({ length: Number(values.jobs) }, async () => {
      for (const [index, folder] of queue) {
        const { state, output } = await start(folder);
        counts[state]++;
        report[index] = `${state} ${path.relative(positionals[0], folder)}${state === "pass" || output === "" ? "" : `\n    ${output.replaceAll("\n", "\n    ")}`}`;
      }
    }),
  );
  console.log(report.join("\n"));
  console.log(`${counts.pass} of ${wanted.length} pass, ${counts.fail} fail, ${counts.none} are not for Bun.build`);
}

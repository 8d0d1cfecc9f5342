// A build of Bun.build or `bao build`: the crate `bundle` makes the results, here they are written and become Bun's objects.
import fs from "node:fs";
import path from "node:path";
import { bundleMessage } from "bun/messages";
import { notImplemented } from "bun/util";
import { makeArtifact } from "internal/bundle/artifact";
import type { BuildArtifact } from "internal/bundle/artifact";
import { check } from "internal/bundle/options";
import type { BuildConfig, CheckedConfig } from "internal/bundle/options";
import { Plugins } from "internal/bundle/plugins";
import type { Reply } from "internal/bundle/plugins";
import type { BundleItem } from "internal/bundle/rollup";
import type { LoaderName, NativeArtifact, NativeMessage, NativeOptions } from "internal/bundle/types";

const { dirname, join, resolve } = path;

const { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } = fs;

const ops = native("bundle");

/** What Bun.build gives. */
interface BuildOutput {
  outputs: BuildArtifact[];
  success: boolean;
  logs: Error[];
  metafile?: object;
}

/** What a build gives before it is written. */
export interface RawOutput {
  artifacts: NativeArtifact[];
  messages: NativeMessage[];
  metafile: string | null;
  /** The files that were read. */
  inputs: string[];
  /** The bytes of the artifacts whose texts the native half keeps, and writes, by their paths. */
  kept?: Map<string, number>;
  /** The results as plugins of Rollup have left them, if there are any. */
  bundle?: { [fileName: string]: BundleItem };
}

/** The text of what a plugin has thrown. */
function textOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "a plugin has thrown a value that has no text";
  }
}

/** The text of a module with the results of its macros. If they are not allowed, the first call is an error. */
async function expandMacros(
  path: string,
  text: string,
  loader: string,
  isAllowed: boolean,
): Promise<Reply | undefined> {
  const { expandText, failureOf } = require("internal/module/macros");
  try {
    const expanded = expandText(text, path, loader, [], isAllowed);
    return expanded === undefined ? undefined : { value: {}, bytes: Buffer.from(expanded) };
  } catch (error) {
    const { message, ...place } = failureOf(error, text);
    return { value: { error: message, ...place } };
  }
}

/** The files that the last build of a command line that watches has read, as text and as names. */
let lastInputs: { text: string; names: string[] } = { text: "[]", names: [] };

/** The names of the files that a build has read. Of builds that are made again these are the same array if they are the same. */
function inputsOf(text: string | null, isKept: boolean): string[] {
  if (text === null || (isKept && text === lastInputs.text)) return lastInputs.names;
  const names: string[] = JSON.parse(text);
  if (isKept) lastInputs = { text, names };
  return names;
}

/**
 * Runs a build whose plugins have been set up. `keepsModules`: whether plugins of Rollup may ask for its modules afterwards, until the
 * caller ends that.
 */
export async function run(
  { native: options, checksTypes }: CheckedConfig,
  plugins: Plugins,
  allowsMacros: boolean = true,
  keepsModules: boolean = false,
): Promise<RawOutput> {
  if (checksTypes) {
    const { messages, inputs } = require("internal/bundle/type_check").checkTypes(options);
    if (messages.some(({ level }) => level === "error")) return { artifacts: [], messages, metafile: null, inputs };
  }
  const { promise, resolve: settle, reject } = Promise.withResolvers<RawOutput>();
  const reply = (question: number, answer: Promise<Reply | undefined>) => {
    const failed = (error: unknown) => ops.answer(question, null, null, textOf(error));
    // A program may have changed `then`: a question without an answer would keep the build for ever.
    try {
      answer.then(
        (found) =>
          ops.answer(question, found === undefined ? null : JSON.stringify(found.value), found?.bytes ?? null, null),
        failed,
      );
    } catch (error) {
      failed(error);
    }
  };
  const side = options.target === "browser" ? "client" : "server";
  const { modules } = plugins.rollup;
  const ask = (question: number, kind: string, first: string, second: string, third: string, fourth: string) => {
    if (kind === "resolve") reply(question, plugins.resolve(first, second, third, fourth));
    else if (kind === "load") reply(question, plugins.load(question, first, second, third as LoaderName, side));
    else if (kind === "deferred") plugins.wake(question);
    else if (kind === "rollup") reply(question, plugins.callRollup(first, second));
    else if (kind === "told") modules.answer(question, first);
    else if (kind === "macros") reply(question, expandMacros(first, second, third, allowsMacros));
    else if (kind === "transform") reply(question, plugins.transform(first, second, third, fourth as LoaderName));
    else reply(question, plugins.renderChunk(first, second, outputOptions(options)));
  };
  // They live until the build has ended, as what the functions are given belongs to them.
  const natives = plugins.nativeFunctions;
  const done = (
    artifacts: NativeArtifact[],
    messages: string,
    metafile: string | null,
    inputs: string | null,
    sizes: [code: number, map: number] | null,
  ) => {
    natives.length = 0;
    const isKept = options.changed !== null;
    const kept = new Map<string, number>();
    for (const [name, kind] of sizes === null ? [] : artifacts) {
      if (kind === "entry-point") kept.set(name, sizes![0]);
      else if (kind === "sourcemap") kept.set(name, sizes![1]);
    }
    settle({ artifacts, messages: JSON.parse(messages), metafile, inputs: inputsOf(inputs, isKept), kept });
  };
  options.resolveFilters = plugins.resolveFilters;
  options.loadFilters = plugins.loadFilters;
  options.beforeParseFilters = plugins.nativeFilters;
  options.rollupHooks = plugins.rollup.hookNames;
  options.hasRollup = !plugins.rollup.isEmpty;
  plugins.rollup.emitted.splits = options.splitting;
  options.hasTransform = plugins.rollup.has("transform");
  options.hasRenderChunk = plugins.rollup.has("renderChunk");
  try {
    modules.begin(ops.build(JSON.stringify(options), ask, done, natives));
  } catch (error) {
    reject(error);
  }
  if (keepsModules) return promise;
  return promise.finally(() => modules.end());
}

/** What plugins of Rollup see as output options. */
function outputOptions({ format, sourcemap, outdir, naming, globalName }: NativeOptions): { [name: string]: unknown } {
  return {
    format: format === "esm" ? "es" : format,
    sourcemap: sourcemap === "inline" ? "inline" : sourcemap === "external" ? "hidden" : sourcemap !== "none",
    dir: outdir ?? undefined,
    name: globalName ?? undefined,
    entryFileNames: naming.entry,
    chunkFileNames: naming.chunk,
    assetFileNames: naming.asset,
    exports: "auto",
    compact: false,
    plugins: [],
    generatedCode: {
      arrowFunctions: true,
      constBindings: true,
      objectShorthand: true,
      reservedNamesAsProps: true,
      symbols: false,
    },
  };
}

/** Takes over what plugins of Rollup want otherwise among the output options. Throws about what has no counterpart. */
async function changeOutput(options: NativeOptions, plugins: Plugins): Promise<void> {
  const { rollup } = plugins;
  const sourcemaps = new Map<unknown, NativeOptions["sourcemap"]>([
    [true, "linked"],
    [false, "none"],
    ["inline", "inline"],
    ["hidden", "external"],
  ]);
  const templates: { [name: string]: "entry" | "chunk" | "asset" } = {
    entryFileNames: "entry",
    chunkFileNames: "chunk",
    assetFileNames: "asset",
  };
  for (const [name, value] of Object.entries(await rollup.changedOutput(outputOptions(options)))) {
    const template = templates[name];
    if (template !== undefined && typeof value === "string") {
      options.naming[template] = value;
      if (template === "asset") rollup.emitted.assetNames = value;
    } else if (name === "sourcemap" && sourcemaps.has(value)) options.sourcemap = sourcemaps.get(value)!;
    else if (name === "dir" && typeof value === "string") options.outdir = resolve(value);
    else if (name === "name" && typeof value === "string") options.globalName = value;
    else if (name === "banner" || name === "footer" || name === "intro" || name === "outro")
      rollup.addText(name, value);
    else throw notImplemented(`changing the output option "${name}" by the hook "outputOptions"`);
  }
}

/** A source map as plugins see it. */
function mapOf(text: string): object & { toString(): string } {
  const map = JSON.parse(text) as object;
  const url = () => `data:application/json;charset=utf-8;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}`;
  return Object.defineProperties(map, {
    toString: { value: () => JSON.stringify(map) },
    toUrl: { value: url },
  });
}

/** Lets plugins of Rollup change the results before they are written. */
async function generateBundle({ native: options }: CheckedConfig, plugins: Plugins, raw: RawOutput): Promise<void> {
  const { rollup } = plugins;
  if (rollup.isEmpty) return;
  const decoder = new TextDecoder();
  const bundle: { [fileName: string]: BundleItem } = {};
  const maps = new Map(raw.artifacts.filter(([, kind]) => kind === "sourcemap").map((map) => [map[0], map[4]]));
  for (const [fileName, kind, loader, , bytes, sourcemap, source, isEntry, description] of raw.artifacts) {
    if ((kind === "entry-point" || kind === "chunk") && loader !== "css") {
      const code = decoder.decode(bytes);
      const known = typeof description === "string" ? JSON.parse(description) : {};
      // Entry points are known to the bundler by other names.
      const name =
        isEntry && /^entry\d+$/.test(known.name ?? "")
          ? path.parse(fileName).name
          : (known.name ?? path.parse(fileName).name);
      const text = sourcemap === null ? undefined : maps.get(sourcemap);
      const map = text === undefined ? null : mapOf(decoder.decode(text));
      bundle[fileName] = { facadeModuleId: source, ...known, type: "chunk", fileName, name, isEntry, code, map };
    } else {
      const text = kind === "sourcemap" || loader === "css" ? decoder.decode(bytes) : bytes;
      bundle[fileName] = { type: "asset", fileName, name: undefined, source: text };
    }
  }
  rollup.modules.include(
    Object.values(bundle).flatMap((item) => (item.type === "chunk" ? Object.keys(item.modules ?? {}) : [])),
  );
  const given = new Map(Object.entries(bundle).map(([name, item]) => [name, { ...item }]));
  await rollup.generateBundle(bundle, outputOptions(options), options.outdir !== null || options.outfile !== null);
  const old = new Map(raw.artifacts.map((artifact) => [artifact[0], artifact]));
  raw.artifacts = Object.values(bundle).map((item): NativeArtifact => {
    const known = old.get(item.fileName);
    const content = item.type === "chunk" ? item.code : item.source;
    const before = given.get(item.fileName);
    if (
      known !== undefined &&
      before !== undefined &&
      (before.type === "chunk" ? before.code : before.source) === content
    )
      return known;
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    if (known !== undefined) return [...known.slice(0, 4), bytes, ...known.slice(5)] as NativeArtifact;
    const hash = Bun.hash(bytes).toString(36).padStart(8, "0").slice(0, 8);
    return [item.fileName, "asset", "file", hash, bytes, null, null, false];
  });
  raw.bundle = bundle;
}

/** Adds the compiled code of modules, beside each. */
export function addBytecode({ bytecode: asked, native }: CheckedConfig, raw: RawOutput): void {
  const { bytecode, outdir, cwd, format } = native;
  if (!bytecode) return;
  const decoder = new TextDecoder();
  raw.artifacts = raw.artifacts.flatMap((artifact): NativeArtifact[] => {
    const [name, kind, loader, hash, bytes, , source] = artifact;
    if ((kind !== "entry-point" && kind !== "chunk") || loader === "css" || loader === "html") return [artifact];
    const code = ops.bytecode(join(outdir ?? cwd, name), decoder.decode(bytes), format === "esm", asked === "all");
    if (code === undefined) return [artifact];
    return [artifact, [`${name}.jsc`, "bytecode", "file", hash, code, null, source, false]];
  });
}

/** The errors and warnings as Bun's objects. */
function logsOf(messages: readonly NativeMessage[]): Error[] {
  return messages.map(({ level, text, position, notes, unresolved }) =>
    bundleMessage(text, level, position, notes, unresolved),
  );
}

/**
 * Writes files beside their places and renames them when all are there, so that old results stay whole until then. Without bytes they
 * are the code of the last build and its map, which the native half keeps.
 * Throws the system's error about the first that cannot be written.
 */
export function writeAll(all: readonly { place: string; bytes: Uint8Array | string | null }[]): void {
  // Entry points may have one and the same result.
  const files = [...new Map(all.map((file) => [file.place, file])).values()];
  const mark = `.bao-${process.pid.toString(36)}-${Math.floor(Math.random() * 2 ** 32).toString(36)}`;
  const written: string[] = [];
  const kept: number[] = [];
  try {
    let folder = "";
    for (const { place, bytes } of files) {
      if (dirname(place) !== folder) mkdirSync((folder = dirname(place)), { recursive: true });
      if (statSync(place, { throwIfNoEntry: false })?.isDirectory()) {
        throw new Error(`cannot write "${place}": a folder of that name is there`);
      }
      written.push(place + mark);
      if (bytes === null) kept.push(openSync(place + mark, "w"));
      else writeFileSync(place + mark, bytes);
    }
    if (kept.length !== 0) ops.writeTexts(kept[0]!, kept[1] ?? null);
    for (const file of kept.splice(0)) closeSync(file);
    for (const { place } of files) {
      renameSync(place + mark, place);
      written.shift();
    }
  } catch (error) {
    for (const file of kept) closeSync(file);
    for (const place of written) rmSync(place, { force: true });
    throw error;
  }
}

/** Writes the results if the build has a place for them. Throws the system's error, or one about an input that would be lost. */
export function writeArtifacts({ native: { outdir } }: CheckedConfig, { artifacts, inputs, kept }: RawOutput): void {
  if (outdir === null) return;
  // For a few results a set of thousands of names is not worth its time.
  const read = artifacts.length > 8 ? new Set(inputs) : { has: (place: string) => inputs.includes(place) };
  const files = artifacts.map(([path, , , , bytes]) => {
    const place = join(outdir, path);
    if (read.has(place)) throw new Error(`Refusing to overwrite input file "${place}"`);
    return { place, bytes: kept?.has(path) === true ? null : bytes };
  });
  writeAll(files);
}

/** The results as Bun's objects. */
function artifactsOf({ native: { outdir } }: CheckedConfig, { artifacts }: RawOutput): BuildArtifact[] {
  const maps = new Map<string, BuildArtifact>();
  const make = ([path, kind, loader, hash, bytes]: NativeArtifact, sourcemap: BuildArtifact | null) =>
    makeArtifact(bytes, {
      path: outdir === null ? `./${path}` : join(outdir, path),
      kind,
      loader,
      hash: kind === "sourcemap" ? null : hash,
      sourcemap,
    });
  for (const artifact of artifacts) if (artifact[1] === "sourcemap") maps.set(artifact[0], make(artifact, null));
  return artifacts.map((artifact) => {
    const [path, kind, , , , sourcemap] = artifact;
    if (kind === "sourcemap") return maps.get(path)!;
    return make(artifact, (sourcemap === null ? undefined : maps.get(sourcemap)) ?? null);
  });
}

/** Writes the metafile where the options want it; relative places start at `folder`. */
export function writeMetafile({ metafile }: CheckedConfig, text: string | null, folder: string): void {
  if (metafile === undefined || text === null) return;
  const files: { place: string; bytes: string }[] = [];
  if (metafile.json !== undefined) files.push({ place: resolve(folder, metafile.json), bytes: text });
  if (metafile.markdown !== undefined) {
    files.push({
      place: resolve(folder, metafile.markdown),
      bytes: require("internal/bundle/analysis").markdownOf(JSON.parse(text)),
    });
  }
  writeAll(files);
}

/** Bun.build: https://bun.com/docs/bundler */
export function build(given: unknown): Promise<BuildOutput> {
  // Options that are wrong are told at once, as in Bun.
  return buildChecked(given as BuildConfig, check(given));
}

async function buildChecked(given: BuildConfig, config: CheckedConfig): Promise<BuildOutput> {
  const plugins = new Plugins(ops.defer);
  const { rollup } = plugins;
  let output: BuildOutput = { outputs: [], success: false, logs: [] };
  try {
    await plugins.setUp(config.plugins, given, config.native.naming.asset);
    // A plugin may have changed the options that it was shown.
    if (config.plugins.length !== 0) config = { ...check({ ...given, plugins: [] }), plugins: config.plugins };
    await plugins.start();
    const { native: options } = config;
    if (!rollup.isEmpty) await changeOutput(options, plugins);
    const raw = await run(config, plugins, true, true);
    output.logs = [...logsOf(raw.messages), ...rollup.warnings];
    output.success = !raw.messages.some(({ level }) => level === "error");
    await rollup.ended(output.success ? undefined : output.logs[0]);
    if (output.success) {
      await generateBundle(config, plugins, raw);
      addBytecode(config, raw);
      if (config.compile === undefined) writeArtifacts(config, raw);
      output.outputs =
        config.compile === undefined
          ? artifactsOf(config, raw)
          : await require("internal/bundle/compile").writeExecutable(config.compile, config.native, raw);
      if (raw.metafile !== null) output = { ...output, metafile: JSON.parse(raw.metafile) };
      writeMetafile(config, raw.metafile, options.outdir ?? options.cwd);
      if (options.outdir !== null || options.outfile !== null)
        await rollup.call("writeBundle", outputOptions(options), raw.bundle ?? {});
    }
    await rollup.call("closeBundle");
  } catch (error) {
    rollup.modules.end();
    if (config.throws) throw error;
    output = { outputs: [], success: false, logs: [error instanceof Error ? error : new Error(String(error))] };
  }
  rollup.modules.end();
  await plugins.end(output);
  if (!output.success && config.throws) throw new AggregateError(output.logs, "Bundle failed");
  return output;
}

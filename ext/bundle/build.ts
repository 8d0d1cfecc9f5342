// A build of Bun.build or `bao build`: the crate `bundle` makes the results, here they are written and become Bun's objects.
import fs from "node:fs";
import path from "node:path";
import { bundleMessage } from "bun/messages";
import { makeArtifact } from "internal/bundle/artifact";
import type { BuildArtifact } from "internal/bundle/artifact";
import { check } from "internal/bundle/options";
import type { BuildConfig, CheckedConfig } from "internal/bundle/options";
import { Plugins } from "internal/bundle/plugins";
import type { Reply } from "internal/bundle/plugins";
import type { LoaderName, NativeArtifact, NativeMessage } from "internal/bundle/types";

const { dirname, join, relative, resolve } = path;

const { mkdirSync, renameSync, rmSync, statSync, writeFileSync } = fs;

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
}

/** The text of what a plugin has thrown. */
function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The text of a module with the results of its macros. */
async function expandMacros(path: string, text: string, loader: string): Promise<Reply | undefined> {
  const { expandText, MacroError } = require("internal/module/macros");
  try {
    const expanded = expandText(text, path, loader);
    return expanded === undefined ? undefined : { value: {}, bytes: Buffer.from(expanded) };
  } catch (error) {
    if (error instanceof MacroError) return { value: { error: error.message, ...error.place } };
    const { message = `${error}`, stack = "" } = (error ?? {}) as Partial<Error>;
    // The stack of a SyntaxError of the transpiler begins with its place.
    const [, line = "0", column = "0"] = /^.*:(\d+):(\d+)\n/.exec(stack) ?? [];
    const lineText = text.split("\n")[Number(line) - 1] ?? "";
    return { value: { error: message, line: Number(line), column: Number(column), lineText } };
  }
}

/** Runs a build whose plugins have been set up. */
export function run({ native: options }: CheckedConfig, plugins: Plugins): Promise<RawOutput> {
  const { promise, resolve: settle, reject } = Promise.withResolvers<RawOutput>();
  const reply = (question: number, answer: Promise<Reply | undefined>) => {
    answer.then(
      (found) =>
        ops.answer(question, found === undefined ? null : JSON.stringify(found.value), found?.bytes ?? null, null),
      (error: unknown) => ops.answer(question, null, null, textOf(error)),
    );
  };
  const ask = (question: number, kind: string, first: string, second: string, third: string, fourth: string) => {
    if (kind === "resolve") reply(question, plugins.resolve(first, second, third, fourth));
    else if (kind === "macros") reply(question, expandMacros(first, second, third));
    else reply(question, plugins.load(first, second, third as LoaderName));
  };
  const done = (artifacts: NativeArtifact[], messages: string, metafile: string | null, inputs: string) => {
    settle({ artifacts, messages: JSON.parse(messages), metafile, inputs: JSON.parse(inputs) });
  };
  options.resolveFilters = plugins.resolveFilters;
  options.loadFilters = plugins.loadFilters;
  try {
    ops.build(JSON.stringify(options), ask, done);
  } catch (error) {
    reject(error);
  }
  return promise;
}

/** The errors and warnings as Bun's objects. */
function logsOf(messages: readonly NativeMessage[]): Error[] {
  return messages.map(({ level, text, position, notes, unresolved }) =>
    bundleMessage(text, level, position, notes, unresolved),
  );
}

/** Where a result goes; undefined if nothing is written. */
function placeOf({ native: { outdir, outfile } }: CheckedConfig, artifact: NativeArtifact): string | undefined {
  const [path, kind] = artifact;
  if (outfile !== null) {
    if (kind === "entry-point") return outfile;
    if (kind === "sourcemap") return `${outfile}.map`;
    return join(dirname(outfile), path);
  }
  return outdir === null ? undefined : join(outdir, path);
}

/**
 * Writes files beside their places and renames them when all are there, so that old results stay whole until then.
 * Throws the system's error about the first that cannot be written.
 */
export function writeAll(files: readonly { place: string; bytes: Uint8Array | string }[]): void {
  const mark = `.bao-${process.pid.toString(36)}-${Math.floor(Math.random() * 2 ** 32).toString(36)}`;
  const written: string[] = [];
  try {
    let folder = "";
    for (const { place, bytes } of files) {
      if (dirname(place) !== folder) mkdirSync((folder = dirname(place)), { recursive: true });
      if (statSync(place, { throwIfNoEntry: false })?.isDirectory()) {
        throw new Error(`cannot write "${place}": a folder of that name is there`);
      }
      written.push(place + mark);
      writeFileSync(place + mark, bytes);
    }
    for (const { place } of files) {
      renameSync(place + mark, place);
      written.shift();
    }
  } catch (error) {
    for (const place of written) rmSync(place, { force: true });
    throw error;
  }
}

/** The results as Bun's objects, written if the build has a place for them. */
export function artifactsOf(config: CheckedConfig, { artifacts, inputs }: RawOutput): BuildArtifact[] {
  const read = new Set(inputs);
  const files: { place: string; bytes: Uint8Array }[] = [];
  const maps = new Map<string, BuildArtifact>();
  const made: BuildArtifact[] = [];
  const make = (artifact: NativeArtifact, sourcemap: BuildArtifact | null) => {
    const [path, kind, loader, hash, bytes] = artifact;
    const place = placeOf(config, artifact);
    if (place !== undefined) {
      if (read.has(place)) throw new Error(`Refusing to overwrite input file "${place}"`);
      files.push({ place, bytes });
    }
    return makeArtifact(bytes, {
      path: place ?? `./${path}`,
      kind,
      loader,
      hash: kind === "sourcemap" ? null : hash,
      sourcemap,
    });
  };
  for (const artifact of artifacts) if (artifact[1] === "sourcemap") maps.set(artifact[0], make(artifact, null));
  for (const artifact of artifacts) {
    const [path, kind, , , , sourcemap] = artifact;
    if (kind === "sourcemap") made.push(maps.get(path)!);
    else made.push(make(artifact, (sourcemap === null ? undefined : maps.get(sourcemap)) ?? null));
  }
  writeAll(files);
  return made;
}

/** Writes the metafile where the options want it. */
function writeMetafile(config: CheckedConfig, text: string | null): void {
  const { metafile, native: options } = config;
  if (metafile === undefined || text === null) return;
  const folder = options.outdir ?? options.cwd;
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
  const plugins = new Plugins();
  let output: BuildOutput = { outputs: [], success: false, logs: [] };
  try {
    await plugins.setUp(config.plugins, given);
    // A plugin may have changed the options that it was shown.
    if (config.plugins.length !== 0) {
      const { native: options, compile } = check({ ...given, plugins: [] });
      config = { ...config, native: options, compile };
    }
    await plugins.start();
    const raw = await run(config, plugins);
    output.logs = logsOf(raw.messages);
    output.success = !raw.messages.some(({ level }) => level === "error");
    if (output.success) {
      output.outputs =
        config.compile === undefined
          ? artifactsOf(config, raw)
          : await require("internal/bundle/compile").writeExecutable(config.compile, config.native, raw);
      if (raw.metafile !== null) output = { ...output, metafile: JSON.parse(raw.metafile) };
      writeMetafile(config, raw.metafile);
    }
  } catch (error) {
    if (config.throws) throw error;
    output = { outputs: [], success: false, logs: [error instanceof Error ? error : new Error(String(error))] };
  }
  await plugins.end(output);
  if (!output.success && config.throws) throw new AggregateError(output.logs, "Bundle failed");
  return output;
}

/** A path as it is shown: from the working directory if it is below it. */
export function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}

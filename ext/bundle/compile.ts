// Executables (https://bun.com/docs/bundler/executables): the options of `compile`, and the results of a build put into a copy of bao.
import fs from "node:fs";
import path from "node:path";
import { invalidType } from "bun/util";
import { codes } from "internal/core/errors";
import { makeArtifact } from "internal/bundle/artifact";
import type { BuildArtifact } from "internal/bundle/artifact";
import type { RawOutput } from "internal/bundle/build";
import type { CheckedConfig } from "internal/bundle/options";
import type { NativeArtifact, NativeOptions } from "internal/bundle/types";

const { basename, dirname, extname, isAbsolute, join, relative, resolve } = path;
const { mkdirSync, readFileSync, readdirSync, statSync } = fs;

const ops = native("bundle");

/** Where the files of an executable are when it runs. */
const ROOT = "/$bunfs/root/";

/** `compile` of Bun.build, checked. */
export interface CompileOptions {
  outfile: string;
  /** The bao that is copied. */
  executablePath: string;
  execArgv: string[];
  autoloadDotenv: boolean;
  autoloadBunfig: boolean;
  autoloadTsconfig: boolean;
  autoloadPackageJson: boolean;
  /** Files and folders that are put in under their own names: name and place. */
  assets: { name: string; place: string }[];
  /** How many times longer than usual code stays in the interpreter; undefined for 1. */
  jitPolicy: number | undefined;
  /** Whether functions are compiled, too, and not only what runs when a module is loaded. */
  allFunctions: boolean;
  /** What runs of earlier builds have written about the functions that they used: paths and contents, the most important first. */
  orders: { file: string; content: Buffer }[];
  /** What becomes of the source maps: they are put in unless this is `none`, and written beside the executable with these two. */
  sourcemap: NativeOptions["sourcemap"];
}

type Given = { [name: string]: unknown };

function fail(text: string): never {
  throw new TypeError(text);
}

/** The words of a target's name, in any order. */
const words: { [word: string]: [part: "os" | "arch" | "libc" | "cpu", name: string] } = {
  __proto__: null as never,
  linux: ["os", "linux"],
  darwin: ["os", "darwin"],
  macos: ["os", "darwin"],
  windows: ["os", "windows"],
  win32: ["os", "windows"],
  freebsd: ["os", "freebsd"],
  x64: ["arch", "x64"],
  x86_64: ["arch", "x64"],
  amd64: ["arch", "x64"],
  arm64: ["arch", "arm64"],
  aarch64: ["arch", "arm64"],
  musl: ["libc", "musl"],
  glibc: ["libc", "glibc"],
  modern: ["cpu", "modern"],
  baseline: ["cpu", "baseline"],
};

/**
 * Looks whether executables can be made for a target, and gives its system and processor by Node's names. The processor may be
 * `modern` or `baseline`: bao has one build for both. Throws if it has no such name, or if that is another machine than this one
 * and no bao for it was named.
 */
function checkTarget(target: string, hasExecutable: boolean): { os: string; arch: string } {
  const [first, ...rest] = target.split("-");
  const parts: { [part: string]: string } = { os: process.platform, arch: process.arch, libc: "glibc" };
  if (first !== "bun" && first !== "bao") fail(`Unknown compile target: ${target}`);
  for (const word of rest) {
    if (/^v\d+\.\d+\.\d+/.test(word)) {
      if (word === `v${Bun.version}`) continue;
      throw new Error(
        `compile target "${target}": this bao makes executables of its own version, v${Bun.version}, only`,
      );
    }
    const known = words[word];
    if (known === undefined) fail(`Unknown compile target: ${target}`);
    parts[known[0]] = known[1];
  }
  const [os, arch, libc] = [parts["os"]!, parts["arch"]!, parts["libc"]];
  if (hasExecutable || (os === process.platform && arch === process.arch && libc === "glibc")) return { os, arch };
  throw new Error(
    `compile target "${target}": this bao is for ${process.platform}-${process.arch} and brings no executables of other ` +
      "machines; build there, or name a bao for that machine with executablePath (--compile-executable-path)",
  );
}

function booleanOf(given: Given, name: string, otherwise: boolean): boolean {
  const value = given[name];
  if (value === undefined || value === null) return otherwise;
  return typeof value === "boolean" ? value : fail(`Expected compile.${name} to be a boolean`);
}

function stringOf(given: Given, name: string): string | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : fail(`Expected compile.${name} to be a string`);
}

/** `jitPolicy`: a finite number of at least 1; undefined if it is 1. */
function jitPolicyOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number") {
    throw invalidType(`The "compile.jitPolicy" property must be of type number. Received ${typeof value}`);
  }
  if (!(value >= 1) || value === Infinity)
    throw new codes.ERR_OUT_OF_RANGE("compile.jitPolicy", "a finite number >= 1", value);
  return value === 1 ? undefined : value;
}

/** The files that `bytecodeOrder` names. */
function ordersOf(value: unknown, cwd: string, hasBytecode: boolean): CompileOptions["orders"] {
  if (value === undefined || value === null || value === false) return [];
  const files: unknown[] = Array.isArray(value) ? value : [value];
  const isText = (file: unknown): file is string => typeof file === "string";
  if (!files.every(isText)) {
    throw invalidType(
      `The "compile.bytecodeOrder" property must be of type string or array of strings. Received ${typeof value}`,
    );
  }
  if (files.includes("")) throw invalidType("compile.bytecodeOrder must not contain an empty path");
  if (files.length !== 0 && !hasBytecode) throw invalidType("compile.bytecodeOrder requires bytecode: true");
  return files.map((file) => {
    try {
      return { file, content: readFileSync(resolve(cwd, file)) };
    } catch (error) {
      throw new Error(`cannot read the bytecode order file ${file}: ${(error as Error).message}`);
    }
  });
}

/** The name of an executable whose first entry point this is. */
function nameOf(entry: string): string {
  const name = basename(entry, extname(entry));
  if (name !== "index") return name;
  const folder = basename(dirname(resolve(entry)));
  return folder === "" ? name : folder;
}

/** Files of a folder or a single one, under the names that they have in the executable: from the last part of its path on. */
function filesOf(given: string, cwd: string): { name: string; place: string }[] {
  const place = resolve(cwd, given);
  const status = statSync(place, { throwIfNoEntry: false });
  if (status === undefined) throw new Error(`--asset "${given}": there is no such file or folder`);
  const name = basename(place);
  if (!status.isDirectory()) return [{ name, place }];
  const entries = readdirSync(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  return files.sort().map((file) => ({ name: `${name}/${relative(place, file)}`, place: file }));
}

/** Pages that are one file each: nothing stands beside them (https://bun.com/docs/bundler/standalone-html). */
function makeStandalone(options: NativeOptions, outfile: string | undefined): void {
  if (options.splitting) fail("splitting makes files beside a page: it cannot be compiled for browsers with it");
  if (options.declarations) fail("declarations are not written beside a page that is one file");
  options.standalone = true;
  options.format = "esm";
  const file = options.outfile ?? (outfile === undefined ? null : resolve(options.outdir ?? options.cwd, outfile));
  if (file !== null) {
    options.outfile = file;
    options.outdir = dirname(file);
    options.naming = { ...options.naming, entry: basename(file) };
  }
  if (options.sourcemap !== "none") options.sourcemap = "inline";
}

/**
 * Checks `compile`, and changes the other options as it needs them. Undefined if no executable is asked for.
 * `assets`: what `--asset` names. `bytecode`: which compiled code is asked for, if any is.
 */
export function checkCompile(
  value: unknown,
  options: NativeOptions,
  assets: string[] = [],
  bytecode: CheckedConfig["bytecode"] = undefined,
): CompileOptions | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (value !== true && typeof value !== "string" && typeof value !== "object") {
    return fail("Expected compile to be a boolean, a target or an object");
  }
  const given: Given = value === true ? {} : typeof value === "string" ? { target: value } : (value as Given);
  const target = stringOf(given, "target");
  const template = stringOf(given, "executablePath");
  if (template !== undefined && statSync(template, { throwIfNoEntry: false })?.isFile() !== true) {
    fail("executablePath must be a valid path to a Bun executable");
  }
  const { os, arch } = checkTarget(target ?? "bao", template !== undefined);
  const { windows, execArgv } = given;
  if (windows !== undefined && windows !== null && Object.keys(windows as object).length !== 0) {
    const [name] = Object.keys(windows as object);
    throw new Error(`compile.windows.${name}: bao makes no executables for Windows`);
  }
  if (execArgv !== undefined && execArgv !== null && !Array.isArray(execArgv)) fail("execArgv must be an array");
  for (const word of (execArgv as unknown[]) ?? []) {
    if (typeof word !== "string") fail("execArgv must be an array of strings");
  }
  if (options.target === "browser" && options.entrypoints.every((entry) => /\.html?$/.test(entry))) {
    const foreign = Object.keys(given).find((name) => given[name] !== undefined && name !== "outfile");
    if (foreign !== undefined)
      fail(`compile.${foreign} is for executables: with target "browser" a page is the result`);
    if (assets.length !== 0) fail('--asset is for executables: with target "browser" a page is the result');
    makeStandalone(options, stringOf(given, "outfile"));
    return undefined;
  }
  const { cwd, outdir } = options;
  const outfile = stringOf(given, "outfile") ?? options.outfile ?? nameOf(options.entrypoints[0]!);
  const compile: CompileOptions = {
    outfile: isAbsolute(outfile) ? outfile : resolve(outdir ?? cwd, outfile),
    executablePath: template === undefined ? process.execPath : resolve(template),
    execArgv: (execArgv as string[]) ?? [],
    autoloadDotenv: booleanOf(given, "autoloadDotenv", true),
    autoloadBunfig: booleanOf(given, "autoloadBunfig", true),
    autoloadTsconfig: booleanOf(given, "autoloadTsconfig", false),
    autoloadPackageJson: booleanOf(given, "autoloadPackageJson", false),
    jitPolicy: jitPolicyOf(given["jitPolicy"]),
    allFunctions: bytecode === "all",
    orders: ordersOf(given["bytecodeOrder"], cwd, bytecode !== undefined),
    assets: assets.flatMap((asset) => filesOf(asset, cwd)),
    sourcemap: options.sourcemap,
  };
  if (outfile.endsWith("/") || statSync(compile.outfile, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new Error(`${outfile} is a directory. Please choose a different --outfile or delete the directory`);
  }
  if (options.declarations) {
    fail("declarations are not written beside an executable: build them apart, without compile (--compile)");
  }
  if (options.format === "iife") fail('format "iife" cannot be compiled: an executable runs "esm" or "cjs"');
  options.target = "bun";
  // Modules for one machine are found, and those for others left out.
  options.define = { "process.platform": JSON.stringify(os), "process.arch": JSON.stringify(arch), ...options.define };
  options.publicPath = ROOT;
  options.outdir = options.outfile = null;
  options.executable = basename(compile.outfile);
  if (options.sourcemap !== "none") options.sourcemap = "external";
  return compile;
}

/** A source map with its sources as paths from the working directory, and from a folder. */
function moved(
  text: string,
  artifact: NativeArtifact,
  cwd: string,
  folder: string,
): { embedded: string; written: string } {
  const map = JSON.parse(text) as { sources: string[] };
  const { sources } = map;
  const places = sources.map((source) => resolve(cwd, dirname(artifact[0]), source));
  map.sources = places.map((place) => relative(cwd, place));
  const embedded = JSON.stringify(map);
  map.sources = places.map((place) => relative(folder, place));
  return { embedded, written: JSON.stringify(map) };
}

/** Puts the results of a build into an executable. Gives what Bun.build gives: the executable and the source maps that are files. */
export async function writeExecutable(
  compile: CompileOptions,
  options: NativeOptions,
  raw: RawOutput,
): Promise<BuildArtifact[]> {
  const { outfile } = compile;
  const folder = dirname(outfile);
  if (raw.inputs.includes(outfile)) throw new Error(`Refusing to overwrite input file "${outfile}"`);
  const texts = new Map<string, NativeArtifact>();
  for (const artifact of raw.artifacts) if (artifact[1] === "sourcemap") texts.set(artifact[0], artifact);
  const scripts = raw.artifacts.filter(
    ([name, kind]) => kind !== "sourcemap" && kind !== "asset" && !name.endsWith(".css"),
  );
  // What runs comes first.
  scripts.sort((a, b) => Number(b[0] === options.executable) - Number(a[0] === options.executable));
  const executable = ops.executableNew(
    compile.execArgv,
    compile.autoloadDotenv,
    compile.autoloadBunfig,
    compile.autoloadTsconfig,
    compile.autoloadPackageJson,
    compile.jitPolicy,
  );
  const maps: { place: string; bytes: Buffer }[] = [];
  const decoder = new TextDecoder();
  try {
    for (const { file, content } of compile.orders) {
      if (!ops.executableOrder(executable, content)) throw new Error(`${file} is not a bytecode order file`);
    }
    let isOrdered = compile.orders.length === 0;
    for (const artifact of scripts) {
      const [name, , , , bytes] = artifact;
      const found = texts.get(artifact[5] ?? `${name}.map`);
      let map: string | null = null;
      if (found !== undefined) {
        const { embedded, written } = moved(
          decoder.decode(found[4]),
          artifact,
          options.cwd,
          dirname(join(folder, name)),
        );
        map = embedded;
        if (compile.sourcemap !== "inline")
          maps.push({ place: join(folder, `${name}.map`), bytes: Buffer.from(written) });
      }
      const isKnown = ops.executableModule(
        executable,
        name,
        decoder.decode(bytes),
        options.format === "esm",
        compile.allFunctions,
        map,
      );
      isOrdered ||= isKnown;
    }
    if (!isOrdered) {
      const files = compile.orders.map(({ file }) => file).join(", ");
      process.emitWarning(`the bytecode order file ${files} is of another build: record it again`);
    }
    for (const artifact of raw.artifacts) {
      if (artifact[1] === "sourcemap" || scripts.includes(artifact)) continue;
      ops.executableFile(executable, artifact[0], artifact[4]);
    }
    for (const { name, place } of compile.assets) ops.executableFile(executable, name, readFileSync(place));
    mkdirSync(folder, { recursive: true });
    await new Promise<void>((settle, reject) => {
      ops.executableWrite(executable, compile.executablePath, outfile, (error) => (error ? reject(error) : settle()));
    });
  } catch (error) {
    ops.executableDrop(executable);
    throw error;
  }
  require("internal/bundle/build").writeAll(maps);
  const made = maps.map(({ place, bytes }) =>
    makeArtifact(bytes, { path: place, kind: "sourcemap", loader: "file", hash: null, sourcemap: null }),
  );
  const [main] = scripts;
  const [, kind, loader, hash, bytes] = main!;
  return [makeArtifact(bytes, { path: outfile, kind, loader, hash, sourcemap: made[0] ?? null }, true), ...made];
}

// The option `check` of Bun.build: TypeScript's own checker, the package `typescript` of the project, looks at the entry points and
// at what they import before anything is bundled (https://github.com/microsoft/TypeScript/wiki/Using-the-Compiler-API).
import Module from "node:module";
import path from "node:path";
import type { NativeMessage, NativeOptions } from "internal/bundle/types";

const { dirname, join, resolve } = path;

interface SourceFile {
  fileName: string;
  text: string;
}

interface Diagnostic {
  category: number;
  code: number;
  messageText: unknown;
  file?: SourceFile;
  start?: number;
  length?: number;
}

interface Program {
  getSourceFiles(): readonly SourceFile[];
  isSourceFileFromExternalLibrary(file: SourceFile): boolean;
  isSourceFileDefaultLibrary(file: SourceFile): boolean;
}

/** Of `compilerOptions` those that are looked at here. */
interface Options {
  composite?: boolean;
  declaration?: boolean;
}

interface Host {
  fileExists(name: string): boolean;
  readFile(name: string): string | undefined;
}

/** What bao uses of the package. */
interface TypeScript {
  sys: { fileExists(name: string): boolean; readFile(name: string): string | undefined };
  DiagnosticCategory: { Error: number };
  findConfigFile(folder: string, exists: (name: string) => boolean): string | undefined;
  readConfigFile(file: string, read: (name: string) => string | undefined): { config?: object; error?: Diagnostic };
  parseJsonConfigFileContent(
    config: object,
    system: object,
    folder: string,
    existing: undefined,
    file: string,
  ): { options: Options; errors: Diagnostic[] };
  convertCompilerOptionsFromJson(json: object, folder: string): { options: Options };
  createCompilerHost(options: object): Host;
  createProgram(names: string[], options: object, host: Host): Program;
  getPreEmitDiagnostics(program: Program): readonly Diagnostic[];
  flattenDiagnosticMessageText(text: unknown, newline: string): string;
  getLineAndCharacterOfPosition(file: SourceFile, place: number): { line: number; character: number };
}

/** What the checker says, and the files that it has read of the project. */
interface Checked {
  messages: NativeMessage[];
  inputs: string[];
}

/** Settings where there is no tsconfig.json: what a bundler allows. */
const unconfigured = {
  allowImportingTsExtensions: true,
  allowJs: true,
  jsx: "react-jsx",
  module: "esnext",
  moduleResolution: "bundler",
  skipLibCheck: true,
  strict: true,
  target: "esnext",
};

/** The package `typescript` as a project sees it. Throws if there is none, or one without an interface for programs (7.0). */
function typescriptOf(cwd: string): TypeScript {
  const requires = Module.createRequire(join(cwd, "type-check.js"));
  let found: TypeScript | undefined;
  let reason: unknown;
  try {
    found = requires("typescript") as TypeScript;
  } catch (cause) {
    reason = cause;
  }
  if (typeof found?.createProgram === "function") return found;
  throw new Error('check needs the package "typescript" with its compiler API: bao add --dev typescript@5', {
    cause: reason,
  });
}

function messageOf(
  ts: TypeScript,
  { category, code, messageText, file, start = 0, length = 0 }: Diagnostic,
): NativeMessage {
  const text = `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  const level = category === ts.DiagnosticCategory.Error ? "error" : "warning";
  if (file === undefined) return { level, text, position: null, notes: [], unresolved: null };
  const { line, character } = ts.getLineAndCharacterOfPosition(file, start);
  const lineStart = start - character;
  const lineText = /^.*/.exec(file.text.slice(lineStart))![0];
  const position = {
    file: file.fileName,
    namespace: "file",
    line: line + 1,
    column: character + 1,
    length,
    offset: start,
    lineText,
  };
  return { level, text, position, notes: [], unresolved: null };
}

/** Checks the scripts among the entry points of a build. Throws if the project has no TypeScript. */
export function checkTypes({ cwd, entrypoints, tsconfig, files }: NativeOptions): Checked {
  const names = entrypoints.map((entry) => resolve(cwd, entry)).filter((name) => /\.[cm]?[jt]sx?$/.test(name));
  if (names.length === 0) return { messages: [], inputs: [] };
  const ts = typescriptOf(cwd);
  const { sys } = ts;
  const configFile = tsconfig ?? ts.findConfigFile(dirname(names[0]!), sys.fileExists);
  let options: Options;
  const problems: Diagnostic[] = [];
  if (configFile === undefined) ({ options } = ts.convertCompilerOptionsFromJson(unconfigured, cwd));
  else {
    const { config = {}, error } = ts.readConfigFile(configFile, sys.readFile);
    if (error !== undefined) problems.push(error);
    const parsed = ts.parseJsonConfigFileContent(config, sys, dirname(configFile), undefined, configFile);
    ({ options } = parsed);
    // That no file is listed or matches is no matter: the entry points are what is checked.
    problems.push(...parsed.errors.filter(({ code }) => code !== 18002 && code !== 18003));
  }
  // What is imported need not be listed or below one folder, and nothing is written: rules of projects that write do not hold.
  const { composite = false, declaration = composite } = options;
  const inMemory = { composite: false, incremental: false, tsBuildInfoFile: undefined, rootDir: undefined };
  const checked = { ...options, ...inMemory, declaration, noEmit: true };
  const host = ts.createCompilerHost(checked);
  const virtual = new Map(Object.entries(files));
  const { fileExists, readFile } = host;
  host.fileExists = (name) => virtual.has(name) || fileExists.call(host, name);
  host.readFile = (name) => virtual.get(name) ?? readFile.call(host, name);
  const program = ts.createProgram(names, checked, host);
  const isOwn = (file: SourceFile) =>
    !program.isSourceFileFromExternalLibrary(file) && !program.isSourceFileDefaultLibrary(file);
  return {
    messages: [...problems, ...ts.getPreEmitDiagnostics(program)].map((diagnostic) => messageOf(ts, diagnostic)),
    inputs: program
      .getSourceFiles()
      .filter(isOwn)
      .map((file) => file.fileName),
  };
}

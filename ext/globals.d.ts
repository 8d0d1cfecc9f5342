// What the built-in modules see beside the language: `native`, typed `require`, and globals whose types are written by hand.
// The other globals are in modules.d.ts.

/** The object of native functions ("ops") of one API family, see docs/architecture.md, walk 3. */
declare function native<K extends keyof Natives>(family: K): Natives[K];

/**
 * Loads another built-in module by id (`node:fs`, `internal/core/errors`, `web/url`); cached.
 *
 * A computed id is of a union of ids, or cast to one; the result then has the members that all of them have.
 */
declare function require<K extends keyof BuiltinModules>(id: K): BuiltinModules[K];

/** The ids of the built-in modules. */
type BuiltinId = keyof BuiltinModules;

/** What `new` gives for a class; `unknown` for a value that is none. */
type Instance<T> = T extends abstract new (...args: never) => infer I ? I : unknown;

/** The names of Node's character encodings. */
type BufferEncoding =
  | "ascii"
  | "base64"
  | "base64url"
  | "binary"
  | "hex"
  | "latin1"
  | "ucs-2"
  | "ucs2"
  | "utf-16le"
  | "utf-8"
  | "utf16le"
  | "utf8";

type Buffer<T extends ArrayBufferLike = ArrayBufferLike> = import("internal/buffer/types").Buffer<T>;
declare var Buffer: import("internal/buffer/types").BufferConstructor;

declare var process: import("internal/process/types").Process;

/** A frame of a stack as `Error.prepareStackTrace` gets it: https://v8.dev/docs/stack-trace-api */
interface CallSite {
  getColumnNumber(): number | null;
  getEvalOrigin(): string | undefined;
  getFileName(): string | null;
  getFunction(): Function | undefined;
  getFunctionName(): string | null;
  getLineNumber(): number | null;
  getMethodName(): string | null;
  getScriptNameOrSourceURL(): string | null;
  getThis(): unknown;
  getTypeName(): string | null;
  isAsync(): boolean;
  isConstructor(): boolean;
  isEval(): boolean;
  isNative(): boolean;
  isToplevel(): boolean;
}

interface ErrorConstructor {
  /** Gives `target` a `stack` of the frames above the topmost call of `above`. */
  captureStackTrace(target: object, above?: Function): void;
  stackTraceLimit: number;
  prepareStackTrace?: ((error: Error, sites: CallSite[]) => unknown) | undefined;
}

/** An error with the properties that Node's errors may have beyond Error's own. */
interface NodeError extends Error {
  code?: string;
  errno?: number;
  syscall?: string;
  path?: string;
  dest?: string;
  address?: string;
  port?: number;
  hostname?: string;
  info?: unknown;
  context?: unknown;
  reason?: unknown;
}

/** An error that has a code. */
interface CodedError extends NodeError {
  code: string;
}

/** What a callback gets: an error first, null or nothing if there is none. */
type Callback = (error?: NodeError | null, ...values: unknown[]) => void;

/** A check of internal/core/validators that is loaded on its first use, and so cannot narrow what it checks. */
type Check = (value: unknown, name: string, ...limits: unknown[]) => void;
type Checks = Record<`validate${string}`, Check>;

// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  bun: {
    /** A 32-bit hash of bytes; the numbers of the functions are in `hash::hash32`. */
    hash32(function_: number, input: Native.Bytes, seed: number | bigint): number;
    /** A 32-bit hash of a string's UTF-8. */
    hash32Text(function_: number, input: string, seed: number | bigint): number;
    /** A 64-bit hash of bytes, as a BigInt. */
    hash64(function_: number, input: Native.Bytes, seed: number | bigint): bigint;
    /** A 64-bit hash of a string's UTF-8, as a BigInt. */
    hash64Text(function_: number, input: string, seed: number | bigint): bigint;
    /** Columns that a string takes in a terminal. */
    stringWidth(text: string, countEscapes: boolean, ambiguousIsNarrow: boolean): number;
    /**
     * What each grapheme cluster of a string without escape sequences is: its length in UTF-16 units and its columns, in
     * turns.
     */
    clusters(text: string, ambiguousIsNarrow: boolean): number[];
    /** A string without escape sequences; undefined if it has none. */
    stripAnsi(text: string): string | undefined;
    /** A string with entities for `"&'<>`; undefined if it has none of them. */
    escapeHtml(text: string): string | undefined;
    /** Position of the first line feed at or after `from`, -1 if there is none. */
    indexOfLine(bytes: Native.Bytes, from: number): number;
    /** Compiles a pattern; the number by which `globMatch` knows it until `globFree`. */
    globCompile(pattern: string): number;
    /** Forgets a pattern. */
    globFree(slot: number): void;
    /** Whether a pattern matches all of a path. */
    globMatch(slot: number, path: string): boolean;
    /**
     * Paths below `cwd` that match, with a NUL after each and `prefix` before each. `options`: 1 names with a dot, 2 follow
     * links, 4 broken links are errors, 8 only files. Errors as open and getdents do.
     */
    globScanSync(pattern: string, cwd: string, prefix: string, options: number): string;
    /** The same on the thread pool. */
    globScan(pattern: string, cwd: string, prefix: string, options: number, callback: Native.Callback<string>): void;
    globScan(pattern: string, cwd: string, prefix: string, options: number): Promise<string>;
    /** Whether a version is in a range; false for what is no version. */
    semverSatisfies(version: string, range: string): boolean;
    /** -1, 0 or 1; 2 where the first, 3 where the second is no version. */
    semverOrder(a: string, b: string): number;
    /** Hashes a password; see `password::hash`. */
    passwordHashSync(algorithm: string, password: Native.Bytes, memory: number, time: number, cost: number): string;
    /** The same on the thread pool. */
    passwordHash(algorithm: string, password: Native.Bytes, memory: number, time: number, cost: number, callback: Native.Callback<string>): void;
    passwordHash(algorithm: string, password: Native.Bytes, memory: number, time: number, cost: number): Promise<string>;
    /** Whether a hash is one of the password; see `password::verify`. */
    passwordVerifySync(password: Native.Bytes, hash: string, algorithm?: string | null | undefined): boolean;
    /** The same on the thread pool. */
    passwordVerify(password: Native.Bytes, hash: string, algorithm: string | null | undefined, callback: Native.Callback<boolean>): void;
    passwordVerify(password: Native.Bytes, hash: string, algorithm?: string | null | undefined): Promise<boolean>;
    /** Path of the program `name` in the directories of `path`, which are separated by colons. */
    which(name: string, path: string, cwd: string): string | undefined;
    /** Blocks the thread for so many milliseconds, in a worker until it is ended. */
    sleepSync(milliseconds: number): void;
    /** Multiplies by `scale`, at least 1, how often code runs before it leaves the interpreter. */
    setJitPolicy(scale: number): void;
    /** HTML of Markdown; `flags`: `markdown::Flags`. */
    markdownHtml(text: string, flags: number): string;
    /** What Markdown has, in order; see `markdown::outline`. */
    markdownOutline(text: string, flags: number): string[];
    /** An ArrayBuffer on a file's bytes from `offset`, a multiple of the page size; see `mapping::open`. */
    mapFile(path: string, offset: number | bigint, size: number | bigint | null | undefined, shared: boolean): ArrayBuffer;
    /**
     * What the C library's allocator has, in bytes: heaps from the system, blocks mapped by themselves, how many of these, what is in use, what
     * is free, and the free end of the main heap.
     */
    allocatorStatistics(): number[];
  };

  bun_data: {
    /** The value of a text. `format`: 0 JSONC, 1 JSON5, 2 TOML, 3 YAML. Throws a SyntaxError, its message without the format. */
    parseData(format: number, text: string): unknown;
    /**
     * JavaScript for a text. `loader`: js, jsx, ts or tsx. `define`: names and replacements in turns. `flags`: 1 without
     * whitespace, 2 the classic JSX runtime, 4 the automatic one without development information, 8 shorter syntax, 16 shorter
     * names, 32 constants evaluated, 64 without dead code, 128 without unused imports, 256 as one expression for a REPL, 512 with unused
     * imports in TypeScript, 1024 TypeScript's own decorators, 2048 with their metadata, 4096 class fields as assignments. `names`: the
     * JSX import source, factory and fragment, "" for the default. `exports`: in turns the name of an export, its new name ("": the
     * same), and the expression in its place ("": nothing).
     */
    transform(text: string, loader: string, define: readonly string[], flags: number, names: readonly string[], exports: readonly string[]): string;
    /** The same on the thread pool. */
    transformLater(text: string, loader: string, define: readonly string[], flags: number, names: readonly string[], exports: readonly string[], callback: Native.Callback<string>): void;
    transformLater(text: string, loader: string, define: readonly string[], flags: number, names: readonly string[], exports: readonly string[]): Promise<string>;
    /** What a text exports and asks for: `[exports, kinds and specifiers in turns]`. Kinds: s import, d import(), r require. */
    scanModule(text: string, loader: string): [string[], string[]];
  };
}

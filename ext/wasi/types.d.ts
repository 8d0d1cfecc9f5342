/** What a program is given. */
export interface Settings {
  args: string[];
  /** `name=value`. */
  env: string[];
  /** Names of folders as the program calls them, and their paths on the host. */
  preopens: [name: string, path: string][];
  /** Descriptors of stdin, stdout and stderr. */
  stdio: [number, number, number];
  exit: (code: number) => void;
}

/** A function of WASI as a program calls it: numbers are 32 bits wide, BigInts 64; the result is an error's number. */
export type Import = (...values: (number | bigint)[]) => number;

/** A memory of WebAssembly; its buffer is another one after it has grown. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
}

/** What of a file's bigint stats is used. */
export type Stats = Record<"dev" | "ino" | "mode" | "nlink" | "size" | "atimeNs" | "mtimeNs" | "ctimeNs", bigint>;

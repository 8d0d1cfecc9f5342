// Shared types of the file functions. What programs give is `unknown` until it is checked; these are the checked values.

/** A path as `getValidatedPath` gives it: text, or bytes that need not be UTF-8. */
export type CheckedPath = string | Uint8Array;

/** A path or name that programs get: text, or with the encoding "buffer" bytes. */
export type GivenPath = string | Buffer;

/** Options as `getOptions` gives them: the encoding and the signal are checked, the others as the program has them. */
export interface CheckedOptions {
  /** The name of an encoding, or "buffer". */
  encoding?: string | null;
  signal?: AbortSignal;
  [name: string]: unknown;
}

/** Options of functions that give the status of a file. */
export interface StatusOptions {
  /** Values are bigints. */
  bigint?: unknown;
  /** False: no error for a file that is not there. */
  throwIfNoEntry?: unknown;
}

/** Where a read or write of an open file begins, and how much it is; each with a default. */
export interface RangeOptions {
  offset?: number;
  length?: number;
  position?: number | bigint | null;
}

/** A callback of a program, which may also say that its error is always there: the types of its parameters are not strict. */
export type Done<T extends unknown[] = []> = {
  call(error: NodeError | null | undefined, ...values: T): void;
}["call"];

/** The options of read() with a view to read into. */
export interface ReadOptions extends RangeOptions {
  buffer?: ArrayBufferView;
}

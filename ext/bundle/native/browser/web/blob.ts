// The browser's own Blob and File.

export const { Blob, File } = globalThis as typeof globalThis & { Blob: Function; File: Function };

/** Only the page's loader knows what a URL of a blob was made for. */
export function resolveObjectURL(): never {
  throw new Error("buffer.resolveObjectURL is not supported in browsers: fetch() the URL instead");
}

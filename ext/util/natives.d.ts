// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  inspect: {
    /** `[state, result]`: 0 pending, 1 fulfilled, 2 rejected; undefined for other values. */
    promiseDetails(value?: unknown): [state: 0 | 1 | 2, result: unknown] | undefined;
    /** `[target, handler]` of a proxy; undefined for other values. */
    proxyDetails(value?: unknown): [target: object | null, handler: object | null] | undefined;
    /** Internal class of an object as a number; the list stands in ext/util/types.ts. */
    classOf(value?: unknown): number;
    /** Own keys that are no array indices, symbols included. */
    ownNonIndexKeys(object: object, onlyEnumerable: boolean): (string | symbol)[];
    /**
     * Whether two objects are equal in all that is in them, as far as that can be said without running JavaScript:
     * see `Scope::compare_trees`. `rules`: 0 loose, 1 strict, 3 strict without prototypes (the numbers of
     * ext/util/comparisons.ts), 4 as Bun, 5 as Bun, strict.
     */
    compareTrees(a: unknown, b: unknown, rules: number, outer?: unknown): boolean | unknown[] | undefined;
    /** What an iterator or weak collection holds: the engine does not tell without changing the iterator, so undefined. */
    previewEntries(value?: unknown): [items: unknown[], arePairs: boolean] | undefined;
    /**
     * Frames `[function, source, line, column, isAsync]` of the running code, mapped to original positions, without the
     * frames of bao's own modules.
     */
    currentStack(limit: number): [function: string, source: string, line: number, column: number, isAsync: boolean][];
    /** The same for an error object; undefined for other values. */
    errorFrames(error?: unknown): [function: string, source: string, line: number, column: number, isAsync: boolean][] | undefined;
  };

  util: {
    /** Columns that a text after NFC takes in a terminal: those of its code points, escape sequences like any other text. */
    columns(text: string): number;
    /**
     * A shortest script of edits from one list to another, whose items are given as numbers: 0 keep, 1 delete, 2 insert.
     * `comma` has for each number the one of the same text with a comma at its end, which counts as the same; empty if none
     * does. Undefined if it takes more than `most` edits.
     */
    diff(old: Native.Bytes, next: Native.Bytes, comma: Native.Bytes, most: number): Uint8Array<ArrayBuffer> | undefined;
  };
}

// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
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

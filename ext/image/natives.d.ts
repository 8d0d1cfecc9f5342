// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  image: {
    /** Width, height and format by the header; `maxPixels` is the limit, and with `autoOrient` the sides are those that EXIF means. */
    probe(bytes: Native.Bytes, maxPixels: number, autoOrient: boolean): [number, number, string];
    /**
     * Width, height and format of the canvas, how long each frame is shown in milliseconds, and how often all of them are (0 for ever).
     * With `autoOrient` the sides are those that EXIF means.
     */
    timing(bytes: Native.Bytes, maxPixels: number, autoOrient: boolean): [number, number, string, number[], number];
    /** Decodes, changes and encodes by a plan: the file, its type, width and height. */
    transform(bytes: Native.Bytes, plan: readonly number[], callback: Native.Callback<[Uint8Array<ArrayBuffer>, string, number, number]>): void;
    transform(bytes: Native.Bytes, plan: readonly number[]): Promise<[Uint8Array<ArrayBuffer>, string, number, number]>;
    /** The same at once. */
    transformSync(bytes: Native.Bytes, plan: readonly number[]): [Uint8Array<ArrayBuffer>, string, number, number];
  };
}

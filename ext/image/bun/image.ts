/** `Bun.Image`: images from bytes to bytes, off the loop's thread (https://bun.com/docs/runtime/image). */

import { kEncodeBody } from "internal/fetch/body";
import { type FormatName, Pipeline } from "internal/image/pipeline";
import { type Source, sourceOf } from "internal/image/source";
import { constructorOnly, invalidType, wrongThis } from "bun/util";

const { probe, timing, transform, transformSync } = native("image");

/** What native code gives: the file, its type, width and height. */
type Encoded = [bytes: Uint8Array, type: string, width: number, height: number];

interface Metadata {
  width: number;
  height: number;
  format: string;
  /** Of an image that is `animated`: how many frames there are, how long each is shown in milliseconds, how often all are (0 for ever). */
  frames?: number;
  delays?: number[];
  loops?: number;
}

/** Formats by what comes last in a path. */
const extensions: Record<string, FormatName> = {
  jpg: "jpeg",
  jpeg: "jpeg",
  png: "png",
  webp: "webp",
  heic: "heic",
  avif: "avif",
  gif: "gif",
  tif: "tiff",
  tiff: "tiff",
};

class Image {
  readonly #source: Source;
  readonly #pipeline: Pipeline;
  #width = -1;
  #height = -1;

  constructor(input?: unknown, options?: unknown) {
    this.#source = sourceOf(input);
    this.#pipeline = new Pipeline(options);
  }

  static #of(value: unknown): Image {
    if (typeof value === "object" && value !== null && #source in value) return value;
    throw wrongThis(value, "Image");
  }

  /** Runs the pipeline as it is now; what is called later does not change it. */
  async #run(format?: FormatName): Promise<Encoded> {
    const plan = this.#pipeline.plan(format);
    const encoded = (await transform(await this.#source.read(), plan)) as Encoded;
    [, , this.#width, this.#height] = encoded;
    return encoded;
  }

  /** The width of what came out last, or of the source after `metadata()`; -1 before. */
  get width(): number {
    if (typeof this !== "object" || this === null || !(#source in this)) {
      throw new TypeError("The Image.width getter can only be used on instances of Image");
    }
    return this.#width;
  }

  /** The same for the height. */
  get height(): number {
    if (typeof this !== "object" || this === null || !(#source in this)) {
      throw new TypeError("The Image.height getter can only be used on instances of Image");
    }
    return this.#height;
  }

  /** Keeps a part of the image, which has been turned and mirrored and is resized afterwards. bao's own. */
  crop(area: unknown): this {
    Image.#of(this).#pipeline.crop(area);
    return this;
  }

  /** Blurs by a Gaussian of this standard deviation in pixels, after all else. bao's own. */
  blur(sigma: unknown): this {
    Image.#of(this).#pipeline.blur(sigma);
    return this;
  }

  /** Makes the image so large in pixels; without a height it keeps its proportions. */
  resize(width: unknown, height?: unknown, options?: unknown): this {
    Image.#of(this).#pipeline.resize(width, height, options);
    return this;
  }

  /** Turns clockwise by a multiple of 90 degrees, before it is resized. */
  rotate(degrees: unknown): this {
    Image.#of(this).#pipeline.rotate(degrees);
    return this;
  }

  /** Mirrors top and bottom. */
  flip(): this {
    Image.#of(this).#pipeline.flip();
    return this;
  }

  /** Mirrors left and right. */
  flop(): this {
    Image.#of(this).#pipeline.flop();
    return this;
  }

  /** Changes brightness and saturation by factors. */
  modulate(options: unknown): this {
    Image.#of(this).#pipeline.modulate(options);
    return this;
  }

  jpeg(options: unknown): this {
    Image.#of(this).#pipeline.encode("jpeg", options);
    return this;
  }

  png(options: unknown): this {
    Image.#of(this).#pipeline.encode("png", options);
    return this;
  }

  webp(options: unknown): this {
    Image.#of(this).#pipeline.encode("webp", options);
    return this;
  }

  /** A GIF; `colors` are those of each frame. bao's own. */
  gif(options: unknown): this {
    Image.#of(this).#pipeline.encode("gif", options);
    return this;
  }

  /** bao's own. */
  tiff(options: unknown): this {
    Image.#of(this).#pipeline.encode("tiff", options);
    return this;
  }

  heic(options: unknown): this {
    Image.#of(this).#pipeline.encode("heic", options);
    return this;
  }

  avif(options: unknown): this {
    Image.#of(this).#pipeline.encode("avif", options);
    return this;
  }

  /** Size and format by the header, without decoding. */
  async metadata(): Promise<Metadata> {
    const image = Image.#of(this);
    const bytes = await image.#source.read();
    const { maxPixels, autoOrient, animated } = image.#pipeline;
    if (animated) {
      const [width, height, format, delays, loops] = timing(bytes, maxPixels, autoOrient);
      image.#width = width;
      image.#height = height;
      return { width, height, format, frames: delays.length, delays, loops };
    }
    const [width, height, format] = probe(bytes, maxPixels, autoOrient) as [number, number, string];
    image.#width = width;
    image.#height = height;
    return { width, height, format };
  }

  async bytes(): Promise<Uint8Array> {
    return (await Image.#of(this).#run())[0];
  }

  async buffer(): Promise<Buffer> {
    const [bytes] = await Image.#of(this).#run();
    return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The name that sharp has for `buffer()`. */
  toBuffer(): Promise<Buffer> {
    return this.buffer();
  }

  async blob(): Promise<Blob> {
    const [bytes, type] = await Image.#of(this).#run();
    return new Blob([bytes as Uint8Array<ArrayBuffer>], { type });
  }

  async toBase64(): Promise<string> {
    return (await this.buffer()).toString("base64");
  }

  async dataurl(): Promise<string> {
    return dataUrl(await Image.#of(this).#run());
  }

  /** A blurred picture of at most 32 pixels a side as a data: URL. */
  placeholder(as?: unknown): Promise<string> {
    const image = Image.#of(this);
    if (as !== undefined && as !== "dataurl") {
      throw invalidType('Image.placeholder(): only "dataurl" is supported');
    }
    return image.#run("placeholder").then(dataUrl);
  }

  /** Writes where `Bun.write` can; the extension of a path is the format if no method has said one. */
  write(destination: unknown): Promise<number> {
    const image = Image.#of(this);
    if (destination === undefined || destination === null) {
      throw invalidType("Image.write(dest): expected a path, Bun.file, Bun.s3 or fd");
    }
    let format: FormatName | undefined;
    if (typeof destination === "string" && image.#pipeline.format === "source") {
      format = extensions[/\.([a-z]+)$/i.exec(destination)?.[1]!.toLowerCase() ?? ""];
    }
    return image.#run(format).then(([bytes]) => require("bun/file").write(destination, bytes));
  }

  /** Encodes at once, for a body of a Response or Request. */
  [kEncodeBody](): [Uint8Array, string] {
    const encoded = transformSync(this.#source.readNow(), this.#pipeline.plan()) as Encoded;
    const [bytes, type] = encoded;
    [, , this.#width, this.#height] = encoded;
    return [bytes, type];
  }

  /** There is one backend, and no clipboard outside of a desktop: as in Bun on Linux. */
  static get backend(): string {
    return backend;
  }

  static set backend(value: unknown) {
    if (typeof value !== "string") throw invalidType("Bun.Image.backend must be a string");
    if (value !== "system" && value !== "bun") throw invalidType("Bun.Image.backend must be one of 'system' or 'bun'");
    backend = value;
  }

  static fromClipboard(): null {
    return null;
  }

  static hasClipboardImage(): boolean {
    return false;
  }

  static clipboardChangeCount(): number {
    return -1;
  }
}

let backend = "bun";

function dataUrl([bytes, type]: Encoded): string {
  const { buffer, byteOffset, byteLength } = bytes;
  return `data:${type};base64,${Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString("base64")}`;
}

const { defineProperty, getOwnPropertyNames } = Object;
for (const name of getOwnPropertyNames(Image.prototype)) {
  if (name !== "constructor") defineProperty(Image.prototype, name, { enumerable: true });
}
for (const name of ["backend", "fromClipboard", "hasClipboardImage", "clipboardChangeCount"]) {
  defineProperty(Image, name, { enumerable: true });
}
defineProperty(Image.prototype, Symbol.toStringTag, { value: "Image", configurable: true });
defineProperty(Image, "length", { value: 0 });

const Callable = constructorOnly(Image);
defineProperty(Image.prototype, "constructor", { value: Callable, writable: true, configurable: true });

export { Callable as Image };

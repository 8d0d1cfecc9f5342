/** What an image is to become: the options of `Bun.Image`'s methods, and the numbers that native code takes of them. */

import { codes } from "internal/core/errors";
import { invalidType } from "bun/util";

/** Kernels by the numbers of ext/image/native. */
const filters: Record<string, number> = {
  lanczos3: 0,
  lanczos2: 1,
  mitchell: 2,
  cubic: 3,
  mks2013: 4,
  mks2021: 5,
  bilinear: 6,
  linear: 6,
  box: 7,
  nearest: 8,
};

/** Formats by the numbers of ext/image/native; 0 is that of the source. */
const formats = { source: 0, jpeg: 1, png: 2, webp: 3, heic: 4, avif: 5, placeholder: 6, gif: 7, tiff: 8 } as const;

export type FormatName = keyof typeof formats;

/** Pixels that an image may have at most, as in sharp: 16,383 a side. */
const MAX_PIXELS = 0x3fff * 0x3fff;
/** The longest side of an output that can be asked for. */
const MAX_SIDE = 0x7fffffff;
const MAX_INTEGER = 1e15;
/** Standard deviations of a blur in pixels, as in sharp. */
const MIN_BLUR = 0.3;
const MAX_BLUR = 1000;
const DEFAULT_QUALITY = 80;

/** A number without its fraction, between two bounds; NaN is the lower one. */
function integer(value: number, low: number, high: number): number {
  return Number.isNaN(value) ? low : Math.trunc(Math.min(high, Math.max(low, value)));
}

/** The members of options; those of what is no object are undefined. */
function optionsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function numberOption(value: unknown, low: number, high: number, otherwise: number): number {
  return typeof value === "number" ? integer(value, low, high) : otherwise;
}

function nameOption(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw invalidType(`${name} must be a string`);
  return value;
}

/** Of `crop`, in pixels. */
interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

function areaOf(value: unknown): Area {
  const { left = 0, top = 0, width, height } = optionsOf(value);
  const area = { left, top, width, height };
  for (const [name, side] of Object.entries(area)) {
    if (typeof side !== "number") throw invalidType("crop({ left, top, width, height }) expects numbers");
    const least = name === "width" || name === "height" ? 1 : 0;
    if (!Number.isInteger(side) || side < least || side > MAX_SIDE) {
      throw new codes.ERR_OUT_OF_RANGE(name, `an integer >= ${least} && <= ${MAX_SIDE}`, side);
    }
  }
  return area as Area;
}

/** Of `resize`. */
interface Size {
  width: number;
  /** 0 for what keeps the proportions. */
  height: number;
  inside: boolean;
  withoutEnlargement: boolean;
  filter: number;
}

function sizeOf(width: unknown, height: unknown, third: unknown): Size {
  if (typeof width !== "number") throw invalidType("resize(width, height?, options?)");
  const { fit, filter, withoutEnlargement } = optionsOf(third);
  const fitName = nameOption(fit, "fit");
  if (fitName !== undefined && fitName !== "fill" && fitName !== "inside") {
    throw invalidType("fit must be one of 'fill' or 'inside'");
  }
  const filterName = nameOption(filter, "filter") ?? "lanczos3";
  if (!Object.hasOwn(filters, filterName)) {
    throw invalidType(
      "filter must be one of 'box', 'bilinear', 'linear', 'lanczos3', 'mitchell', 'nearest', 'cubic', 'lanczos2', " +
        "'mks2013' or 'mks2021'",
    );
  }
  return {
    width: integer(width, 1, MAX_SIDE),
    height: numberOption(height, 0, MAX_SIDE, 0),
    inside: fitName === "inside",
    withoutEnlargement: Boolean(withoutEnlargement),
    filter: filters[filterName]!,
  };
}

/** What the methods of an image have asked for. Each call replaces what an earlier one said. */
export class Pipeline {
  readonly maxPixels: number;
  readonly autoOrient: boolean;
  /** Whether all frames of an animation count. */
  readonly animated: boolean;
  format: FormatName = "source";
  #quarters = 0;
  #flip = false;
  #flop = false;
  #crop: Area | undefined;
  #size: Size | undefined;
  #blur = 0;
  #brightness = 1;
  #saturation = 1;
  #quality = DEFAULT_QUALITY;
  #lossless = false;
  #progressive = false;
  #palette = false;
  #level = -1;
  #colors = 256;
  #dither = false;

  constructor(options: unknown) {
    const { maxPixels, autoOrient, animated } = optionsOf(options);
    this.maxPixels = numberOption(maxPixels, 0, MAX_INTEGER, MAX_PIXELS);
    this.autoOrient = autoOrient === undefined || Boolean(autoOrient);
    this.animated = Boolean(animated);
  }

  resize(width: unknown, height: unknown, options: unknown): void {
    this.#size = sizeOf(width, height, options);
  }

  crop(area: unknown): void {
    this.#crop = areaOf(area);
  }

  blur(sigma: unknown): void {
    if (typeof sigma !== "number") throw invalidType("blur(sigma) expects a number");
    if (!(sigma >= MIN_BLUR && sigma <= MAX_BLUR)) {
      throw new codes.ERR_OUT_OF_RANGE("sigma", `>= ${MIN_BLUR} && <= ${MAX_BLUR}`, sigma);
    }
    this.#blur = sigma;
  }

  rotate(degrees: unknown): void {
    if (typeof degrees !== "number") throw invalidType("rotate(degrees) expects 90, 180 or 270");
    const quarters = integer(degrees, -MAX_INTEGER, MAX_INTEGER) / 90;
    if (!Number.isInteger(quarters)) throw invalidType("rotate: only multiples of 90 are supported");
    this.#quarters = ((quarters % 4) + 4) % 4;
  }

  flip(): void {
    this.#flip = true;
  }

  flop(): void {
    this.#flop = true;
  }

  modulate(options: unknown): void {
    const { brightness, saturation } = optionsOf(options);
    const factor = (value: unknown) => (typeof value === "number" ? Math.min(MAX_INTEGER, Math.max(0, value || 0)) : 1);
    this.#brightness = factor(brightness);
    this.#saturation = factor(saturation);
  }

  encode(format: FormatName, options: unknown): void {
    const { quality, lossless, progressive, palette, compressionLevel, colors, dither } = optionsOf(options);
    this.format = format;
    this.#quality = numberOption(quality, 1, 100, DEFAULT_QUALITY);
    this.#lossless = Boolean(lossless);
    this.#progressive = Boolean(progressive);
    this.#palette = Boolean(palette);
    this.#level = numberOption(compressionLevel, 0, 9, -1);
    this.#colors = numberOption(colors, 2, 256, 256);
    this.#dither = Boolean(dither);
  }

  /** The plan for native code, with another format if one is given. */
  plan(format: FormatName = this.format): number[] {
    const size = this.#size;
    const crop = this.#crop;
    return [
      this.maxPixels,
      Number(this.autoOrient),
      this.#quarters,
      Number(this.#flip),
      Number(this.#flop),
      Number(size !== undefined),
      size?.width ?? 0,
      size?.height ?? 0,
      Number(size?.inside ?? false),
      Number(size?.withoutEnlargement ?? false),
      size?.filter ?? 0,
      this.#brightness,
      this.#saturation,
      formats[format],
      this.#quality,
      Number(this.#lossless),
      Number(this.#progressive),
      Number(this.#palette),
      this.#level,
      this.#colors,
      Number(this.#dither),
      Number(crop !== undefined),
      crop?.left ?? 0,
      crop?.top ?? 0,
      crop?.width ?? 0,
      crop?.height ?? 0,
      this.#blur,
      Number(this.animated),
    ];
  }
}

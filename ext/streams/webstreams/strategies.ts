/** Queuing strategies: https://streams.spec.whatwg.org/#qs */
import { codes } from "internal/core/errors";
import { defineInterface, thisError } from "internal/streams/webstreams/core";

// The same functions for all instances, as the standard has it; no constructors.
const { size: byteLengthSize } = {
  size(chunk: Uint8Array): number {
    return chunk.byteLength;
  },
};
const { size: countSize } = {
  size(): number {
    return 1;
  },
};

function markOf(init: { highWaterMark: number }): number {
  if (init === undefined || init === null || typeof init !== "object" || Array.isArray(init)) {
    throw new codes.ERR_INVALID_ARG_TYPE("init", "Object", init);
  }
  const { highWaterMark } = init;
  if (highWaterMark === undefined) throw new codes.ERR_MISSING_OPTION("init.highWaterMark");
  return +highWaterMark;
}

let isOwnByteLength: (value: unknown) => boolean;

class ByteLengthQueuingStrategy {
  #highWaterMark: number;

  static {
    isOwnByteLength = (value) => typeof value === "object" && value !== null && #highWaterMark in value;
  }

  /** `init.highWaterMark` in bytes. */
  constructor(init: { highWaterMark: number }) {
    this.#highWaterMark = markOf(init);
  }

  get highWaterMark(): number {
    if (!isOwnByteLength(this)) throw thisError("ByteLengthQueuingStrategy");
    return this.#highWaterMark;
  }

  get size(): (chunk: Uint8Array) => number {
    if (!isOwnByteLength(this)) throw thisError("ByteLengthQueuingStrategy");
    return byteLengthSize;
  }
}
defineInterface(ByteLengthQueuingStrategy, "ByteLengthQueuingStrategy", ["highWaterMark", "size"], (strategy) => ({
  highWaterMark: strategy.highWaterMark,
}));

let isOwnCount: (value: unknown) => boolean;

class CountQueuingStrategy {
  #highWaterMark: number;

  static {
    isOwnCount = (value) => typeof value === "object" && value !== null && #highWaterMark in value;
  }

  /** `init.highWaterMark` in chunks. */
  constructor(init: { highWaterMark: number }) {
    this.#highWaterMark = markOf(init);
  }

  get highWaterMark(): number {
    if (!isOwnCount(this)) throw thisError("CountQueuingStrategy");
    return this.#highWaterMark;
  }

  get size(): (chunk: unknown) => number {
    if (!isOwnCount(this)) throw thisError("CountQueuingStrategy");
    return countSize;
  }
}
defineInterface(CountQueuingStrategy, "CountQueuingStrategy", ["highWaterMark", "size"], (strategy) => ({
  highWaterMark: strategy.highWaterMark,
}));

export { ByteLengthQueuingStrategy, CountQueuingStrategy };

// CryptoKey of WebCrypto (https://w3c.github.io/webcrypto/#cryptokey-interface).
import type { KeyHandle } from "internal/crypto/key_handle";
import type { KeyAlgorithm } from "internal/crypto/types";
import { codes } from "internal/core/errors";
import { kClone, type Packed } from "internal/worker/messaging/hooks";

interface Internals {
  handle: KeyHandle;
  algorithm: KeyAlgorithm;
  extractable: boolean;
  usages: string[];
}

/** Only this module makes objects of the class. */
const kMake = Symbol("make");
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

let read: (key: CryptoKey) => Internals;
let brand: (value: unknown) => value is CryptoKey;

export function internalsOf(key: unknown): Internals {
  return read(key as CryptoKey);
}

export function isCryptoKey(value: unknown): value is CryptoKey {
  return brand(value);
}

class CryptoKey {
  #internals: Internals;
  // What the getters give has to be the same object every time.
  #algorithm: unknown = undefined;
  #usages: string[] | undefined = undefined;

  static {
    read = (key) => key.#internals;
    brand = (value): value is CryptoKey => typeof value === "object" && value !== null && #internals in value;
    Object.defineProperty(this, "length", { value: 0, configurable: true });
  }

  constructor(token?: unknown, internals?: Internals) {
    if (token !== kMake) {
      const error: NodeError = new TypeError("Illegal constructor");
      error.code = "ERR_ILLEGAL_CONSTRUCTOR";
      throw error;
    }
    this.#internals = internals!;
  }

  static #check(value: unknown): void {
    if (!isCryptoKey(value)) throw new codes.ERR_INVALID_THIS("CryptoKey");
  }

  [kClone](): Packed {
    return require("internal/crypto/key_clone").packKey(this);
  }

  get type(): string {
    CryptoKey.#check(this);
    return this.#internals.handle.type;
  }

  get extractable(): boolean {
    CryptoKey.#check(this);
    return this.#internals.extractable;
  }

  get algorithm(): unknown {
    CryptoKey.#check(this);
    return (this.#algorithm ??= copyAlgorithm(this.#internals.algorithm));
  }

  get usages(): string[] {
    CryptoKey.#check(this);
    return (this.#usages ??= [...this.#internals.usages]);
  }

  [inspectCustom](depth: number | null, options: { depth?: number }) {
    if (depth !== null && depth < 0) return this;
    // As it is, whatever the program wrote to what the getters gave.
    const { handle, extractable, algorithm, usages } = this.#internals;
    const { type } = handle;
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    return `CryptoKey ${require("internal/util/inspect").inspect({ type, extractable, algorithm, usages }, inner)}`;
  }
}

function copyAlgorithm(algorithm: KeyAlgorithm): KeyAlgorithm {
  const copy = { ...algorithm };
  if (copy.hash !== undefined) copy.hash = { ...copy.hash };
  if (copy.publicExponent !== undefined) copy.publicExponent = new Uint8Array(copy.publicExponent);
  return copy;
}

Object.defineProperties(CryptoKey.prototype, {
  [Symbol.toStringTag]: { configurable: true, value: "CryptoKey" },
  type: { enumerable: true },
  extractable: { enumerable: true },
  algorithm: { enumerable: true },
  usages: { enumerable: true },
});

/** A key; its usages are in the order in which they were given, each once. */
export function makeCryptoKey(
  handle: KeyHandle,
  algorithm: KeyAlgorithm,
  extractable: boolean,
  usages: string[],
): CryptoKey {
  const each = usages.length > 1 ? [...new Set(usages)] : [...usages];
  return new CryptoKey(kMake, { handle, algorithm, extractable, usages: each });
}

export { CryptoKey };

// Symmetric ciphers of node:crypto (https://nodejs.org/api/crypto.html#class-cipheriv).
import type { StringDecoder } from "internal/buffer/types";
import { newBuffer } from "internal/buffer/base";
import { secretKeyBytes } from "internal/crypto/keys";
import { makeLazyTransform } from "internal/crypto/lazy_transform";
import { asBuffer, bytesOf, opensslError, validateEncoding } from "internal/crypto/util";
import { codes } from "internal/core/errors";
import { validateInt32, validateObject, validateString } from "internal/core/validators";

const ops = native("crypto");
const { isView } = ArrayBuffer;

interface Info {
  number: number;
  name: string;
  mode: string;
  nid: number;
  block: number;
  iv: number;
  key: number;
  /** As CipherBase's. */
  unit: number;
}

const known = new Map<string, Info>();

function findCipher(name: string, nid = 0): Info | undefined {
  let info = known.get(name);
  if (info !== undefined && name !== "") return info;
  const found = ops.cipherInfo(name, nid);
  if (found === undefined) return undefined;
  const [number, own, mode, id, block, iv, key] = found;
  const unit = mode === "cbc" || mode === "ecb" ? block : mode === "ccm" || mode === "ocb" || mode === "wrap" ? 0 : 1;
  info = { number, name: own, mode, nid: id, block, iv, key, unit };
  if (name !== "") known.set(name, info);
  return info;
}

/** A whole number from 0 to 2^32 - 1, or -1 where the option is not there. */
function uintOption(options: unknown, name: string): number {
  const value = (options as { [name: string]: number } | undefined)?.[name];
  if (value == null) return -1;
  if (value >>> 0 !== value) throw new codes.ERR_INVALID_ARG_VALUE(`options.${name}`, value);
  return value;
}

function stringOption(options: unknown, name: string): string | undefined {
  const value = (options as { [name: string]: string } | undefined)?.[name];
  if (value != null) validateString(value, `options.${name}`);
  return value ?? undefined;
}

/** Ciphers that OpenSSL 3 knows by name and keeps in its legacy provider, which is not loaded. */
const legacy =
  /^(?:(?:rc2|bf|cast5|seed|des|idea)-(?:cbc|ecb|cfb|ofb)|des-cfb[18]|desx(?:-cbc)?|rc2-(?:40|64)(?:-cbc)?|rc2-128|rc4(?:-40|-hmac-md5)?|rc2|bf|blowfish|cast(?:-cbc)?|seed|des|idea)$/i;

/** The error for a cipher that is not there: programs tell OpenSSL's old ones from names that nobody knows. */
function unavailable(name: string): Error {
  if (!legacy.test(name)) return new codes.ERR_CRYPTO_UNKNOWN_CIPHER();
  return opensslError("0308010C", "digital envelope routines", "unsupported", "ERR_OSSL_EVP_UNSUPPORTED");
}

function invalidTag(message: string): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = "ERR_CRYPTO_INVALID_AUTH_TAG";
  return error;
}

function invalidState(message: string): Error {
  const error: NodeError = new Error(message);
  error.code = "ERR_CRYPTO_INVALID_STATE";
  return error;
}

const isGcmTag = (length: number) => length === 4 || length === 8 || (length >= 12 && length <= 16);

let warnedTag = false;

/** Bytes that CCM can take with a nonce of a length. */
function ccmLimit(iv: number): number {
  return iv === 12 ? 2 ** 24 - 1 : iv === 13 ? 2 ** 16 - 1 : 2 ** 31 - 1;
}

/** Where native code writes the last bytes of a cipher and, 32 bytes further, its tag. */
const last = new Uint8Array(48);

/** Native objects of ciphers that are at their end, to be used again: a new one is work for the collector. */
const spare: Native.Cipher[] = [];
const MAX_SPARE = 8;

/** From so many bytes on it is worth a call to have memory that is not zeroed. */
const LONG = 8192;

function allocate(length: number) {
  return length < LONG ? newBuffer(length) : Buffer.allocUnsafeSlow(length);
}

/** A Buffer of a few bytes of an array. */
function copyOf(bytes: Uint8Array, start: number, length: number): Buffer {
  const out = newBuffer(length);
  for (let index = 0; index < length; index++) out[index] = bytes[start + index]!;
  return out as unknown as Buffer;
}

class CipherBase {
  /** The stream's: see lazy_transform. */
  declare push: (chunk: unknown) => boolean;
  /** Undefined once the cipher is at its end. */
  #native: Native.Cipher | undefined;
  #info: Info;
  #encrypting: boolean;
  #tagged: boolean;
  /** Bytes of a block for CBC and ECB, 1 where as many bytes come out as go in, 0 where only native code knows. */
  #unit: number;
  /** Bytes that native code keeps until it has a block. */
  #held = 0;
  #padded = true;
  #tag: Buffer | undefined = undefined;
  /** -1: not said. */
  #tagLength: number;
  #tagSet = false;
  #done = false;
  #updated = false;
  #limit: number;
  #decoder: StringDecoder | undefined = undefined;
  #encoding: string | undefined = undefined;
  _options: unknown;

  constructor(encrypting: boolean, cipher: string, key: unknown, iv: unknown, options: unknown) {
    validateString(cipher, "cipher");
    const bytes = secretKeyBytes(key, stringOption(options, "encoding"));
    const vector = iv === null ? new Uint8Array(0) : bytesOf(iv, "iv");
    let tagLength = uintOption(options, "authTagLength");
    const info = findCipher(cipher);
    if (info === undefined) throw unavailable(cipher);
    const chacha = info.name === "chacha20-poly1305";
    const tagged = chacha || info.mode === "gcm" || info.mode === "ccm" || info.mode === "ocb";
    const { byteLength } = vector;
    if (byteLength === 0 ? info.iv !== 0 : !tagged && byteLength !== info.iv) throw new codes.ERR_CRYPTO_INVALID_IV();
    if (
      chacha
        ? byteLength > 12
        : info.mode === "ccm"
          ? byteLength < 7 || byteLength > 13
          : info.mode === "ocb" && byteLength > 15
    ) {
      throw new codes.ERR_CRYPTO_INVALID_IV();
    }
    if (tagged) {
      if (info.mode === "gcm") {
        if (tagLength >= 0 && !isGcmTag(tagLength)) throw invalidTag(`Invalid authentication tag length: ${tagLength}`);
      } else if (tagLength < 0) {
        if (!chacha) throw invalidTag(`authTagLength required for ${cipher}`);
        tagLength = 16;
      } else if (
        info.mode === "ccm"
          ? tagLength < 4 || tagLength > 16 || tagLength % 2 !== 0
          : tagLength > 16 || (chacha && tagLength === 0)
      ) {
        throw invalidTag(`Invalid authentication tag length: ${tagLength}`);
      }
    }
    if (bytes.byteLength !== info.key) throw new codes.ERR_CRYPTO_INVALID_KEYLEN();
    // The library takes nonces of twelve bytes only; shorter ones have zeros before them, as OpenSSL does it.
    let nonce: Native.Bytes = vector;
    if (chacha && byteLength < 12) {
      nonce = new Uint8Array(12);
      (nonce as Uint8Array).set(
        isView(vector) ? new Uint8Array(vector.buffer, vector.byteOffset, byteLength) : new Uint8Array(vector),
        12 - byteLength,
      );
    }
    const tagBytes = tagged ? (tagLength < 0 ? 16 : tagLength) : 0;
    if (spare.length > 0) {
      const again = spare.pop()!;
      ops.cipherRestart(again, info.number, encrypting, bytes, nonce, tagBytes);
      this.#native = again;
    } else {
      this.#native = ops.cipherStart(info.number, encrypting, bytes, nonce, tagBytes);
    }
    this.#unit = info.unit;
    this.#info = info;
    this.#encrypting = encrypting;
    this.#tagged = tagged;
    this.#tagLength = tagLength;
    this.#limit = info.mode === "ccm" ? ccmLimit(byteLength) : Infinity;
    this._options = options;
  }

  _transform(chunk: Uint8Array, encoding: string, callback: (error?: unknown, data?: unknown) => void): void {
    this.push(this.update(chunk, encoding));
    callback();
  }

  _flush(callback: (error?: unknown) => void): void {
    try {
      this.push(this.final());
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }

  /** Bytes in an encoding of which parts of a character may be held back. */
  #encoded(bytes: Buffer, encoding: string, last: boolean): string {
    if (this.#encoding !== encoding) {
      if (!Buffer.isEncoding(encoding)) throw new codes.ERR_UNKNOWN_ENCODING(encoding);
      if (this.#encoding !== undefined && !sameEncoding(this.#encoding, encoding)) {
        throw new codes.ERR_INTERNAL_ASSERTION("Cannot change encoding");
      }
      this.#encoding = encoding;
    }
    if (encoding === "hex" || encoding === "latin1" || encoding === "binary") return bytes.toString(encoding);
    const { StringDecoder } = require("node:string_decoder");
    this.#decoder ??= new StringDecoder(encoding);
    return last ? this.#decoder.end(bytes) : this.#decoder.write(bytes);
  }

  /** Takes in a string (in an encoding) or a view; gives a Buffer, or text in an encoding. */
  update(data: string | ArrayBufferView, inputEncoding?: string, outputEncoding?: string): unknown {
    if (typeof data === "string") {
      validateEncoding(data, inputEncoding);
      data = Buffer.from(
        data,
        inputEncoding && inputEncoding !== "buffer" && Buffer.isEncoding(inputEncoding) ? inputEncoding : "utf8",
      );
    } else if (!isView(data)) {
      throw new codes.ERR_INVALID_ARG_TYPE("data", ["string", "Buffer", "TypedArray", "DataView"], data);
    }
    if (this.#done) throw new Error("Trying to add data in unsupported state");
    if (data.byteLength > 2 ** 31 - 1 - this.#info.block) throw new Error("Trying to add data in unsupported state");
    if (data.byteLength > this.#limit) throw new codes.ERR_CRYPTO_INVALID_MESSAGELEN();
    this.#updated = true;
    const out = this.#unit === 0 ? asBuffer(ops.cipherUpdate(this.#native!, data)) : this.#run(data);
    return outputEncoding && outputEncoding !== "buffer" ? this.#encoded(out, outputEncoding, false) : out;
  }

  #run(data: ArrayBufferView): Buffer {
    let length = data.byteLength;
    const unit = this.#unit;
    let kept = 0;
    if (unit > 1) {
      const total = this.#held + length;
      kept = total % unit;
      // The last block may hold the padding, which is not given out.
      if (kept === 0 && total > 0 && this.#padded && !this.#encrypting) kept = unit;
      length = total - kept;
    }
    const out = allocate(length) as Buffer;
    ops.cipherUpdateInto(this.#native!, data, out);
    this.#held = kept;
    return out;
  }

  /** What is left, as a Buffer or text. Throws where the padding or the tag is wrong. */
  final(outputEncoding?: string): unknown {
    if (this.#done) throw invalidState("Invalid state");
    if (this.#tagged && !this.#encrypting && !this.#tagSet) {
      this.#done = true;
      throw new Error("Unsupported state or unable to authenticate data");
    }
    this.#done = true;
    if (this.#info.mode === "ccm" && this.#encrypting && !this.#updated) {
      throw opensslError("1C800077", "Provider routines", "tag not set", "ERR_OSSL_TAG_NOT_SET");
    }
    const native = this.#native!;
    this.#native = undefined;
    const out = copyOf(last, 0, ops.cipherFinal(native, last));
    if (this.#tagged && this.#encrypting) this.#tag = copyOf(last, 32, this.#tagLength < 0 ? 16 : this.#tagLength);
    if (spare.length < MAX_SPARE) spare.push(native);
    return outputEncoding && outputEncoding !== "buffer" ? this.#encoded(out, outputEncoding, true) : out;
  }

  /** Whether the last block is padded; before final(). */
  setAutoPadding(padded?: unknown): this {
    if (this.#done) throw new codes.ERR_CRYPTO_INVALID_STATE("setAutoPadding");
    this.#padded = padded === undefined ? true : !!padded;
    ops.cipherSetPadding(this.#native!, this.#padded);
    return this;
  }

  /** Data that is protected, but not encrypted; before update(). CCM needs the option plaintextLength. */
  setAAD(data: unknown, options?: unknown): this {
    const encoding = stringOption(options, "encoding");
    const length = uintOption(options, "plaintextLength");
    data = bytesOf(data, "aadbuf", encoding);
    if (this.#done || !this.#tagged) throw new codes.ERR_CRYPTO_INVALID_STATE("setAAD");
    const isCcm = this.#info.mode === "ccm";
    if (isCcm) {
      if (length < 0) {
        const error: NodeError = new TypeError("options.plaintextLength required for CCM mode with AAD");
        error.code = "ERR_MISSING_ARGS";
        throw error;
      }
      if (length > this.#limit) throw new codes.ERR_CRYPTO_INVALID_MESSAGELEN();
    }
    ops.cipherAssociate(this.#native!, data as Native.Bytes, isCcm ? length : -1);
    return this;
  }

  static getAuthTag(cipher: CipherBase): Buffer {
    const tag = cipher.#tag;
    if (!cipher.#done || !cipher.#tagged || !cipher.#encrypting || tag === undefined)
      throw new codes.ERR_CRYPTO_INVALID_STATE("getAuthTag");
    return copyOf(tag, 0, tag.length);
  }

  static setAuthTag(cipher: CipherBase, tag: unknown, encoding: string | undefined): void {
    tag = bytesOf(tag, "buffer", encoding);
    if (cipher.#done || !cipher.#tagged || cipher.#encrypting || cipher.#tagSet) {
      throw new codes.ERR_CRYPTO_INVALID_STATE("setAuthTag");
    }
    const { byteLength } = tag as Native.Bytes;
    const asked = cipher.#tagLength;
    const good =
      cipher.#info.mode === "gcm" ? (asked < 0 || asked === byteLength) && isGcmTag(byteLength) : asked === byteLength;
    if (!good) throw invalidTag(`Invalid authentication tag length: ${byteLength}`);
    if (cipher.#info.mode === "gcm" && asked < 0 && byteLength !== 16 && !warnedTag) {
      warnedTag = true;
      process.emitWarning(
        "Using AES-GCM authentication tags of less than 128 bits without specifying the authTagLength option when " +
          "initializing decryption is deprecated.",
        "DeprecationWarning",
        "DEP0182",
      );
    }
    ops.cipherSetTag(cipher.#native!, tag as Native.Bytes);
    cipher.#tagSet = true;
  }
}

function sameEncoding(a: string, b: string): boolean {
  const plain = (name: string) =>
    name
      .toLowerCase()
      .replace("utf-8", "utf8")
      .replace("binary", "latin1")
      .replace("ucs-2", "utf16le")
      .replace("ucs2", "utf16le")
      .replace("utf-16le", "utf16le");
  return plain(a) === plain(b);
}

class CipherImpl extends CipherBase {
  // Spelled out: a constructor that is not there takes its arguments as a list.
  constructor(encrypting: boolean, cipher: string, key: unknown, iv: unknown, options: unknown) {
    super(encrypting, cipher, key, iv, options);
  }

  /** The tag of what was encrypted; after final(). */
  getAuthTag(): Buffer {
    return CipherBase.getAuthTag(this);
  }
}

class DecipherImpl extends CipherBase {
  constructor(encrypting: boolean, cipher: string, key: unknown, iv: unknown, options: unknown) {
    super(encrypting, cipher, key, iv, options);
  }

  /** The tag to check; before final(), for CCM before update(). */
  setAuthTag(tag: unknown, encoding?: string): this {
    CipherBase.setAuthTag(this, tag, encoding);
    return this;
  }
}

/** crypto.Cipheriv, which may be called without `new`. */
function Cipheriv(cipher: unknown, key: unknown, iv: unknown, options?: unknown): unknown {
  return Reflect.construct(CipherImpl, [true, cipher, key, iv, options], new.target ?? Cipheriv);
}

/** crypto.Decipheriv, the same. */
function Decipheriv(cipher: unknown, key: unknown, iv: unknown, options?: unknown): unknown {
  return Reflect.construct(DecipherImpl, [false, cipher, key, iv, options], new.target ?? Decipheriv);
}

for (const [outer, inner] of [
  [Cipheriv, CipherImpl],
  [Decipheriv, DecipherImpl],
] as [outer: { prototype: object }, inner: { prototype: object }][]) {
  outer.prototype = inner.prototype;
  Object.defineProperty(outer.prototype, "constructor", { value: outer, configurable: true, writable: true });
  Object.defineProperty(outer, "length", { value: 4, configurable: true });
  for (const name of ["_transform", "_flush", "update", "final", "setAutoPadding", "setAAD"]) {
    Object.defineProperty(outer.prototype, name, {
      value: (CipherBase.prototype as unknown as Record<string, unknown>)[name],
      configurable: true,
      writable: true,
    });
  }
  makeLazyTransform(outer.prototype);
}

/** crypto.createCipheriv(): throws ERR_CRYPTO_UNKNOWN_CIPHER, ERR_CRYPTO_INVALID_KEYLEN, ERR_CRYPTO_INVALID_IV. */
function createCipheriv(cipher: string, key: unknown, iv: unknown, options?: unknown): CipherImpl {
  return new CipherImpl(true, cipher, key, iv, options);
}

/** crypto.createDecipheriv(), the same. */
function createDecipheriv(cipher: string, key: unknown, iv: unknown, options?: unknown): DecipherImpl {
  return new DecipherImpl(false, cipher, key, iv, options);
}

/** crypto.getCiphers(): the names that createCipheriv() takes. */
function getCiphers(): string[] {
  return ops
    .cipherNames()
    .map((name: string) => name.replace(/^(id-aes\d+-)([gc]cm)$/, (_, start, mode) => start + mode.toUpperCase()))
    .sort();
}

/** What crypto.getCipherInfo() gives; lengths in bytes. */
interface CipherInfo {
  mode: string;
  name: string;
  nid: number;
  keyLength: number;
  blockSize: number | undefined;
  ivLength: number | undefined;
}

/** crypto.getCipherInfo(): sizes and mode of a cipher, or undefined if there is none with the asked sizes. */
function getCipherInfo(nameOrNid: unknown, options?: unknown): CipherInfo | undefined {
  if (typeof nameOrNid !== "string" && typeof nameOrNid !== "number") {
    throw new codes.ERR_INVALID_ARG_TYPE("nameOrNid", ["string", "number"], nameOrNid);
  }
  if (typeof nameOrNid === "number") validateInt32(nameOrNid, "nameOrNid");
  let keyLength: unknown;
  let ivLength: number | undefined;
  if (options !== undefined) {
    validateObject(options, "options");
    ({ keyLength, ivLength } = options as { keyLength?: unknown; ivLength?: number });
    if (keyLength !== undefined) validateInt32(keyLength, "options.keyLength");
    if (ivLength !== undefined) validateInt32(ivLength, "options.ivLength");
  }
  const info =
    typeof nameOrNid === "string" ? findCipher(nameOrNid) : nameOrNid > 0 ? findCipher("", nameOrNid) : undefined;
  if (info === undefined || nameOrNid === "") return undefined;
  if (keyLength !== undefined && keyLength !== info.key) return undefined;
  let { iv } = info;
  if (ivLength !== undefined) {
    const free: Record<string, [number, number]> = { gcm: [1, Infinity], ccm: [7, 13], ocb: [1, 15] };
    const range = info.name === "chacha20-poly1305" ? [1, 12] : free[info.mode];
    if (range === undefined ? ivLength !== iv : ivLength < range[0]! || ivLength > range[1]!) return undefined;
    iv = ivLength;
  }
  const out: CipherInfo = Object.create(null);
  out.mode = info.mode;
  out.name = info.name;
  out.nid = info.nid;
  out.keyLength = info.key;
  out.blockSize = info.mode === "stream" ? undefined : info.block;
  out.ivLength = iv === 0 ? undefined : iv;
  return out;
}

export { Cipheriv, Decipheriv, createCipheriv, createDecipheriv, getCipherInfo, getCiphers };

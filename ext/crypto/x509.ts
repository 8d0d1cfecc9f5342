// X509Certificate and Certificate of node:crypto (https://nodejs.org/api/crypto.html#class-x509certificate).
import { KeyHandle } from "internal/crypto/key_handle";
import { PublicKeyObject, handleOf, isKeyObject, keyObject } from "internal/crypto/keys";
import { asBuffer, bytesOf } from "internal/crypto/util";
import { codes } from "internal/core/errors";
import { kClone, type Packed } from "internal/worker/messaging/hooks";
import { isAnyArrayBuffer } from "internal/util/types";
import { validateBoolean, validateObject, validateString } from "internal/core/validators";

const ops = native("crypto");
const { isView } = ArrayBuffer;
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

const SUBJECT = 0;
const ISSUER = 1;
const ALTERNATIVE = 2;
const ACCESS = 3;
const FROM = 4;
const TO = 5;
const SERIAL = 6;
const ALGORITHM = 7;
const ALGORITHM_ID = 8;
const PEM = 9;

const fingerprints: Record<string, string> = {
  fingerprint: "sha1",
  fingerprint256: "sha256",
  fingerprint512: "sha512",
};

let nativeOf: (certificate: X509Certificate) => Native.Certificate;
let isCertificate: (value: unknown) => boolean;
let linked: (list: Uint8Array[]) => X509Certificate;

/** Bits of X509_check_host. */
function hostFlags(options: unknown): number {
  if (options === undefined) return 0;
  validateObject(options, "options");
  const {
    subject = "default",
    wildcards = true,
    partialWildcards = true,
    multiLabelWildcards = false,
    singleLabelSubdomains = false,
  } = options;
  let flags = 0;
  validateString(subject, "options.subject");
  switch (subject) {
    case "default":
      break;
    case "always":
      flags |= 1;
      break;
    case "never":
      flags |= 32;
      break;
    default:
      throw new codes.ERR_INVALID_ARG_VALUE("options.subject", subject);
  }
  validateBoolean(wildcards, "options.wildcards");
  validateBoolean(partialWildcards, "options.partialWildcards");
  validateBoolean(multiLabelWildcards, "options.multiLabelWildcards");
  validateBoolean(singleLabelSubdomains, "options.singleLabelSubdomains");
  if (!wildcards) flags |= 2;
  if (!partialWildcards) flags |= 4;
  if (multiLabelWildcards) flags |= 8;
  if (singleLabelSubdomains) flags |= 16;
  return flags;
}

function noNul(name: string): void {
  if (name.includes("\0")) {
    const error: NodeError = new TypeError("Invalid name");
    error.code = "ERR_INVALID_ARG_VALUE";
    throw error;
  }
}

class X509Certificate {
  #native: Native.Certificate;
  #texts: (string | undefined)[] = [];
  #raw: Buffer | undefined = undefined;
  #key: PublicKeyObject | undefined = undefined;
  #usage: string[] | undefined = undefined;
  #issuer: X509Certificate | undefined = undefined;

  static {
    linked = (list) => {
      const chain = list.map((bytes) => new X509Certificate(bytes));
      for (let at = 1; at < chain.length; at++) chain[at - 1]!.#issuer = chain[at];
      return chain[0]!;
    };
    nativeOf = (certificate) => certificate.#native;
    isCertificate = (value) => typeof value === "object" && value !== null && #native in value;
  }

  /** A certificate in PEM or DER. */
  constructor(buffer: unknown) {
    if (typeof buffer === "string") buffer = Buffer.from(buffer);
    if (!isView(buffer) && !isAnyArrayBuffer(buffer)) {
      throw new codes.ERR_INVALID_ARG_TYPE("buffer", ["string", "Buffer", "TypedArray", "DataView"], buffer);
    }
    this.#native = ops.x509Parse(buffer);
  }

  #text(what: number): string {
    return (this.#texts[what] ??= ops.x509Text(this.#native, what) as string);
  }

  get subject(): string | undefined {
    return this.#text(SUBJECT) || undefined;
  }

  get subjectAltName(): string | undefined {
    return this.#text(ALTERNATIVE) || undefined;
  }

  get issuer(): string | undefined {
    return this.#text(ISSUER) || undefined;
  }

  /** Certificates of sockets come with it; others do not know it. */
  get issuerCertificate(): X509Certificate | undefined {
    return this.#issuer;
  }

  get infoAccess(): string | undefined {
    return this.#text(ACCESS) || undefined;
  }

  get validFrom(): string {
    return this.#text(FROM);
  }

  get validTo(): string {
    return this.#text(TO);
  }

  get validFromDate(): Date {
    return new Date(ops.x509Times(this.#native)[0]);
  }

  get validToDate(): Date {
    return new Date(ops.x509Times(this.#native)[1]);
  }

  get fingerprint(): string {
    return digest(this, "fingerprint");
  }

  get fingerprint256(): string {
    return digest(this, "fingerprint256");
  }

  get fingerprint512(): string {
    return digest(this, "fingerprint512");
  }

  /** Purposes of the key as object identifiers. */
  get keyUsage(): string[] | undefined {
    this.#usage ??= ops.x509KeyUsage(this.#native) as string[];
    return this.#usage.length === 0 ? undefined : [...this.#usage];
  }

  get serialNumber(): string {
    return this.#text(SERIAL);
  }

  get signatureAlgorithm(): string | undefined {
    const name = this.#text(ALGORITHM);
    // Without a name it is the numbers again.
    return name === this.#text(ALGORITHM_ID) ? undefined : name;
  }

  get signatureAlgorithmOid(): string {
    return this.#text(ALGORITHM_ID);
  }

  /** DER */
  get raw(): Buffer {
    return (this.#raw ??= asBuffer(ops.x509Raw(this.#native)));
  }

  get publicKey(): PublicKeyObject {
    return (this.#key ??= keyObject(new KeyHandle("public", ops.x509Key(this.#native))) as PublicKeyObject);
  }

  /** PEM */
  toString(): string {
    return this.#text(PEM);
  }

  toJSON(): string {
    return this.toString();
  }

  get ca(): boolean {
    return ops.x509IsCa(this.#native);
  }

  /** The name in the certificate that fits, or undefined. Options as in OpenSSL's X509_check_host. */
  checkHost(name: string, options?: unknown): string | undefined {
    validateString(name, "name");
    const flags = hostFlags(options);
    noNul(name);
    return ops.x509CheckHost(this.#native, name, flags);
  }

  checkEmail(email: string, options?: unknown): string | undefined {
    validateString(email, "email");
    const flags = hostFlags(options);
    noNul(email);
    return ops.x509CheckEmail(this.#native, email, flags) ? email : undefined;
  }

  checkIP(ip: string, _options?: unknown): string | undefined {
    validateString(ip, "ip");
    let found;
    try {
      found = ops.x509CheckIp(this.#native, ip);
    } catch {
      const error: NodeError = new TypeError("Invalid IP");
      error.code = "ERR_INVALID_ARG_VALUE";
      throw error;
    }
    return found ? ip : undefined;
  }

  /** Whether the other certificate says to be the issuer's. */
  checkIssued(other: X509Certificate): boolean {
    if (!isCertificate(other)) throw new codes.ERR_INVALID_ARG_TYPE("otherCert", "X509Certificate", other);
    return ops.x509CheckIssued(this.#native, other.#native);
  }

  checkPrivateKey(key: unknown): boolean {
    if (!isKeyObject(key)) throw new codes.ERR_INVALID_ARG_TYPE("pkey", "KeyObject", key);
    if (key.type !== "private") throw new codes.ERR_INVALID_ARG_VALUE("pkey", key);
    return ops.x509CheckPrivateKey(this.#native, handleOf(key)!.data);
  }

  /** Whether the certificate is signed with a key. */
  verify(key: unknown): boolean {
    if (!isKeyObject(key)) throw new codes.ERR_INVALID_ARG_TYPE("pkey", "KeyObject", key);
    if (key.type !== "public") throw new codes.ERR_INVALID_ARG_VALUE("pkey", key);
    return ops.x509Verify(this.#native, handleOf(key)!.data);
  }

  [kClone](): Packed {
    return { module: "internal/crypto/x509", name: "receiveCertificate", data: { raw: this.raw } };
  }

  /** What tlsSocket.getPeerCertificate() gives. */
  toLegacyObject(): LegacyCertificate {
    return legacyObject(this);
  }

  [inspectCustom](depth: number | null, options: { depth?: number }) {
    if (depth !== null && depth < 0) return this;
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    const { subject, subjectAltName, issuer, infoAccess, validFrom, validTo, validFromDate, validToDate, fingerprint } =
      this;
    const { fingerprint256, fingerprint512, keyUsage, serialNumber, signatureAlgorithm, signatureAlgorithmOid } = this;
    const shown = {
      subject,
      subjectAltName,
      issuer,
      infoAccess,
      validFrom,
      validTo,
      validFromDate,
      validToDate,
      fingerprint,
      fingerprint256,
      fingerprint512,
      keyUsage,
      serialNumber,
      signatureAlgorithm,
      signatureAlgorithmOid,
    };
    return `X509Certificate ${require("internal/util/inspect").inspect(shown, inner)}`;
  }
}

function digest(certificate: X509Certificate, name: string): string {
  const { findHash } = require("internal/crypto/hashes");
  const hash = findHash(fingerprints[name]!)!;
  const hex = asBuffer(ops.hashBytes(hash.id, certificate.raw, hash.length))
    .toString("hex")
    .toUpperCase();
  return hex.match(/../g)!.join(":");
}

/** Values by name: a value, or a list where there are several. */
type Lists = { [name: string]: string | string[] };

/** The parts of a name; those that are there more than once as lists. */
function nameObject(certificate: X509Certificate, issuer: boolean): Lists {
  const out: Lists = Object.create(null);
  const parts: string[] = ops.x509Name(nativeOf(certificate), issuer);
  for (let i = 0; i < parts.length; i += 2) {
    const name = parts[i]!;
    const value = parts[i + 1]!;
    if (out[name] === undefined) out[name] = value;
    else if (Array.isArray(out[name])) (out[name] as string[]).push(value);
    else out[name] = [out[name] as string, value];
  }
  return out;
}

function accessObject(text: string): Record<string, string[]> {
  const out: Record<string, string[]> = Object.create(null);
  for (const line of text.split("\n")) {
    const match = /^([^:]*):(.*)$/.exec(line);
    if (match === null) continue;
    let value = match[2]!;
    if (value.startsWith('"')) value = JSON.parse(value);
    (out[match[1]!] ??= []).push(value);
  }
  return out;
}

/** What is known of a peer: https://nodejs.org/api/tls.html#certificate-object */
interface LegacyCertificate {
  subject: Lists;
  issuer: Lists;
  subjectaltname?: string;
  infoAccess?: Record<string, string[]>;
  ca: boolean;
  modulus?: string;
  bits?: number;
  exponent?: string;
  pubkey?: Buffer;
  asn1Curve?: string;
  nistCurve?: string;
  valid_from: string;
  valid_to: string;
  fingerprint: string;
  fingerprint256: string;
  fingerprint512: string;
  ext_key_usage?: string[];
  serialNumber: string;
  raw: Buffer;
  /** Of certificates of sockets. */
  issuerCertificate?: LegacyCertificate;
}

function legacyObject(certificate: X509Certificate): LegacyCertificate {
  const out = {} as LegacyCertificate;
  out.subject = nameObject(certificate, false);
  out.issuer = nameObject(certificate, true);
  if (certificate.subjectAltName !== undefined) out.subjectaltname = certificate.subjectAltName;
  if (certificate.infoAccess !== undefined) out.infoAccess = accessObject(certificate.infoAccess);
  out.ca = certificate.ca;
  addKey(out, certificate);
  out.valid_from = certificate.validFrom;
  out.valid_to = certificate.validTo;
  out.fingerprint = certificate.fingerprint;
  out.fingerprint256 = certificate.fingerprint256;
  out.fingerprint512 = certificate.fingerprint512;
  if (certificate.keyUsage !== undefined) out.ext_key_usage = certificate.keyUsage;
  out.serialNumber = certificate.serialNumber;
  out.raw = certificate.raw;
  return out;
}

/** What is told of an RSA key, or of one of an elliptic curve. */
function addKey(out: LegacyCertificate, certificate: X509Certificate): void {
  let key: KeyHandle;
  try {
    key = handleOf(certificate.publicKey)!;
  } catch {
    // A kind of key that the library does not know.
    return;
  }
  const { name, bits, exponent, curve } = key.info;
  if (name === "rsa" || name === "rsa-pss") {
    out.modulus = asBuffer(ops.keyRsaParts(key.data, false)[0]!).toString("hex").toUpperCase();
    out.bits = bits;
    out.exponent = `0x${asBuffer(exponent!)
      .toString("hex")
      .replace(/^0+(?=.)/, "")}`;
    out.pubkey = asBuffer(ops.keyExportPublic(key.data, false, 4));
  } else if (name === "ec") {
    const point = asBuffer(ops.keyEcPoint(key.data, 4));
    // The order of the curves of which there are certificates has as many bits as their field.
    out.bits = curve === "secp521r1" ? 521 : ((point.length - 1) / 2) * 8;
    out.pubkey = point;
    out.asn1Curve = curve;
    const nist = ops.curveNistName(curve);
    if (nist !== "") out.nistCurve = nist;
  }
}

/** What tlsSocket.getPeerCertificate() gives for a certificate in DER. */
export function legacyCertificate(der: Uint8Array): LegacyCertificate {
  return legacyObject(new X509Certificate(der));
}

/** The first of some certificates in DER, each of which was issued by the holder of the next one. */
export function chainOf(list: Uint8Array[]): X509Certificate {
  return linked(list);
}

/** The certificate of what structured cloning sent. */
export function receiveCertificate(data: X509Certificate): X509Certificate {
  return new X509Certificate(data.raw);
}

export function isX509Certificate(value: unknown): boolean {
  return isCertificate(value);
}

// -----------------------------------------------------------------------------------------------------------------------
// SPKAC

const spkac = (value: unknown, encoding: string | undefined) => bytesOf(value, "spkac", encoding);

function checkSize(bytes: Native.Bytes): void {
  if (bytes.byteLength > 2 ** 31 - 1) throw new codes.ERR_OUT_OF_RANGE("spkac", `<= ${2 ** 31 - 1}`, bytes.byteLength);
}

/** Certificate.verifySpkac(): whether a SPKAC is signed with the key in it; as in Node, "" for no bytes at all. */
function verifySpkac(value: unknown, encoding?: string): boolean | "" {
  const bytes = spkac(value, encoding);
  checkSize(bytes);
  return bytes.byteLength === 0 ? "" : ops.spkacVerify(bytes);
}

/** Certificate.exportPublicKey(): PEM of the key in a SPKAC; empty if it is none. */
function exportPublicKey(value: unknown, encoding?: string) {
  const bytes = spkac(value, encoding);
  checkSize(bytes);
  const key = ops.spkacKey(bytes);
  return key.length === 0 ? "" : asBuffer(key);
}

/** Certificate.exportChallenge() */
function exportChallenge(value: unknown, encoding?: string) {
  const bytes = spkac(value, encoding);
  checkSize(bytes);
  const challenge = ops.spkacChallenge(bytes);
  return challenge.length === 0 ? "" : asBuffer(challenge);
}

/** crypto.Certificate, which may be called without `new`; its functions are there both ways. */
function Certificate(this: unknown): object | undefined {
  if (!(this instanceof Certificate)) return new (Certificate as unknown as new () => object)();
}

for (const target of [Certificate, Certificate.prototype])
  Object.assign(target, { exportChallenge, exportPublicKey, verifySpkac });

export { Certificate, X509Certificate };

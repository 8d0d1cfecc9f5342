// tls.createSecureContext: certificates and keys for connections.

import { codes } from "internal/errors";
import { validateString } from "internal/validators";

const { tlsContext, tlsContextFree } = native("net");

let registry: any;

function pem(value: any, name: string): string | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (Array.isArray(value)) {
    const texts = value.map((item) => pem(item?.pem ?? item, name)).filter((text) => text !== undefined);
    return texts.length === 0 ? undefined : texts.join("\n");
  }
  if (typeof value === "string") return value;
  if (ArrayBuffer.isView(value)) {
    return require("node:buffer").Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1");
  }
  throw new codes.ERR_INVALID_ARG_TYPE(`options.${name}`, ["string", "Buffer", "TypedArray", "DataView"], value);
}

const versions: Record<string, number> = { TLSv1: 10, "TLSv1.1": 11, "TLSv1.2": 12, "TLSv1.3": 13 };

function version(value: any, label: string, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  const number = versions[value];
  if (number === undefined) throw new codes.ERR_TLS_INVALID_PROTOCOL_VERSION(value, label);
  return number;
}

// Options that this TLS library cannot honour are refused rather than ignored.
const unsupported = [
  "pfx", "crl", "dhparam", "privateKeyEngine", "clientCertEngine", "ticketKeys", "pskCallback", "sigalgs", "secureProtocol",
  "honorCipherOrder", "secureOptions", "ecdhCurve", "ciphers",
];
/** Values of these that ask for what happens anyway. */
const harmless: Record<string, unknown[]> = {
  __proto__: null as any,
  ecdhCurve: ["auto"],
  secureOptions: [0],
  honorCipherOrder: [false],
};

export const defaults = { minVersion: "TLSv1.2", maxVersion: "TLSv1.3" };

/** What createSecureContext() gives; `context` is for native code. */
export class SecureContext {
  declare context: any;
  declare id: number;

  constructor(options: any) {
    for (const name of unsupported) {
      const value = options[name];
      if (name === "ciphers") {
        if (value !== undefined && value !== null) validateString(value, "options.ciphers");
        if (value === require("node:tls").DEFAULT_CIPHERS) continue;
      }
      if (value !== undefined && value !== null && !harmless[name]?.includes(value)) {
        throw new Error(`bao: tls option "${name}" is not implemented`);
      }
    }
    const key = pem(options.key, "key");
    if (key !== undefined && /ENCRYPTED/.test(key)) throw new Error("bao: encrypted private keys are not implemented");
    const min = version(options.minVersion, "minimum", versions[defaults.minVersion]!);
    const max = version(options.maxVersion, "maximum", versions[defaults.maxVersion]!);
    try {
      this.id = tlsContext(pem(options.cert, "cert"), key, pem(options.ca, "ca"), min, max);
    } catch (error: any) {
      const match = /^error:[0-9A-F]+:([^:]*):[^:]*:(.*)$/.exec(error.message);
      if (match) {
        error.library = match[1];
        error.reason = match[2];
        error.code = `ERR_OSSL_${match[1]!.startsWith("PEM") ? "PEM_" : match[1]!.startsWith("x509") ? "X509_" : ""}${match[2]!.toUpperCase().replaceAll(" ", "_")}`;
      }
      throw error;
    }
    this.context = this;
    const { id } = this;
    registry ??= new FinalizationRegistry((number: number) => tlsContextFree(number));
    registry.register(this, id);
  }
}

let plain: SecureContext | undefined;

/** tls.createSecureContext([options]) */
export function createSecureContext(options: any = {}): SecureContext {
  options ??= {};
  // The context of clients without options of their own is always the same.
  if (!options.cert && !options.key && !options.ca && !options.minVersion && !options.maxVersion && !options.pfx &&
      !options.crl && !options.dhparam) {
    return plain ??= new SecureContext({});
  }
  return new SecureContext(options);
}

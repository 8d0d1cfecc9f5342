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

/** Versions of `secureProtocol`, OpenSSL's names of methods. */
function protocolOf(name: string): [number, number] {
  const match = /^(TLS|SSLv23|SSLv2|SSLv3|TLSv1_2|TLSv1_1|TLSv1)(?:_client|_server)?_method$/.exec(name);
  if (match === null) throw new codes.ERR_TLS_INVALID_PROTOCOL_METHOD(`Unknown method: ${name}`);
  switch (match[1]) {
    case "TLS":
    case "SSLv23": return [versions[defaults.minVersion]!, versions[defaults.maxVersion]!];
    case "TLSv1_2": return [12, 12];
    case "SSLv2":
    case "SSLv3": throw new codes.ERR_TLS_INVALID_PROTOCOL_METHOD(`${match[1]} methods disabled`);
    default: throw new Error(`bao: TLS before 1.2 is not implemented (secureProtocol "${name}")`);
  }
}

// Options that this TLS library cannot honour are refused rather than ignored.
const unsupported = [
  "pfx", "crl", "dhparam", "privateKeyEngine", "clientCertEngine", "ticketKeys", "pskCallback", "sigalgs", "secureOptions", "ecdhCurve",
];
/** Values of these that ask for what happens anyway. */
const harmless: Record<string, unknown[]> = {
  __proto__: null as any,
  ecdhCurve: ["auto"],
  secureOptions: [0],
};

export const defaults = { minVersion: "TLSv1.2", maxVersion: "TLSv1.3" };

/** What createSecureContext() gives; `context` is for native code. */
export class SecureContext {
  declare context: any;
  declare id: number;

  constructor(options: any) {
    for (const name of unsupported) {
      const value = options[name];
      if (value !== undefined && value !== null && !harmless[name]?.includes(value)) {
        throw new Error(`bao: tls option "${name}" is not implemented`);
      }
    }
    const key = pem(options.key, "key");
    if (key !== undefined && /ENCRYPTED/.test(key)) throw new Error("bao: encrypted private keys are not implemented");
    let min = version(options.minVersion, "minimum", versions[defaults.minVersion]!);
    let max = version(options.maxVersion, "maximum", versions[defaults.maxVersion]!);
    const { secureProtocol, ciphers } = options;
    if (secureProtocol !== undefined && secureProtocol !== null) {
      for (const name of ["minVersion", "maxVersion"]) {
        if (options[name] !== undefined && options[name] !== null) throw new codes.ERR_TLS_PROTOCOL_VERSION_CONFLICT(options[name], secureProtocol);
      }
      validateString(secureProtocol, "options.secureProtocol");
      [min, max] = protocolOf(secureProtocol);
    }
    let suites: string[] | undefined;
    if (ciphers !== undefined && ciphers !== null) {
      validateString(ciphers, "options.ciphers");
      if (ciphers !== require("node:tls").DEFAULT_CIPHERS) {
        suites = require("internal/tls/ciphers").suitesOf(ciphers);
        // Only suites of TLS 1.3: no other version is meant.
        if (max > 12 && suites!.every((name) => name.startsWith("TLS13_"))) min = 13;
      }
    }
    try {
      this.id = tlsContext(pem(options.cert, "cert"), key, pem(options.ca, "ca"), min, max | (options.honorCipherOrder ? 1 << 16 : 0), suites);
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
      !options.crl && !options.dhparam && !options.ciphers && !options.secureProtocol && !options.honorCipherOrder) {
    return plain ??= new SecureContext({});
  }
  return new SecureContext(options);
}

// tls.createSecureContext: certificates and keys for connections.

import { codes } from "internal/core/errors";
import { settle } from "internal/net/tls/trust";
import { validateBuffer, validateInt32, validateInteger, validateString } from "internal/core/validators";

import type { SecureContextOptions } from "internal/net/types";

const net = native("net");

let registry: FinalizationRegistry<number>;

/** Kinds of native's tlsAdd and tlsLimit. */
const Add = { Certificate: 0, Key: 1, Authority: 2, Revoked: 3, Bundle: 4, Parameters: 5, FurtherAuthority: 6 };
const Limit = { Ciphers: 0, Suites: 1, Groups: 2, Signatures: 3, PartialChains: 4 };

/** Numbers of protocol versions. */
const versions: Record<string, number> = {
  TLSv1: 0x0301,
  "TLSv1.1": 0x0302,
  "TLSv1.2": 0x0303,
  "TLSv1.3": 0x0304,
};

function option(name: string): string | string[] | boolean | undefined {
  return native("process").cliOption(name);
}

/** What connections have that say nothing themselves. The lowest of the flags for the lowest version counts, as in Node. */
export const defaults = {
  minVersion:
    (["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const).find(
      (_, index) => option(`--tls-min-v1.${index}`) === true,
    ) ?? "TLSv1.2",
  maxVersion: option("--tls-max-v1.3") !== true && option("--tls-max-v1.2") === true ? "TLSv1.2" : "TLSv1.3",
  ciphers: undefined as string | undefined,
  curve: "auto",
};

/** tls.DEFAULT_CIPHERS */
export function defaultCiphers(): string {
  return (defaults.ciphers ??= require("internal/crypto/constants").cryptoConstants().defaultCipherList as string);
}

function version(value: string | null | undefined, label: string, fallback: string): number {
  value ??= fallback;
  const number = versions[value];
  if (number === undefined) throw new codes.ERR_TLS_INVALID_PROTOCOL_VERSION(value, label);
  return number;
}

/** Versions of `secureProtocol`, OpenSSL's names of methods. */
function protocolOf(name: string, min: number): [number, number] {
  const match = /^(TLS|SSLv23|SSLv2|SSLv3|TLSv1_2|TLSv1_1|TLSv1)(?:_client|_server)?_method$/.exec(name);
  switch (match?.[1]) {
    case "TLS":
      return [0x0301, 0x0304];
    case "SSLv23":
      return [min, 0x0303];
    case "TLSv1_2":
      return [0x0303, 0x0303];
    case "TLSv1_1":
      return [0x0302, 0x0302];
    case "TLSv1":
      return [0x0301, 0x0301];
    case undefined:
      throw new codes.ERR_TLS_INVALID_PROTOCOL_METHOD(`Unknown method: ${name}`);
    default:
      throw new codes.ERR_TLS_INVALID_PROTOCOL_METHOD(`${match![1]} methods disabled`);
  }
}

function material(value: unknown, name: string): Uint8Array {
  if (typeof value === "string") return require("node:buffer").Buffer.from(value);
  if (ArrayBuffer.isView(value)) return value as Uint8Array;
  throw new codes.ERR_INVALID_ARG_TYPE(`options.${name}`, ["string", "Buffer", "TypedArray", "DataView"], value);
}

/** The items of an option that may be a list, as bytes. */
function items(value: unknown, name: string): Uint8Array[] {
  if (!value) return [];
  return (Array.isArray(value) ? value : [value]).map((item) => material(item, name));
}

/**
 * A word of a list of suites as the library has it. Two of OpenSSL's words are the library's ALL, which takes nothing away from others
 * that stand with it; PSK are OpenSSL's suites of every kind with a pre-shared key, the library's only those that exchange no keys.
 */
function ownWord(part: string): string {
  const mark = /^[!+-]/.test(part) ? part[0]! : "";
  const names = part
    .slice(mark.length)
    .split("+")
    .map((name) => (name === "PSK" ? "aPSK" : name))
    .filter((name) => name !== "HIGH" && name !== "DEFAULT");
  return mark + (names.join("+") || "ALL");
}

/** A list of cipher suites: those of TLS 1.3, and the rest. */
function ciphersOf(list: string): { suites: string; older: string } {
  // There are no levels of security here.
  const parts = list
    .replace(/@SECLEVEL=\d/g, "")
    .split(/[:, ]/)
    .filter((part) => part.length > 0);
  const suites = parts.filter((part) => part.startsWith("TLS_"));
  const older = parts.filter((part) => !/^[!+-]?TLS_/.test(part)).map(ownWord);
  if (parts.length === 0) throw new codes.ERR_INVALID_ARG_VALUE("options.ciphers", list);
  return { suites: suites.join(":"), older: older.join(":") };
}

function passphraseOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (ArrayBuffer.isView(value))
    return require("node:buffer").Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1");
  validateString(value, "options.passphrase");
  return value;
}

/** What createSecureContext() gives; `context` is for native code. */
export class SecureContext {
  declare context: SecureContext;
  declare id: number;

  constructor(options: SecureContextOptions) {
    let wantsEngine = false;
    for (const name of ["privateKeyEngine", "privateKeyIdentifier", "clientCertEngine"] as const) {
      const value = options[name];
      if (value === undefined || value === null) continue;
      if (typeof value !== "string")
        throw new codes.ERR_INVALID_ARG_TYPE(`options.${name}`, ["string", "null", "undefined"], value);
      wantsEngine = true;
    }
    if (wantsEngine) throw new codes.ERR_CRYPTO_CUSTOM_ENGINE_NOT_SUPPORTED();
    const { secureProtocol, ciphers } = options;
    if (secureProtocol) {
      for (const name of ["minVersion", "maxVersion"] as const) {
        if (options[name] !== undefined && options[name] !== null)
          throw new codes.ERR_TLS_PROTOCOL_VERSION_CONFLICT(options[name], secureProtocol);
      }
    }
    let min = version(options.minVersion, "minimum", defaults.minVersion);
    let max = version(options.maxVersion, "maximum", defaults.maxVersion);
    if (secureProtocol) {
      validateString(secureProtocol, "options.secureProtocol");
      [min, max] = protocolOf(secureProtocol, min);
    }
    if (ciphers !== undefined && ciphers !== null) validateString(ciphers, "options.ciphers");
    const { suites, older } = ciphersOf(ciphers ?? defaultCiphers());
    // Suites of TLS 1.3 alone allow no other version; without one there are those of the default.
    if (older === "" && min < 0x0304 && max > 0x0303) min = 0x0304;
    let flags = options.secureOptions ?? 0;
    if (typeof flags !== "number") validateInteger(flags, "options.secureOptions");
    if (options.honorCipherOrder) flags |= 0x400000;
    settle();
    const id = (this.id = net.tlsContext(min, max, flags >>> 0));
    this.context = this;
    registry ??= new FinalizationRegistry((number: number) => net.tlsContextFree(number));
    registry.register(this, id);

    const secret = passphraseOf(options.passphrase);
    for (const bytes of items(options.ca, "ca")) net.tlsAdd(id, Add.Authority, bytes, undefined);
    for (const bytes of items(options.cert, "cert")) net.tlsAdd(id, Add.Certificate, bytes, undefined);
    if (options.key) {
      // `{ pem, passphrase }` is an item of a list only.
      const isList = Array.isArray(options.key);
      for (const item of Array.isArray(options.key) ? options.key : [options.key]) {
        const bytes = material((isList ? item?.pem : undefined) ?? item, "key");
        net.tlsAdd(id, Add.Key, bytes, passphraseOf(item?.passphrase) ?? secret);
      }
    }
    const { sigalgs, ecdhCurve = defaults.curve, dhparam, pfx, ticketKeys, sessionTimeout, sessionIdContext } = options;
    if (sigalgs !== undefined && sigalgs !== null) {
      validateString(sigalgs, "options.sigalgs");
      if (sigalgs === "") throw new codes.ERR_INVALID_ARG_VALUE("options.sigalgs", sigalgs);
      net.tlsLimit(id, Limit.Signatures, sigalgs);
    }
    net.tlsLimit(
      id,
      Limit.Suites,
      suites || "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256",
    );
    if (older !== "") net.tlsLimit(id, Limit.Ciphers, older);
    if (ecdhCurve !== null) {
      validateString(ecdhCurve, "options.ecdhCurve");
      if (ecdhCurve !== "auto") net.tlsLimit(id, Limit.Groups, ecdhCurve);
    }
    // There are no suites that use them (docs/compatibility.md).
    if (dhparam !== undefined && dhparam !== null && dhparam !== "auto")
      net.tlsAdd(id, Add.Parameters, material(dhparam, "dhparam"), undefined);
    for (const bytes of items(options.crl, "crl")) net.tlsAdd(id, Add.Revoked, bytes, undefined);
    if (options.allowPartialTrustChain) net.tlsLimit(id, Limit.PartialChains, "");
    if (pfx !== undefined && pfx !== null) {
      for (const item of Array.isArray(pfx) ? pfx : [pfx]) {
        net.tlsAdd(id, Add.Bundle, material(item?.buf ?? item, "pfx"), passphraseOf(item?.passphrase) ?? secret);
      }
    }
    let seconds = 0;
    if (sessionTimeout !== undefined && sessionTimeout !== null) {
      validateInt32(sessionTimeout, "options.sessionTimeout", 0);
      seconds = sessionTimeout;
    }
    if (sessionIdContext !== undefined && sessionIdContext !== null)
      validateString(sessionIdContext, "options.sessionIdContext");
    if (seconds !== 0 || sessionIdContext)
      net.tlsSessionTerms(id, require("node:buffer").Buffer.from(sessionIdContext ?? ""), seconds);
    if (ticketKeys !== undefined && ticketKeys !== null) {
      validateBuffer(ticketKeys, "options.ticketKeys");
      if (ticketKeys.byteLength !== 48)
        throw new codes.ERR_INVALID_ARG_VALUE("options.ticketKeys", ticketKeys.byteLength, "must be exactly 48 bytes");
      net.tlsTicketKeys(id, ticketKeys);
    }
  }
}

// Of Node's insides: packages that read the certificates of the system add them by it (syswide-cas, win-ca).
Object.defineProperty(SecureContext.prototype, "addCACert", {
  value(this: SecureContext, certificate: unknown): void {
    net.tlsAdd(this.id, Add.FurtherAuthority, material(certificate, "ca"), undefined);
  },
  configurable: true,
  writable: true,
});

let plain: SecureContext | undefined;

/** The context of clients without options is made anew next time. */
export function forgetDefault(): void {
  plain = undefined;
}

const own = [
  "ca",
  "cert",
  "key",
  "passphrase",
  "pfx",
  "crl",
  "dhparam",
  "ciphers",
  "secureProtocol",
  "honorCipherOrder",
  "minVersion",
  "maxVersion",
  "ecdhCurve",
  "sigalgs",
  "secureOptions",
  "sessionIdContext",
  "sessionTimeout",
  "ticketKeys",
  "allowPartialTrustChain",
  "privateKeyEngine",
  "privateKeyIdentifier",
  "clientCertEngine",
] as const;

/** The context for a connection: those without options of their own share one. */
export function createSecureContext(options: SecureContextOptions | null = {}): SecureContext {
  options ??= {};
  for (const name of own) if (options[name] !== undefined && options[name] !== null) return new SecureContext(options);
  return (plain ??= new SecureContext({}));
}

// Pre-shared keys of TLS 1.2: what a program's `pskCallback` gives (https://nodejs.org/api/tls.html#pre-shared-keys).

import { codes } from "internal/core/errors";
import { validateBuffer, validateObject, validateString } from "internal/core/validators";

import type { TLSOptions, TLSSocket as SecureSocket } from "internal/net/types";

type AskKey = NonNullable<TLSOptions["pskCallback"]>;
/** An identity, of clients, and the key; no key refuses the connection. */
export type Answer = [identity: string, key?: Uint8Array];

/** Bytes of a key and of its identity, at most, as in OpenSSL. */
const MAX_KEY = 256;
const MAX_IDENTITY = 128;

function checkKey(key: unknown): Uint8Array {
  validateBuffer(key, "psk");
  const bytes = key as Uint8Array;
  if (bytes.byteLength > MAX_KEY)
    throw new codes.ERR_INVALID_ARG_VALUE("psk", key, `Pre-shared key exceeds ${MAX_KEY} bytes`);
  return bytes;
}

/** What a client's `pskCallback` gives: its identity and key. */
export function clientKey(socket: SecureSocket, ask: AskKey, hint: string | null): Answer {
  const found = ask.call(socket, hint);
  if (found == null) return [""];
  validateObject(found, "ret");
  const key = checkKey(found.psk);
  const { identity } = found;
  validateString(identity, "identity");
  if (require("node:buffer").Buffer.byteLength(identity) > MAX_IDENTITY)
    throw new codes.ERR_INVALID_ARG_VALUE("identity", identity, `PSK identity exceeds ${MAX_IDENTITY} bytes`);
  return [identity, key];
}

/** What a server's gives: the key of an identity, or an object that has it. */
export function serverKey(socket: SecureSocket, ask: AskKey, identity: string): Answer {
  const found = ask.call(socket, socket, identity);
  if (found == null) return [""];
  if (ArrayBuffer.isView(found)) return ["", checkKey(found)];
  if (typeof found !== "object")
    throw new codes.ERR_INVALID_ARG_TYPE("ret", ["Object", "Buffer", "TypedArray", "DataView"], found);
  return ["", checkKey((found as { psk: unknown }).psk)];
}

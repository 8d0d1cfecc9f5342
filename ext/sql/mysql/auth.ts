/**
 * Proofs of a password: https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL_CONNECTION_PHASE_AUTHENTICATION_METHODS.html and
 * https://mariadb.com/kb/en/connection/#ed25519-plugin
 */

import { mysqlError } from "internal/sql/mysql/error";

/** Bytes of the server's random number. It sends a NUL behind them, which is no part of it. */
const NONCE = 20;

// Second bytes of a packet that begins with 1.
const REQUEST_PUBLIC_KEY = 2;
const FAST_SUCCESS = 3;
const FULL_AUTHENTICATION = 4;

/** What an exchange goes on with. */
export interface Exchange {
  /** The first proof, which goes with the handshake's answer or answers a switch. */
  first(): Uint8Array;
  /** The answer to more data of the server (what follows the 1); undefined: there is none. Throws MySQLError. */
  more(data: Buffer): Uint8Array | undefined;
}

export interface Circumstances {
  password: string;
  /** Nobody else reads the connection: TLS, or a unix socket. */
  isSecret: boolean;
  isTls: boolean;
  /** The server may be asked for its key over a connection that others can change. */
  allowPublicKeyRetrieval: boolean;
}

const EMPTY = new Uint8Array(0);

function digest(name: "sha1" | "sha256", ...parts: Uint8Array[]): Buffer {
  const hash = require("node:crypto").createHash(name);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function xor(bytes: Uint8Array, mask: Uint8Array): Buffer {
  const result = Buffer.allocUnsafe(bytes.length);
  for (let i = 0; i < bytes.length; i++) result[i] = bytes[i]! ^ mask[i % mask.length]!;
  return result;
}

function nonceOf(data: Uint8Array): Uint8Array {
  if (data.length < NONCE) throw mysqlError("MISSING_AUTH_DATA", "The server sent too little authentication data");
  return data.subarray(0, NONCE);
}

const nothingMore = (): never => {
  throw mysqlError("UNEXPECTED_PACKET", "The server asks for more than the authentication plugin has");
};

/** SHA1(password) XOR SHA1(nonce, SHA1(SHA1(password))). */
function native({ password }: Circumstances, data: Uint8Array): Exchange {
  return {
    first() {
      if (password === "") return EMPTY;
      const nonce = nonceOf(data);
      const once = digest("sha1", Buffer.from(password));
      return xor(once, digest("sha1", nonce, digest("sha1", once)));
    },
    more: nothingMore,
  };
}

/** The password for the owner of an RSA key: not as it is, but mixed with the nonce, so that it is good for this connection only. */
function encrypted(password: string, nonce: Uint8Array, key: Buffer): Buffer {
  const { publicEncrypt, constants } = require("node:crypto");
  try {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    return publicEncrypt({ key: key.toString("latin1"), padding }, xor(Buffer.from(`${password}\0`), nonce));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw mysqlError("INVALID_PUBLIC_KEY", `The server's public key is none: ${message}`);
  }
}

function refuseKey(): never {
  throw mysqlError(
    "PUBLIC_KEY_RETRIEVAL_NOT_ALLOWED",
    "The server wants the password encrypted with its public key, and whoever changes the connection could send another key: " +
      "use TLS, or set allowPublicKeyRetrieval",
  );
}

/** SHA256(password) XOR SHA256(SHA256(SHA256(password)), nonce); if the server does not remember the password, it wants it whole. */
function cachingSha2(how: Circumstances, data: Uint8Array): Exchange {
  const { password } = how;
  let hasAsked = false;
  return {
    first() {
      if (password === "") return EMPTY;
      const nonce = nonceOf(data);
      const once = digest("sha256", Buffer.from(password));
      return xor(once, digest("sha256", digest("sha256", once), nonce));
    },
    more(answer) {
      if (hasAsked) return encrypted(password, nonceOf(data), answer);
      if (answer.length === 1 && answer[0] === FAST_SUCCESS) return undefined;
      if (answer.length !== 1 || answer[0] !== FULL_AUTHENTICATION) return nothingMore();
      if (how.isSecret) return Buffer.from(`${password}\0`);
      if (!how.allowPublicKeyRetrieval) return refuseKey();
      hasAsked = true;
      return Uint8Array.of(REQUEST_PUBLIC_KEY);
    },
  };
}

/** The password whole: as it is where nobody reads it, else encrypted. */
function sha256(how: Circumstances, data: Uint8Array): Exchange {
  const { password } = how;
  let hasAsked = false;
  return {
    first() {
      if (password === "") return Uint8Array.of(0);
      if (how.isTls) return Buffer.from(`${password}\0`);
      if (!how.allowPublicKeyRetrieval) return refuseKey();
      hasAsked = true;
      return Uint8Array.of(1);
    },
    more: (key) => (hasAsked ? encrypted(password, nonceOf(data), key) : nothingMore()),
  };
}

function clear({ password, isTls }: Circumstances): Exchange {
  return {
    first() {
      if (!isTls) {
        throw mysqlError(
          "AUTHENTICATION_FAILED",
          "The server asks for the password in clear text, which is sent over TLS only",
        );
      }
      return Buffer.from(`${password}\0`);
    },
    more: nothingMore,
  };
}

/** MariaDB's: a signature of the nonce with a key that is made of the password. */
function ed25519({ password }: Circumstances, data: Uint8Array): Exchange {
  return {
    first() {
      if (password === "") return EMPTY;
      if (data.length < 32) throw mysqlError("MISSING_AUTH_DATA", "The server sent too little authentication data");
      const { sign } = require("internal/sql/mysql/ed25519");
      return sign(Buffer.from(password), data.subarray(0, 32));
    },
    more: nothingMore,
  };
}

const plugins: Record<string, (how: Circumstances, data: Uint8Array) => Exchange> = {
  __proto__: null as never,
  mysql_native_password: native,
  caching_sha2_password: cachingSha2,
  sha256_password: sha256,
  mysql_clear_password: clear,
  client_ed25519: ed25519,
};

export const isKnown = (plugin: string): boolean => plugins[plugin] !== undefined;

/** Throws MySQLError for a plugin that there is not. `data` is what the server sent for it. */
export function exchangeOf(plugin: string, how: Circumstances, data: Uint8Array): Exchange {
  const make = plugins[plugin];
  if (make === undefined) {
    throw mysqlError(
      "UNSUPPORTED_AUTH_PLUGIN",
      `The server asks for the authentication plugin ${JSON.stringify(plugin.slice(0, 64))}`,
    );
  }
  return make(how, data);
}

/** SCRAM-SHA-256, also with channel binding (RFC 5802, RFC 7677, RFC 5929). */

import { postgresError } from "internal/sql/postgres/errors";

/** A server that asks for more holds the client, and nothing else. */
const MAX_ITERATIONS = 10_000_000;
const NONCE_BYTES = 18;

const malformed = (): Error => postgresError("SASL_SIGNATURE_INVALID_BASE64", "The server's SASL message is malformed");

/** The attributes of a message: "r=...,s=...,i=...". */
function attributes(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of text.split(",")) if (part[1] === "=") found.set(part[0]!, part.slice(2));
  return found;
}

export class Scram {
  /** Hash of the server's certificate; undefined without channel binding. */
  #binding: Buffer | undefined;
  #header: string;
  #nonce: string;
  #first: string;
  #signature: Buffer | undefined = undefined;
  readonly mechanism: string;

  constructor(binding: Buffer | undefined, couldBind: boolean) {
    const { randomBytes } = require("node:crypto");
    this.#binding = binding;
    this.mechanism = binding === undefined ? "SCRAM-SHA-256" : "SCRAM-SHA-256-PLUS";
    // "y": the client could bind, but the server does not offer it. That stands in the proof, so nobody between can hide the offer.
    this.#header = binding === undefined ? (couldBind ? "y,," : "n,,") : "p=tls-server-end-point,,";
    this.#nonce = randomBytes(NONCE_BYTES).toString("base64");
    this.#first = `n=*,r=${this.#nonce}`;
  }

  /** The client's first message. */
  get first(): string {
    return this.#header + this.#first;
  }

  /** The client's final message, which proves that it knows the password. */
  async final(serverFirst: string, password: string): Promise<string> {
    const crypto = require("node:crypto");
    const given = attributes(serverFirst);
    const nonce = given.get("r");
    const salt = given.get("s");
    const iterations = Number(given.get("i"));
    if (nonce === undefined || salt === undefined || !Number.isInteger(iterations) || iterations < 1) throw malformed();
    if (!nonce.startsWith(this.#nonce) || nonce.length === this.#nonce.length || iterations > MAX_ITERATIONS)
      throw malformed();
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    crypto.pbkdf2(
      password.normalize("NFKC"),
      Buffer.from(salt, "base64"),
      iterations,
      32,
      "sha256",
      (error: Error | null, key: Buffer) => {
        if (error) reject(error);
        else resolve(key);
      },
    );
    const salted = await promise;
    const hmac = (key: Buffer, text: string): Buffer => crypto.createHmac("sha256", key).update(text).digest();
    const binding = Buffer.concat([Buffer.from(this.#header), this.#binding ?? Buffer.alloc(0)]).toString("base64");
    const withoutProof = `c=${binding},r=${nonce}`;
    const message = `${this.#first},${serverFirst},${withoutProof}`;
    const clientKey = hmac(salted, "Client Key");
    const storedKey = crypto.createHash("sha256").update(clientKey).digest();
    const proof = hmac(storedKey, message);
    for (let i = 0; i < proof.length; i++) proof[i]! ^= clientKey[i]!;
    this.#signature = hmac(hmac(salted, "Server Key"), message);
    return `${withoutProof},p=${proof.toString("base64")}`;
  }

  /** Throws unless the server has proved that it knows the password, too. */
  verify(serverFinal: string): void {
    const crypto = require("node:crypto");
    const signature = Buffer.from(attributes(serverFinal).get("v") ?? "", "base64");
    const own = this.#signature;
    if (own === undefined || signature.length !== own.length || !crypto.timingSafeEqual(signature, own)) {
      throw postgresError("SASL_SIGNATURE_MISMATCH", "The server did not return the correct signature");
    }
  }
}

/** md5 of the password and the name, and of that and the server's salt. */
export function md5Password(username: string, password: string, salt: Uint8Array): string {
  const { createHash } = require("node:crypto");
  const inner = createHash("md5")
    .update(password + username)
    .digest("hex");
  return `md5${createHash("md5").update(inner).update(salt).digest("hex")}`;
}

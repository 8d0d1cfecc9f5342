// Signatures in minisign's format (https://jedisct1.github.io/minisign/): keys are made, files signed and checked. What `bao upgrade`
// checks is install/src/commands/upgrade/signature.rs.
//
//     bao tools/package/minisign.mjs generate FOLDER                    writes FOLDER/minisign.key and FOLDER/minisign.pub
//     bao tools/package/minisign.mjs sign KEY FILE COMMENT              writes FILE.minisig
//     bao tools/package/minisign.mjs verify PUBLIC_KEY FILE             prints the trusted comment
//
// Secret keys have no password: `minisign -G -W`. Runs under Node as well.

import { createHash, createPrivateKey, createPublicKey, randomBytes, sign as signBytes, verify as verifyBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ED25519 = "Ed";
/** The BLAKE2b-512 hash of the file is signed. */
const PREHASHED = "ED";
/** Before the 32 bytes of a seed or of a key in DER (RFC 8410). */
const PRIVATE_DER = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_DER = Buffer.from("302a300506032b6570032100", "hex");

const blake2 = (bytes) => createHash("blake2b512").update(bytes).digest();
/** The last line of a key file, or the line itself, as bytes. */
const lastLine = (text) => Buffer.from(text.trim().split("\n").at(-1).trim(), "base64");
const privateKey = (seed) => createPrivateKey({ key: Buffer.concat([PRIVATE_DER, seed]), format: "der", type: "pkcs8" });
const publicKey = (key) => createPublicKey({ key: Buffer.concat([PUBLIC_DER, key]), format: "der", type: "spki" });
const name = (id) => Buffer.from(id).reverse().toString("hex").toUpperCase();

const MASK = (1n << 64n) - 1n;
const INITIAL = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n, 0x510e527fade682d1n, 0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const ORDER = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
];
const MIXED = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];

/** BLAKE2b (RFC 7693) of 32 bytes for messages of one block: node:crypto has only the one of 64 bytes. */
function blake2b256(message) {
  const state = [...INITIAL];
  state[0] ^= 0x01010020n;
  const block = Buffer.alloc(128);
  message.copy(block);
  const words = Array.from({ length: 16 }, (_, i) => block.readBigUInt64LE(i * 8));
  const v = [...state, ...INITIAL];
  v[12] ^= BigInt(message.length);
  v[14] ^= MASK;
  const rotate = (value, by) => ((value >> by) | (value << (64n - by))) & MASK;
  for (let round = 0; round < 12; round++) {
    const order = ORDER[round % 10];
    MIXED.forEach(([a, b, c, d], i) => {
      for (const [at, first, second] of [[2 * i, 32n, 24n], [2 * i + 1, 16n, 63n]]) {
        v[a] = (v[a] + v[b] + words[parseInt(order[at], 16)]) & MASK;
        v[d] = rotate(v[d] ^ v[a], first);
        v[c] = (v[c] + v[d]) & MASK;
        v[b] = rotate(v[b] ^ v[c], second);
      }
    });
  }
  const hash = Buffer.alloc(32);
  for (let i = 0; i < 4; i++) hash.writeBigUInt64LE((state[i] ^ v[i] ^ v[i + 8]) & MASK, i * 8);
  return hash;
}

/** A new pair, as the texts of the two files. */
export function generate() {
  const seed = randomBytes(32);
  const id = randomBytes(8);
  const key = createPublicKey(privateKey(seed)).export({ format: "der", type: "spki" }).subarray(PUBLIC_DER.length);
  const secret = Buffer.concat([seed, key]);
  const checksum = blake2b256(Buffer.concat([Buffer.from(ED25519), id, secret]));
  const body = [ED25519, Buffer.alloc(2), "B2", Buffer.alloc(32), Buffer.alloc(16), id, secret, checksum];
  const text = (parts) => Buffer.concat(parts.map((part) => Buffer.from(part))).toString("base64");
  return {
    secretKey: `untrusted comment: minisign secret key ${name(id)}\n${text(body)}\n`,
    publicKey: `untrusted comment: minisign public key ${name(id)}\n${text([ED25519, id, key])}\n`,
  };
}

/** Reads a secret key that has no password. */
function readSecretKey(text) {
  const bytes = lastLine(text);
  if (bytes.length !== 158 || bytes.toString("latin1", 0, 2) !== ED25519) throw new Error("not a secret key of minisign");
  if (bytes.readUInt16LE(2) !== 0) {
    throw new Error("the secret key has a password: sign with minisign itself, or take it away (minisign -C -W)");
  }
  return { id: bytes.subarray(54, 62), seed: bytes.subarray(62, 94) };
}

/** The signature of a file's bytes, as the text of a `.minisig` file. `comment` is one line that the signature covers. */
export function sign(secretKey, bytes, comment) {
  const { id, seed } = readSecretKey(secretKey);
  const key = privateKey(seed);
  const signature = signBytes(null, blake2(bytes), key);
  const whole = signBytes(null, Buffer.concat([signature, Buffer.from(comment)]), key);
  const first = Buffer.concat([Buffer.from(PREHASHED), id, signature]).toString("base64");
  return `untrusted comment: signature of bao ${name(id)}\n${first}\ntrusted comment: ${comment}\n${whole.toString("base64")}\n`;
}

/** Checks a signature, and gives its trusted comment. */
export function verify(publicText, bytes, signatureText) {
  const known = lastLine(publicText);
  const [, first, comment = "", whole = ""] = signatureText.split("\n");
  const signature = Buffer.from(first ?? "", "base64");
  const text = comment.replace(/^trusted comment: /, "");
  if (signature.length !== 74 || known.length !== 42) throw new Error("not a signature, or not a key, of minisign");
  if (!signature.subarray(2, 10).equals(known.subarray(2, 10))) throw new Error("the signature is another key's");
  const key = publicKey(known.subarray(10));
  const signed = signature.toString("latin1", 0, 2) === PREHASHED ? blake2(bytes) : bytes;
  if (!verifyBytes(null, signed, key, signature.subarray(10))) throw new Error("the signature does not fit to the file");
  const covered = Buffer.concat([signature.subarray(10), Buffer.from(text)]);
  if (!verifyBytes(null, covered, key, Buffer.from(whole, "base64"))) throw new Error("the trusted comment was changed");
  return text;
}

/** The public key of a secret one, as its one line. */
export function publicLine(secretKey) {
  const { id, seed } = readSecretKey(secretKey);
  const key = createPublicKey(privateKey(seed)).export({ format: "der", type: "spki" }).subarray(PUBLIC_DER.length);
  return Buffer.concat([Buffer.from(ED25519), id, key]).toString("base64");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [command, first, second, third] = process.argv.slice(2);
  if (command === "generate" && first !== undefined) {
    const secret = join(first, "minisign.key");
    if (existsSync(secret)) throw new Error(`${secret} is there already`);
    mkdirSync(first, { recursive: true });
    const pair = generate();
    writeFileSync(secret, pair.secretKey, { mode: 0o600 });
    writeFileSync(join(first, "minisign.pub"), pair.publicKey);
  } else if (command === "sign" && third !== undefined) {
    writeFileSync(`${second}.minisig`, sign(readFileSync(first, "utf8"), readFileSync(second), third));
  } else if (command === "verify" && second !== undefined) {
    console.log(verify(readFileSync(first, "utf8"), readFileSync(second), readFileSync(`${second}.minisig`, "utf8")));
  } else {
    console.error("generate FOLDER, sign KEY FILE COMMENT, or verify PUBLIC_KEY FILE");
    process.exitCode = 2;
  }
}

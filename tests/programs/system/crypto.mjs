import BN from "bn.js";
import elliptic from "elliptic";
import nacl from "tweetnacl";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { scrypt } from "@noble/hashes/scrypt.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import bcrypt from "bcryptjs";
import CryptoJS from "crypto-js";
import md5 from "md5";
import hash from "object-hash";
import sha from "sha.js";
import seedrandom from "seedrandom";
import { Buffer as B6 } from "buffer/index.js";
import base64 from "base64-js";
import Long from "long";
const a = new BN("deadbeefcafebabe1234567890", 16),
  m = new BN("ffffffffffffffffffffff61", 16);
console.log(
  a.mul(m).toString(10),
  a.toRed(BN.red(m)).redPow(new BN(65537)).fromRed().toString(16),
  a.invm(m).toString(36),
  a.divmod(new BN(12345)).mod.toNumber(),
  new BN(-5).toTwos(8).toString(2),
);
const ec = new elliptic.ec("secp256k1"),
  key = ec.keyFromPrivate("1e99423a4ed27608a15a2616a2b0e9e52ced330ac530edcc32c8ffc6a526aedd", "hex"),
  sig = key.sign(Buffer.from(sha256(utf8ToBytes("msg"))));
console.log(
  key.getPublic("hex"),
  sig.toDER("hex"),
  key.verify(sha256(utf8ToBytes("msg")), sig),
  new elliptic.eddsa("ed25519").keyFromSecret("aa".repeat(32)).getPublic("hex"),
);
const kp = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(3)),
  bx = nacl.box.keyPair.fromSecretKey(new Uint8Array(32).fill(5));
console.log(
  Buffer.from(nacl.sign.detached(utf8ToBytes("x"), kp.secretKey)).toString("base64"),
  Buffer.from(nacl.secretbox(utf8ToBytes("y"), new Uint8Array(24), new Uint8Array(32))).toString("hex"),
  Buffer.from(bx.publicKey).toString("hex"),
  nacl.randomBytes(8).length,
);
console.log(
  bytesToHex(sha256(utf8ToBytes("abc"))),
  bytesToHex(sha512(new Uint8Array(200))).slice(0, 32),
  bytesToHex(blake3(utf8ToBytes("abc"))),
  bytesToHex(keccak_256(utf8ToBytes(""))),
  bytesToHex(scrypt("pw", "salt", { N: 1024, r: 8, p: 1, dkLen: 16 })),
);
console.log(
  bcrypt.hashSync("bacon", "$2b$04$abcdefghijklmnopqrstuu"),
  await bcrypt.compare("bacon", bcrypt.hashSync("bacon", 4)),
  bcrypt.getRounds("$2b$04$abcdefghijklmnopqrstuu"),
);
console.log(
  CryptoJS.AES.encrypt("m", CryptoJS.enc.Hex.parse("00".repeat(16)), { iv: CryptoJS.enc.Hex.parse("01".repeat(16)) }).toString(),
  CryptoJS.HmacSHA256("d", "k").toString(),
  CryptoJS.PBKDF2("p", "s", { keySize: 4, iterations: 10 }).toString(),
  CryptoJS.AES.decrypt(CryptoJS.AES.encrypt("round", "pw"), "pw").toString(CryptoJS.enc.Utf8),
  CryptoJS.SHA3("x").toString().slice(0, 16),
  CryptoJS.RIPEMD160("x").toString(),
);
console.log(
  md5("héllo"),
  hash({ b: [1, { c: new Date(0) }], a: /x/g, f: undefined }),
  hash(new Map([[1, new Set([2])]]), { algorithm: "md5" }),
  sha("sha384").update("z").digest("hex").slice(0, 20),
  seedrandom("hello")(),
  seedrandom.alea("s").int32(),
  [..."abc"].map(() => seedrandom("q", { global: false }).quick()).length,
);
console.log(
  B6.from("aé").toString("base64"),
  B6.alloc(4).writeInt32LE(-2, 0),
  [...B6.concat([B6.from([1]), B6.from("02", "hex")])],
  base64.fromByteArray(new Uint8Array([1, 2, 3, 4])),
  base64.toByteArray("AQI="),
  Long.fromString("9223372036854775807").add(1).toString(),
  Long.fromBits(-1, 7).shru(3).toString(16),
  Long.UONE.negate().toString(),
);

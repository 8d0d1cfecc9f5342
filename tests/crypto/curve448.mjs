// Ed448 and X448 in node:crypto and WebCrypto: all forms of keys, signatures with a context, shared secrets.
import crypto from "node:crypto";
const { subtle } = globalThis.crypto;

// RFC 8032, 7.4 and RFC 7748, 6.2.
const seed = Buffer.from("c4eab05d357007c632f3dbb48489924d552b08fe0c353a0d4a1f00acda2c463afbea67c5e8d2877c5e3bc397a659949ef8021e954e0a12274e", "hex");
const scalar = Buffer.from("9a8f4925d1519f5775cf46b04b5800d4ee9ee8bae8bc5565d498c28dd9c9baf574a9419744897391006382a6f127ab1d9ac2d8c0a598726b", "hex");
const der = (id, bytes) => Buffer.concat([Buffer.from(`3047020100300506032b65${id}043b0439`, "hex"), bytes]);
const own = crypto.createPrivateKey({ key: der("71", seed), format: "der", type: "pkcs8" });
console.log(own.asymmetricKeyType, own.asymmetricKeyDetails, own.export({ format: "jwk" }));
const sign = (context) => crypto.sign(null, Buffer.from([3]), context === undefined ? own : { key: own, context: Buffer.from(context) });
console.log(sign().toString("hex"));
console.log(sign("foo").toString("hex"));
const publicKey = crypto.createPublicKey(own);
console.log(crypto.verify(null, Buffer.from([3]), publicKey, sign()), crypto.verify(null, Buffer.from([3]), publicKey, sign("foo")));
try {
  sign("x".repeat(256));
} catch ({ name, code, message }) {
  console.log(name, code, message);
}

for (const type of ["ed448", "x448"]) {
  const pair = crypto.generateKeyPairSync(type);
  for (const options of [{ format: "pem" }, { format: "der" }, { format: "jwk" }, { format: "pem", cipher: "aes-256-cbc", passphrase: "secret" }]) {
    const key = pair.privateKey.export({ type: "pkcs8", ...options });
    const again = crypto.createPrivateKey({ type: "pkcs8", ...options, key });
    console.log(type, options.format, again.equals(pair.privateKey), crypto.createPublicKey(again).equals(pair.publicKey));
    if (options.cipher !== undefined) {
      try {
        crypto.createPrivateKey({ key, passphrase: "wrong" });
      } catch (error) {
        console.log(error.code);
      }
      continue;
    }
    const half = pair.publicKey.export({ type: "spki", ...options });
    console.log(crypto.createPublicKey({ type: "spki", ...options, key: half }).equals(pair.publicKey));
  }
}

const jwk = (bytes) => ({ kty: "OKP", crv: "X448", d: bytes.toString("base64url") });
const one = crypto.generateKeyPairSync("x448");
const two = crypto.generateKeyPairSync("x448");
const shared = crypto.diffieHellman({ privateKey: one.privateKey, publicKey: two.publicKey });
console.log(shared.length, shared.equals(crypto.diffieHellman({ privateKey: two.privateKey, publicKey: one.publicKey })));
try {
  crypto.createPrivateKey({ key: jwk(scalar), format: "jwk" });
} catch (error) {
  console.log(error.code);
}
const zero = crypto.createPublicKey({ key: { kty: "OKP", crv: "X448", x: Buffer.alloc(56).toString("base64url") }, format: "jwk" });
try {
  crypto.diffieHellman({ privateKey: one.privateKey, publicKey: zero });
} catch {
  console.log("a point of small order");
}

const keys = await subtle.generateKey("Ed448", true, ["sign", "verify"]);
const data = Buffer.from("data");
const context = Buffer.from("context");
const signature = await subtle.sign({ name: "Ed448", context }, keys.privateKey, data);
console.log(signature.byteLength, await subtle.verify({ name: "Ed448", context }, keys.publicKey, signature, data), await subtle.verify("Ed448", keys.publicKey, signature, data));
const raw = await subtle.exportKey("raw", keys.publicKey);
console.log(raw.byteLength, await subtle.verify({ name: "Ed448", context }, await subtle.importKey("raw", raw, "Ed448", false, ["verify"]), signature, data));
const mine = await subtle.generateKey("X448", false, ["deriveBits"]);
const other = await subtle.generateKey("X448", false, ["deriveBits"]);
const bits = (a, b) => subtle.deriveBits({ name: "X448", public: b.publicKey }, a.privateKey, 448).then((buffer) => Buffer.from(buffer).toString("hex"));
console.log((await bits(mine, other)) === (await bits(other, mine)));
console.log(structuredClone(keys.publicKey).algorithm, structuredClone(own).equals(own));

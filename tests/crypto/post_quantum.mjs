// PKCS#8 of ML-DSA and ML-KEM: with the seed, without it, with both; contexts of signatures.
import crypto from "node:crypto";
const { subtle } = globalThis.crypto;

const element = (tag, bytes) => Buffer.concat([Buffer.from([tag, 0x82, bytes.length >> 8, bytes.length & 255]), bytes]);
for (const [type, seedLength] of [["ml-dsa-44", 32], ["ml-dsa-87", 32], ["ml-kem-512", 64], ["ml-kem-1024", 64]]) {
  const { publicKey, privateKey } = crypto.generateKeyPairSync(type);
  const both = privateKey.export({ format: "der", type: "pkcs8" });
  // Version, algorithm; then the sequence of the seed and the key that comes of it.
  const head = both.subarray(4, 20);
  const seed = both.subarray(30, 30 + seedLength);
  const expanded = both.subarray(34 + seedLength);
  const load = (content) => crypto.createPrivateKey({ key: element(0x30, Buffer.concat([head, element(4, content)])), format: "der", type: "pkcs8" });
  const whole = load(both.subarray(24));
  const alone = load(element(4, expanded));
  console.log(type, both.length, whole.equals(privateKey), alone.equals(privateKey), crypto.createPublicKey(alone).equals(publicKey));
  const short = alone.export({ format: "der", type: "pkcs8" });
  console.log(short.length, short.includes(seed), whole.export({ format: "der", type: "pkcs8" }).equals(both));
  try {
    alone.export({ format: "jwk" });
  } catch ({ code, message }) {
    console.log(code, message);
  }
  const broken = Buffer.from(both);
  broken[40] ^= 1;
  try {
    crypto.createPrivateKey({ key: broken, format: "der", type: "pkcs8" });
    console.log("taken");
  } catch {
    console.log("seed and key do not belong together");
  }
  const usages = type.startsWith("ml-dsa") ? ["sign"] : ["decapsulateBits"];
  const web = await subtle.importKey("pkcs8", both, type.toUpperCase(), true, usages);
  console.log((await subtle.exportKey("pkcs8", web)).byteLength, Buffer.from(await subtle.exportKey("raw-seed", web)).equals(seed));
  const seedless = await subtle.importKey("pkcs8", short, type.toUpperCase(), true, usages);
  await subtle.exportKey("pkcs8", seedless).catch(({ name, cause }) => console.log(name, cause.code, cause.message));
}

const { publicKey, privateKey } = crypto.generateKeyPairSync("ml-dsa-65");
const context = Buffer.from("context");
const signature = crypto.sign(null, "data", { key: privateKey, context });
console.log(crypto.verify(null, "data", { key: publicKey, context }, signature), crypto.verify(null, "data", publicKey, signature));
try {
  crypto.sign(null, "data", { key: privateKey, context: Buffer.alloc(256) });
} catch ({ name, code, message }) {
  console.log(name, code, message);
}

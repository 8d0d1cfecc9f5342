// SubtleCrypto with fixed keys: formats, results and errors. Recorded from Node 25.8.1.
const { subtle } = crypto;
const data = new TextEncoder().encode("some data");
const hex = (buffer) => Buffer.from(buffer).toString("hex");
const bytes = (length, step) => Uint8Array.from({ length }, (_, index) => index * step + 1);

for (const name of ["SHA-1", "SHA-256", "SHA-384", { name: "sha-512" }]) console.log(hex(await subtle.digest(name, data)));

const hmac = await subtle.importKey("raw", bytes(20, 3), { name: "HMAC", hash: "SHA-256" }, true, ["verify", "sign"]);
console.log(hmac, hex(await subtle.sign("HMAC", hmac, data)), await subtle.exportKey("jwk", hmac));

for (const [name, parameters, length] of [
  ["AES-CBC", { iv: bytes(16, 5) }, 16],
  ["AES-CTR", { counter: new Uint8Array(16).fill(255), length: 8 }, 24],
  ["AES-GCM", { iv: bytes(12, 5), additionalData: bytes(3, 1), tagLength: 96 }, 32],
]) {
  const key = await subtle.importKey("raw", bytes(length, 7), name, true, ["encrypt", "decrypt"]);
  const sealed = await subtle.encrypt({ name, ...parameters }, key, data);
  console.log(name, key.algorithm, hex(sealed), (await subtle.exportKey("jwk", key)).alg);
  console.log(Buffer.from(await subtle.decrypt({ name, ...parameters }, key, sealed)).toString());
}
const large = new Uint8Array(100_000).map((_, index) => index);
const gcm = await subtle.importKey("raw", bytes(16, 7), "AES-GCM", true, ["encrypt", "decrypt"]);
console.log(hex(await subtle.digest("SHA-256", await subtle.encrypt({ name: "AES-GCM", iv: bytes(12, 1) }, gcm, large))));
const kw = await subtle.importKey("raw", bytes(16, 7), "AES-KW", false, ["wrapKey", "unwrapKey"]);
const wrapped = await subtle.wrapKey("raw", gcm, kw, "AES-KW");
console.log(hex(wrapped), (await subtle.unwrapKey("raw", wrapped, kw, "AES-KW", "AES-CTR", false, ["encrypt"])).algorithm);

const password = await subtle.importKey("raw", data, "PBKDF2", false, ["deriveBits", "deriveKey"]);
const pbkdf2 = { name: "PBKDF2", hash: "SHA-512", salt: bytes(8, 1), iterations: 10 };
console.log(hex(await subtle.deriveBits(pbkdf2, password, 128)));
console.log(await subtle.exportKey("jwk", await subtle.deriveKey(pbkdf2, password, { name: "AES-GCM", length: 256 }, true, ["decrypt"])));
const secret = await subtle.importKey("raw", data, "HKDF", false, ["deriveBits"]);
console.log(hex(await subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: bytes(4, 1), info: bytes(2, 1) }, secret, 200)));

const okp = { kty: "OKP", crv: "Ed25519", d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
const signer = await subtle.importKey("jwk", okp, "Ed25519", true, ["sign"]);
const { d, ...half } = okp;
const verifier = await subtle.importKey("jwk", half, "Ed25519", true, ["verify"]);
const signature = await subtle.sign("Ed25519", signer, data);
console.log(hex(signature), await subtle.verify("Ed25519", verifier, signature, data), await subtle.verify("Ed25519", verifier, signature, large));
console.log(hex(await subtle.exportKey("pkcs8", signer)), hex(await subtle.exportKey("spki", verifier)), hex(await subtle.exportKey("raw", verifier)));

const ecdsa = { name: "ECDSA", namedCurve: "P-384" };
const pair = await subtle.generateKey(ecdsa, false, ["sign", "verify"]);
const made = await subtle.sign({ name: "ECDSA", hash: "SHA-384" }, pair.privateKey, data);
console.log(pair, made.byteLength, await subtle.verify({ name: "ECDSA", hash: "SHA-384" }, pair.publicKey, made, data));
for (const curve of ["P-256", "P-521", "X25519"]) {
  const algorithm = curve === "X25519" ? "X25519" : { name: "ECDH", namedCurve: curve };
  const one = await subtle.generateKey(algorithm, true, ["deriveBits"]);
  const two = await subtle.generateKey(algorithm, true, ["deriveBits"]);
  const name = curve === "X25519" ? curve : "ECDH";
  const a = await subtle.deriveBits({ name, public: two.publicKey }, one.privateKey, null);
  const b = await subtle.deriveBits({ name, public: one.publicKey }, two.privateKey, null);
  console.log(curve, a.byteLength, hex(a) === hex(b));
}
const rsa = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" };
const oaep = await subtle.generateKey({ name: "RSA-OAEP", ...rsa }, true, ["encrypt", "decrypt"]);
const label = { name: "RSA-OAEP", label: bytes(4, 1) };
console.log(Buffer.from(await subtle.decrypt(label, oaep.privateKey, await subtle.encrypt(label, oaep.publicKey, data))).toString());
for (const name of ["RSASSA-PKCS1-v1_5", "RSA-PSS"]) {
  const { publicKey, privateKey } = await subtle.generateKey({ name, ...rsa }, true, ["sign", "verify"]);
  const again = await subtle.importKey("pkcs8", await subtle.exportKey("pkcs8", privateKey), { name, hash: "SHA-256" }, false, ["sign"]);
  console.log(publicKey, await subtle.verify({ name, saltLength: 32 }, publicKey, await subtle.sign({ name, saltLength: 32 }, again, data), data));
}

// Copies, also inside of other objects, share the key.
const copy = structuredClone({ signer, list: [hmac] });
console.log(copy.signer, hex(await subtle.sign("Ed25519", copy.signer, data)) === hex(signature), copy.list[0].algorithm);

for (const wrong of [
  () => subtle.digest("MD5", data),
  () => subtle.digest("SHA-1", "text"),
  () => subtle.digest("SHA-1"),
  () => subtle.encrypt({ name: "AES-GCM" }, gcm, data),
  () => subtle.encrypt({ name: "AES-GCM", iv: bytes(12, 1), tagLength: 5 }, gcm, data),
  () => subtle.decrypt({ name: "AES-GCM", iv: bytes(12, 1) }, gcm, bytes(20, 1)),
  () => subtle.sign("HMAC", gcm, data),
  () => subtle.sign("Ed25519", verifier, data),
  () => subtle.importKey("raw", bytes(5, 1), "AES-CBC", true, ["encrypt"]),
  () => subtle.importKey("raw", bytes(16, 1), "AES-CBC", true, ["sign"]),
  () => subtle.importKey("raw", bytes(16, 1), "AES-CBC", true, []),
  () => subtle.importKey("pkcs8", bytes(16, 1), "Ed25519", true, ["verify"]),
  () => subtle.importKey("jwk", { ...okp, crv: "X25519" }, "Ed25519", true, ["sign"]),
  () => subtle.importKey("spki", bytes(16, 1), "AES-CBC", true, ["encrypt"]),
  () => subtle.generateKey({ name: "AES-CBC", length: 129 }, true, ["encrypt"]),
  () => subtle.generateKey({ name: "ECDSA", namedCurve: "P-1" }, true, ["sign"]),
  () => subtle.generateKey("AES-CBC", true, ["encrypt"]),
  () => subtle.generateKey("Ed25519", true, []),
  () => subtle.deriveBits(pbkdf2, password, 7),
  () => subtle.deriveBits({ ...pbkdf2, iterations: 0 }, password, 8),
]) {
  try {
    console.log(await wrong());
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
try {
  new CryptoKey();
} catch (error) {
  console.log(error.name, error.code, error.message);
}

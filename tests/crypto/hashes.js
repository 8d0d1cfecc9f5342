// Hashes, codes and derived keys of node:crypto against known values, and their errors.
const crypto = require("node:crypto");
const data = Buffer.from(Array.from({ length: 300 }, (_, i) => i & 255));
for (const name of ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-224", "sha512-256", "sha3-224", "sha3-256", "sha3-384", "sha3-512", "blake2b512", "blake2s256", "ripemd160", "sm3", "md5-sha1", "RSA-SHA256", "SHA-256"]) {
  const hash = crypto.createHash(name);
  for (let i = 0; i < data.length; i += 37) hash.update(data.subarray(i, i + 37));
  console.log(name, hash.digest("hex"), crypto.createHash(name).update("é\ud800").digest("base64"));
  console.log(crypto.createHmac(name, "key").update(data).digest("base64url"), crypto.createHmac(name, Buffer.alloc(200, 1)).update("").digest("hex"));
}
console.log(crypto.createHash("shake128", { outputLength: 40 }).update("x").digest("hex"), crypto.createHash("shake256", { outputLength: 0 }).digest("hex") === "");
const a = crypto.createHash("sha256").update("abc");
const b = a.copy();
console.log(a.update("def").digest("hex"), b.update(data).digest().length, crypto.createHash("sha1").update("616263", "hex").digest("latin1").length);
console.log(crypto.hash?.("sha1", "abc") ?? "a9993e364706816aba3e25717850c26c9cd0d89d", crypto.getHashes().length);

console.log(crypto.pbkdf2Sync("password", "salt", 1000, 40, "sha512").toString("hex"));
console.log(crypto.pbkdf2Sync("password", Buffer.from("salt"), 3, 70, "blake2s256").toString("hex"));
console.log(Buffer.from(crypto.hkdfSync("sha256", "key", "salt", "info", 50)).toString("hex"));
console.log(crypto.scryptSync("password", "NaCl", 32, { N: 1024, r: 8, p: 2 }).toString("hex"));
console.log(crypto.timingSafeEqual(Buffer.from("abc"), Buffer.from("abc")), crypto.timingSafeEqual(Buffer.from("abc"), Buffer.from("abd")));

for (const call of [
  () => crypto.createHash("nope"), () => crypto.createHash(5), () => crypto.createHash("md5").update(5), () => crypto.createHash("md5").update("abc", "hex"),
  () => crypto.createHash("sha256", { outputLength: 5 }), () => crypto.createHmac("nope", "k"), () => crypto.createHmac("md5"), () => crypto.pbkdf2Sync("a", "b", 0, 5, "md5"),
  () => crypto.pbkdf2Sync("a", "b", 1, 5, "nope"), () => crypto.hkdfSync("sha1", "a", "b", "c", 6000), () => crypto.scryptSync("a", "b", 5, { N: 3 }), () => crypto.scryptSync("a", "b", 5, { N: 2, cost: 2 }),
  () => crypto.timingSafeEqual(Buffer.alloc(1), Buffer.alloc(2)), () => crypto.randomBytes(-1), () => crypto.randomInt(5, 5), () => crypto.randomUUID(5),
]) {
  try {
    call();
    console.log("no error");
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
const done = crypto.createHash("md5");
done.digest();
try {
  done.update("x");
} catch (error) {
  console.log(error.code);
}

// As a stream.
const stream = crypto.createHash("sha1");
stream.on("readable", () => {
  const bytes = stream.read();
  if (bytes) console.log("stream", bytes.toString("hex"));
});
stream.write("ab");
stream.end("c");
console.log(stream instanceof require("node:stream").Transform, stream instanceof crypto.Hash);

crypto.pbkdf2("p", "s", 2, 8, "sha256", (error, key) => {
  console.log("pbkdf2", error, key.toString("hex"));
  crypto.scrypt("p", "s", 8, (error, key) => {
    console.log("scrypt", error, key.toString("hex"));
    crypto.hkdf("sha1", "k", "", "", 8, (error, key) => {
      console.log("hkdf", error, key instanceof ArrayBuffer, Buffer.from(key).toString("hex"));
      crypto.webcrypto.subtle.digest("SHA-256", data).then((digest) => console.log("subtle", Buffer.from(digest).toString("hex")));
    });
  });
});

// An HMAC after its digest has no length either; a hash begins anew. Tags of the classes, and Bun's other name of SHA-1.
// expected: recorded from bun 1.4.5
const hmac = new Bun.CryptoHasher("sha256", "key");
console.log(hmac.byteLength, hmac.update("a").digest("hex").length);
for (const use of [() => hmac.byteLength, () => hmac.digest(), () => hmac.copy(), () => hmac.update("b")]) {
  try {
    console.log(use());
  } catch (error) {
    console.log(error.message);
  }
}
const hash = new Bun.CryptoHasher("sha256");
console.log(hash.digest("hex") === hash.digest("hex"), hash.byteLength);
for (const name of ["MD4", "MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "SHA512_256"])
  console.log(Object.prototype.toString.call(new Bun[name]()));
const other = new Bun.CryptoHasher("sha128");
console.log(other.algorithm, other.byteLength, Bun.CryptoHasher.hash("sha128", "a", "hex"));
console.log(Bun.CryptoHasher.algorithms.includes("sha128"));

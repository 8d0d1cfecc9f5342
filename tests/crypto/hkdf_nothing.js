// expected: recorded from node 25.9.0
// Nothing can be derived by HKDF: an error for length 0, after those of the other arguments.
const { hkdf, hkdfSync, subtle } = require("node:crypto");
const tried = (f) => {
  try {
    return f();
  } catch (error) {
    return `${error.name} ${error.code} ${error.message}`;
  }
};
console.log(tried(() => hkdfSync("sha256", "key", "salt", "info", 0)));
console.log(tried(() => hkdfSync("no-hash", "key", "salt", "info", 0)));
console.log(hkdfSync("sha256", "key", "salt", "info", 1).byteLength);
let isLater = false;
hkdf("sha512", "key", "salt", "info", 0, (error, key) => {
  console.log(isLater, error.name, error.message, key);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(2), info: new Uint8Array(2) };
  subtle
    .importKey("raw", new Uint8Array(8), "HKDF", false, ["deriveBits"])
    .then((key) => subtle.deriveBits(algorithm, key, 0))
    .then((bits) => console.log(bits.byteLength));
});
isLater = true;

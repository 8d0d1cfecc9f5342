// expected: recorded from node 25.9. Ciphers of OpenSSL's legacy provider are known and not available; other names are unknown.
const crypto = require("node:crypto");

for (const [name, key, iv] of [
  ["rc4", 16, null],
  ["bf-cbc", 16, 8],
  ["cast5-cbc", 16, 8],
  ["seed-ecb", 16, null],
  ["idea-ofb", 16, 8],
  ["rc2-40-cbc", 5, 8],
  ["desx", 24, 8],
  ["BLOWFISH", 16, 8],
  ["rc5-cbc", 16, 8],
  ["nonsense", 16, 8],
]) {
  try {
    crypto.createCipheriv(name, Buffer.alloc(key), iv && Buffer.alloc(iv));
    console.log(name, "is there");
  } catch (error) {
    console.log(name, error.code, error.message, error.library, error.reason);
  }
}

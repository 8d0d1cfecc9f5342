// crypto: SHA-256, SHA-1, MD5, SHA-512 and HMAC over short texts and large buffers.
const { createHash, createHmac } = require("node:crypto");
const large = Buffer.alloc(8 << 20, "some text");
let sum = 0;
for (const name of ["sha256", "sha1", "md5", "sha512"]) {
  for (let i = 0; i < 5; i++) sum += createHash(name).update(large).digest()[0];
}
for (let i = 0; i < 100000; i++) {
  sum += createHash("sha256").update("key " + i).digest("hex").charCodeAt(0);
  if (i % 4 === 0) sum += createHmac("sha256", "secret").update("message " + i).digest("base64").length;
}
console.log(sum);

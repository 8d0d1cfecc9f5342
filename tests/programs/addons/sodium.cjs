const sodium = require("sodium-native");
const key = Buffer.alloc(sodium.crypto_secretbox_KEYBYTES, 1),
  nonce = Buffer.alloc(sodium.crypto_secretbox_NONCEBYTES, 2);
const m = Buffer.from("hello");
const c = Buffer.alloc(m.length + sodium.crypto_secretbox_MACBYTES);
sodium.crypto_secretbox_easy(c, m, nonce, key);
console.log(c.toString("hex"));
const o = Buffer.alloc(m.length);
console.log(sodium.crypto_secretbox_open_easy(o, c, nonce, key), o.toString());
const h = Buffer.alloc(32);
sodium.crypto_generichash(h, m);
console.log(h.toString("hex"));
const out = Buffer.alloc(32);
sodium.crypto_pwhash_async(
  out,
  Buffer.from("pw"),
  Buffer.alloc(sodium.crypto_pwhash_SALTBYTES),
  1,
  8192 * 2,
  sodium.crypto_pwhash_ALG_DEFAULT,
  (e) => console.log(e, out.toString("hex")),
);
const s = sodium.sodium_malloc(16);
console.log(s.length, s.secure);

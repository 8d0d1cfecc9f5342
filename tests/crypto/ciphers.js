// Symmetric ciphers of node:crypto with fixed keys. Recorded from Node 25.8.1.
const crypto = require("node:crypto");
const text = Buffer.from("The quick brown fox jumps over the lazy dog");

for (const name of [
  "aes-128-cbc", "aes192", "AES-256-CBC", "aes-128-ecb", "aes-256-ctr", "aes-128-ofb", "aes-192-cfb", "aes-256-cfb8", "aes-128-cfb1",
  "aes-256-xts", "des-ede3-cbc", "chacha20", "aes-128-gcm", "aes-256-ccm", "aes-192-ocb", "chacha20-poly1305",
]) {
  const info = crypto.getCipherInfo(name);
  const key = Buffer.from(Array.from({ length: info.keyLength }, (_, index) => index * 7 + 1));
  const iv = info.ivLength === undefined ? null : Buffer.from(Array.from({ length: info.ivLength }, (_, index) => index * 3 + 2));
  const tagged = ["gcm", "ccm", "ocb"].includes(info.mode) || name === "chacha20-poly1305";
  const options = tagged ? { authTagLength: 16 } : undefined;
  const cipher = crypto.createCipheriv(name, key, iv, options);
  if (tagged) cipher.setAAD(Buffer.from("more"), { plaintextLength: text.length });
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  const tag = tagged ? cipher.getAuthTag() : undefined;
  console.log(name, info, sealed.toString("hex"), tag?.toString("hex"));
  const back = crypto.createDecipheriv(name, key, iv, options);
  if (tagged) {
    back.setAuthTag(tag);
    back.setAAD(Buffer.from("more"), { plaintextLength: text.length });
  }
  console.log(back.update(sealed, null, "utf8") + back.final("utf8"));
  if (!tagged) continue;
  const wrong = crypto.createDecipheriv(name, key, iv, options);
  tag[0] ^= 1;
  wrong.setAuthTag(tag);
  wrong.setAAD(Buffer.from("more"), { plaintextLength: text.length });
  wrong.update(sealed);
  try {
    wrong.final();
  } catch (error) {
    console.log(error.message);
  }
}

const wrap = crypto.createCipheriv("id-aes128-wrap", Buffer.alloc(16, 1), Buffer.alloc(8, 0xa6));
console.log(wrap.update(Buffer.alloc(16, 2), null, "hex") + wrap.final("hex"));
const key = Buffer.alloc(16);
const pieces = crypto.createCipheriv("aes-128-cbc", key, key);
console.log(pieces.update("0011", "hex", "base64") + pieces.update("x".repeat(40), "utf8", "base64") + pieces.final("base64"));
const bare = crypto.createCipheriv("aes-128-cbc", key, key).setAutoPadding(false);
console.log(bare.update(Buffer.alloc(32), null, "hex") + bare.final("hex"));

for (const wrong of [
  () => crypto.createCipheriv("none", key, key),
  () => crypto.createCipheriv("aes-128-cbc", key, null),
  () => crypto.createCipheriv("aes-128-cbc", "short", key),
  () => crypto.createCipheriv("aes-128-cbc", key, "short"),
  () => crypto.createCipheriv("aes-128-ccm", key, Buffer.alloc(12)),
  () => crypto.createCipheriv("aes-128-gcm", key, Buffer.alloc(12), { authTagLength: 3 }),
  () => crypto.createCipheriv("aes-128-cbc", key, key).getAuthTag(),
  () => crypto.createCipheriv("aes-128-gcm", key, Buffer.alloc(12)).getAuthTag(),
  () => crypto.createDecipheriv("aes-128-gcm", key, Buffer.alloc(12)).final(),
  () => crypto.createDecipheriv("aes-128-gcm", key, Buffer.alloc(12)).setAuthTag(Buffer.alloc(17)),
  () => crypto.createCipheriv("aes-128-cbc", key, key).update(1),
  () => { const one = crypto.createDecipheriv("aes-128-cbc", key, key); one.update(key); one.final(); },
  () => { const one = crypto.createDecipheriv("aes-128-cbc", key, key); one.update("abc"); one.final(); },
  () => { const one = crypto.createCipheriv("aes-128-cbc", key, key); one.final(); one.final(); },
]) {
  try {
    console.log(wrong());
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}

// As a stream.
const stream = crypto.createCipheriv("aes-128-ctr", key, key);
const chunks = [];
stream.on("data", (chunk) => chunks.push(chunk)).on("end", () => console.log(Buffer.concat(chunks).toString("hex")));
stream.write("some ");
stream.end("text");

// Long text and bytes, which take other ways through the native side than short ones. Recorded from Node 25.8.1.
const { createHash } = require("node:crypto");
const digest = (bytes) => `${bytes.length} ${createHash("md5").update(bytes).digest("hex")}`;
const bytes = Buffer.alloc(30000);
for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 7 ^ i >> 8) & 0xff;
const texts = {
  ascii: "plain text ".repeat(2000), latin1: "naïve café ÿ ".repeat(1500), cjk: "日本語テキスト".repeat(2000), mixed: "a é 日 😀 ж\n".repeat(2000),
  emoji: "😀🎉".repeat(3000), lone: "ab\ud800cd\udc00😀é".repeat(2000), surrogateEnd: "x".repeat(9001) + "\ud83d", pairs: "x".repeat(31) + "😀".repeat(5000),
};
for (const [name, text] of Object.entries(texts)) {
  const utf8 = Buffer.from(text);
  console.log(name, digest(utf8), Buffer.byteLength(text), utf8.toString() === text.toWellFormed(), utf8.toString("utf8", 1, 9001).length);
  console.log(digest(Buffer.from(text, "latin1")), digest(Buffer.from(text, "utf16le")), Buffer.from(text, "utf16le").toString("utf16le") === text);
  const room = Buffer.alloc(5003, 0xee);
  console.log(room.write(text), digest(room), room.write(text, 17, 4000), digest(room));
  // Every cut of the end, so that a block ends at each place of a character.
  let sum = 0;
  for (let cut = 0; cut < 70; cut++) {
    sum = (sum * 31 + utf8.toString("utf8", 0, 400 - cut).length * 7 + Buffer.from(text.slice(cut, 300)).length) % 1e9;
    const text2 = text.slice(cut, cut + 100);
    if (Buffer.from(text2).toString() !== text2.toWellFormed()) console.log("differs", name, cut);
  }
  console.log(sum);
}
for (const encoding of ["hex", "base64", "base64url", "latin1", "ascii", "ucs2"]) {
  const text = bytes.toString(encoding);
  console.log(encoding, text.length, digest(Buffer.from(text, encoding)), digest(Buffer.from(text.slice(0, 9000) + "=" + text.slice(9000), encoding)));
  console.log(digest(Buffer.from(text.slice(0, 20001) + "\n" + text.slice(20001), encoding)), digest(Buffer.from(text + "é日", encoding)));
}
console.log(digest(Buffer.concat([bytes, bytes.subarray(5)])), digest(Buffer.concat([bytes], 40000)), digest(Buffer.concat([bytes, bytes], 100)));
console.log(Buffer.allocUnsafe(100000).length, Buffer.allocUnsafeSlow(9000).fill(1).every((byte) => byte === 1), digest(Buffer.from(bytes)));
console.log(bytes.indexOf(bytes.subarray(3000, 3020)), bytes.indexOf("nothing of this"), bytes.subarray(0, 500).indexOf(bytes.subarray(490, 500)));
const same = Buffer.from(bytes);
console.log(same.compare(bytes), same.equals(bytes), (same[29999] ^= 1, same.compare(bytes)), bytes.compare(same));
console.log(same.copy(same, 3, 0, 40), digest(same), same.copy(same, 0, 3, 40), digest(same), same.subarray(5).copy(same, 0, 0, 30), digest(same));

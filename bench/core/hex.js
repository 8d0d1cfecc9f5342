// hex, short values (digests) and one large one.
let sum = 0;
const large = Buffer.alloc(2 << 20, "abcdefghijklmnopq\u00ff");
for (let i = 0; i < 60; i++) {
  const text = large.toString("hex");
  sum += text.length + Buffer.from(text, "hex").length;
}
const digest = Buffer.alloc(32);
for (let i = 0; i < 500000; i++) {
  digest.writeUInt32LE(i, 0);
  sum += Buffer.from(digest.toString("hex"), "hex")[1];
}
console.log(sum);

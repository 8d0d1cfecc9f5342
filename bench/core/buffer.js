// Buffer: conversions from and to text, numbers, slices, comparison, concatenation and search.
const text = "Grüße aus dem Süden: 日本語 and plain ASCII text. ".repeat(20);
const ascii = "plain ASCII text with some words in it ".repeat(25);
let sum = 0;
for (let i = 0; i < 60000; i++) {
  const utf8 = Buffer.from(text);
  sum += utf8.toString().length;
  const plain = Buffer.from(ascii, "latin1");
  sum += plain.latin1Slice(0, 500).length + Buffer.byteLength(text);
  const short = Buffer.from("hello " + (i & 63));
  sum += short.toString("utf8", 0, 5).length;
  sum += Buffer.concat([utf8, plain, short]).length;
  sum += plain.indexOf("words in it p") + plain.indexOf(short);
  sum += plain.compare(utf8) + (plain.equals(utf8) ? 1 : 0);
}
const numbers = Buffer.alloc(4096);
for (let round = 0; round < 1500; round++) {
  for (let at = 0; at < 4096; at += 16) {
    numbers.writeUInt32LE(at + round, at);
    numbers.writeInt16BE(at & 0x7fff, at + 4);
    numbers.writeDoubleLE(at / 3, at + 8);
  }
  for (let at = 0; at < 4096; at += 16) {
    sum += numbers.readUInt32LE(at) + numbers.readInt16BE(at + 4) + Math.trunc(numbers.readDoubleLE(at + 8));
  }
  sum += numbers.subarray(16, 64).length;
}
console.log(sum);

// Making, copying, comparing, searching, filling and showing buffers.
const t = (fn) => {
  try {
    return fn();
  } catch (e) {
    return `${e.name} ${e.code} ${e.message}`;
  }
};
const hex = (b) => `${b.constructor.name} ${b.toString("hex")}`;
console.log(hex(Buffer.from([1, 2.9, 256, -1, "7", null])), hex(Buffer.from({ length: 3, 0: 9, 2: 8 })), hex(Buffer.from({ type: "Buffer", data: [1, 2] })));
console.log(hex(Buffer.from(new Uint16Array([1, 258]))), hex(Buffer.from(new String("str"))), hex(Buffer.from({ valueOf: () => "v" })), hex(Buffer.of(1, 2, 300)));
const ab = new ArrayBuffer(8);
const shared = Buffer.from(ab, 2, 4);
shared.fill(7);
console.log(new Uint8Array(ab).join(), shared.byteOffset, shared.length, shared.buffer === ab, shared.parent === ab, shared.offset);
for (const args of [[5], [null], [undefined], [{}], [() => {}], [ab, 9], [ab, 1, 9], [Symbol()]]) console.log(t(() => Buffer.from(...args)));
for (const args of [[-1], ["1"], [NaN], [3, "ab"], [5, "€"], [4, 257], [3, Buffer.from("xyz!")], [2, "", "nope"], [2, "zz", "hex"]]) {
  console.log(String(t(() => hex(Buffer.alloc(...args)))).replace(/<= \d+/, "<= MAX"));
}
// Every buffer has memory of its own: Bun's answer; Node shares a pool.
console.log(Buffer.poolSize, Buffer.from("a").buffer === Buffer.from("b").buffer, Buffer.allocUnsafeSlow(3).buffer.byteLength);
console.log(hex(Buffer.copyBytesFrom(new Uint16Array([1, 2, 3]), 1, 1)), t(() => Buffer.copyBytesFrom([1])));
console.log(hex(Buffer.concat([Buffer.from("ab"), new Uint8Array([1]), Buffer.alloc(0)])), hex(Buffer.concat([Buffer.from("abc")], 2)), hex(Buffer.concat([Buffer.from("abc")], 5)));
console.log(t(() => Buffer.concat([1])), t(() => Buffer.concat("x")), t(() => Buffer.concat([Buffer.from("a")], 1.5)));

const target = Buffer.alloc(6, "-");
const source = Buffer.from("abcdef");
console.log(source.copy(target, 4), target.toString(), source.copy(target, 0, 2, 4), target.toString(), source.copy(source, 2, 0, 4), source.toString());
console.log(t(() => source.copy(target, -1)), t(() => source.copy(target, 0, 9)), source.copy(target, 9), t(() => source.copy(1)));
const a = Buffer.from("abc");
console.log(a.equals(new Uint8Array([97, 98, 99])), a.compare(Buffer.from("abd")), a.compare(Buffer.from("xabcx"), 1, 4), Buffer.compare(a, Buffer.from("ab")), t(() => a.equals("abc")));
console.log([Buffer.from("b"), Buffer.from("a"), Buffer.from("")].sort(Buffer.compare).join("|"));
const hay = Buffer.from("abc abc ü abc");
console.log(hay.indexOf("abc", 1), hay.indexOf("abc", -3), hay.lastIndexOf("abc"), hay.lastIndexOf("abc", 7), hay.indexOf("ü"), hay.indexOf(98, 2), hay.indexOf(Buffer.from("c ")), hay.includes("zzz"), hay.indexOf(""), hay.lastIndexOf("", 99));
console.log(Buffer.from("a\u0000b\u0000a\u0000", "latin1").indexOf("b", 0, "utf16le"), hay.indexOf("616263", 1, "hex"), t(() => hay.indexOf({})), t(() => hay.indexOf("a", 0, "nope")));
console.log(Buffer.alloc(7).fill("ab").toString(), Buffer.alloc(5).fill("€").toString("hex"), Buffer.alloc(5, "x").fill("q", 1, 3).toString(), Buffer.alloc(4).fill("6162", "hex").toString(), Buffer.alloc(3).fill(0x1ff).toString("hex"));
console.log(t(() => a.fill("zz", "hex")), t(() => a.fill("a", 0, 9)), t(() => a.fill("a", 0, 1, 5)), t(() => a.fill("a", "nope")));
console.log(Buffer.from("0102030405060708", "hex").swap16().toString("hex"), Buffer.from("0102030405060708", "hex").swap32().toString("hex"), Buffer.from("0102030405060708", "hex").swap64().toString("hex"), t(() => a.swap16()));
const long = Buffer.from(Array.from({ length: 400 }, (_, i) => i));
console.log(long.swap16().swap32().swap64().subarray(0, 8).toString("hex"));
const view = a.subarray(-2);
view[0] = 0x5a;
console.log(a.toString(), view.toString(), a.slice(1, 2).toString(), a.subarray(5).length, JSON.stringify(a), a.toLocaleString("latin1"));
console.log(a, Buffer.alloc(0), Buffer.alloc(60), Object.assign(Buffer.from("x"), { prop: 1 }), [Buffer.from("in")]);
console.log(Buffer.isBuffer(a), Buffer.isBuffer(new Uint8Array(1)), a instanceof Uint8Array, Object.prototype.toString.call(a), a.map((x) => x + 1) instanceof Buffer, [...a.entries()].join(" "));
console.log(Buffer.byteLength("€"), Buffer.byteLength("YWI=", "base64"), Buffer.byteLength("abc", "hex"), Buffer.byteLength(ab), Buffer.byteLength(new DataView(ab, 1)), t(() => Buffer.byteLength(1)));

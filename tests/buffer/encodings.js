// Text to bytes and back in every encoding: odd input, partial characters, bounds, short and long texts.
const texts = ["", "a", "héllo", "€uro", "😀 ok", "\ud800x", "x\udc00", "日本語".repeat(40), "naïve ".repeat(50), "plain ".repeat(50)];
const encodings = ["utf8", "utf16le", "latin1", "ascii", "hex", "base64", "base64url"];
const digest = (s) => {
  let h = 0;
  for (let i = 0; i < s.length; i++) h = (Math.imul(h, 31) + s.charCodeAt(i)) | 0;
  return `${s.length}:${h >>> 0}`;
};
for (const text of texts) {
  for (const encoding of encodings) {
    const buf = Buffer.from(text, encoding);
    console.log(encoding, digest(text), Buffer.byteLength(text, encoding), buf.length, digest(buf.toString("hex")), encodings.map((e) => digest(buf.toString(e))).join(" "));
  }
}
// Base64 and hexadecimal text that is not clean.
for (const text of ["YQ==YQ==", "=YQ==", "YW Jj\nZGVm", "YW_-+/", "Y", "YWJ*=ZGVm", "\u0159\u0157JjZGVm", "YWJj====ZGVm"]) {
  console.log(JSON.stringify(text), Buffer.from(text, "base64").toString("hex"), Buffer.byteLength(text, "base64"));
}
for (const text of ["616", "61z1", "6 1", "ABcd", "\u0136\u0131", "zz"]) console.log(JSON.stringify(text), Buffer.from(text, "hex").toString("hex"));
// Writing stops before a character that does not fit, and touches nothing behind it.
for (const text of ["a€b", "😀😀", "éééééééééééééééééééé", "日本語日本語日本語日本語日本語日本語日本語日本語"]) {
  for (const room of [0, 1, 2, 3, 4, 5, 7, 30, 38, 39, 40]) {
    const buf = Buffer.alloc(44, 0xaa);
    const written = buf.write(text, 2, room);
    console.log(room, written, buf.subarray(0, 2 + written).toString("hex"), buf.subarray(2 + written).every((b) => b === 0xaa));
  }
}
// Malformed UTF-8: one replacement per maximal part.
for (const hex of ["ff", "c3", "e282", "f09f98", "eda080", "c080", "f4908080", "e282e282ac", "41e28241", "f8888080"]) {
  console.log(hex, JSON.stringify(Buffer.from(hex, "hex").toString()), JSON.stringify(Buffer.from(hex + "41".repeat(20), "hex").toString()));
}
const name = (fn) => {
  try {
    return fn();
  } catch (e) {
    return `${e.name} ${e.code} ${e.message}`;
  }
};
const b = Buffer.from("hello");
console.log(name(() => b.toString("nope")), name(() => Buffer.from("a", "nope")), name(() => b.write("a", 9)));
console.log(b.toString("utf8", 1, 3), b.toString("utf8", -5, 100), b.toString("utf8", 3, 1), b.latin1Slice(1, 4), b.utf8Slice());
console.log(b.write("abc", "latin1"), b.write("zz", 3, "utf8"), b.write("q", 1, 1, "ascii"), b.toString());
console.log(["utf8", "UTF-8", "UCS2", "binary", "hex", "", "utf7", undefined].map((e) => Buffer.isEncoding(e)).join());
const { transcode, isUtf8, isAscii } = require("buffer");
for (const [from, to] of [["utf8", "latin1"], ["utf8", "ascii"], ["utf8", "ucs2"], ["latin1", "utf8"], ["ucs2", "utf8"]]) {
  console.log(from, to, transcode(Buffer.from("é€😀a", from), from, to).toString("hex"));
}
console.log(name(() => transcode(b, "utf8", "hex")));
console.log(isUtf8(Buffer.from([0xc3, 0xa9])), isUtf8(Buffer.from([0xc3])), isAscii(b), isAscii(Buffer.from([200])));
console.log(btoa("\u00ff\u0000a"), JSON.stringify(atob(" YQ =\n=")), name(() => btoa("\u0100")), name(() => atob("a")));

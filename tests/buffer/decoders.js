// StringDecoder and TextDecoder fed piece by piece. The expected output differs from Node 20 in windows-1252 0x80,
// which that version decodes wrongly.
const { StringDecoder } = require("string_decoder");
for (const encoding of ["utf8", "utf16le", "base64", "base64url", "hex", "latin1", "ascii"]) {
  const bytes = Buffer.from("a€😀é\ud83d", encoding.startsWith("utf") ? encoding : "utf8");
  for (const step of [1, 2, 3, 5]) {
    const d = new StringDecoder(encoding);
    const out = [];
    for (let i = 0; i < bytes.length; i += step) {
      out.push(d.write(bytes.subarray(i, i + step)), `${d.lastNeed}/${d.lastTotal}/${d.lastChar.toString("hex")}`);
    }
    out.push(d.end());
    console.log(encoding, step, JSON.stringify(out));
  }
}
const d = new StringDecoder();
console.log(JSON.stringify([d.write(Buffer.from("f1", "hex")), d.write(Buffer.from("41f2", "hex")), d.end(), d.write("as is"), d.end(Buffer.from("e282ac", "hex")), d.text(Buffer.from("abc"), 1)]));
const t = (fn) => {
  try {
    return fn();
  } catch (e) {
    return `${e.name} ${e.code} ${e.message}`;
  }
};
console.log(t(() => new StringDecoder("nope")), t(() => d.write(5)), t(() => StringDecoder.prototype.write(Buffer.from("a"))));

const texts = { "utf-8": "efbbbf61e282acf09f9880", "utf-16le": "fffe6100ac203dd800de", "utf-16be": "feff0061", shift_jis: "8365835861", gb18030: "c4e381308130", "iso-2022-jp": "1b244224221b284261", "windows-1252": "8061e9", "euc-kr": "b0a1", big5: "a440", "x-mac-cyrillic": "80" };
for (const [label, hex] of Object.entries(texts)) {
  const bytes = Buffer.from(hex, "hex");
  const whole = new TextDecoder(label);
  const kept = new TextDecoder(label, { ignoreBOM: true });
  const split = new TextDecoder(label, { fatal: true });
  const parts = [...bytes].map((byte) => split.decode(new Uint8Array([byte]), { stream: true }));
  parts.push(split.decode());
  console.log(whole.encoding, JSON.stringify(whole.decode(bytes)), JSON.stringify(kept.decode(bytes)), JSON.stringify(parts));
}
console.log(t(() => new TextDecoder("nope")), t(() => new TextDecoder("hz-gb-2312")), t(() => new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from("ff", "hex"))));
const stream = new TextDecoder("utf-8", { fatal: true });
stream.decode(Buffer.from("e2", "hex"), { stream: true });
console.log(t(() => stream.decode()), stream.decode(Buffer.from("6f6b", "hex")), new TextDecoder().decode(new Uint8Array([226, 130, 172]).buffer), new TextDecoder(" LATIN1 ").encoding);
const encoder = new TextEncoder();
const into = new Uint8Array(7).fill(0xaa);
console.log(encoder.encode("a€\ud800").join(), JSON.stringify(encoder.encodeInto("a€😀", into)), into.join(), encoder.encode().length, encoder.encode("é".repeat(50)).length);
console.log(new TextDecoder("utf-16", { fatal: true }), Object.prototype.toString.call(encoder), t(() => encoder.encodeInto(1, into)), t(() => encoder.encodeInto("a", [])));

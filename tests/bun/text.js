// Recorded from Bun 1.4.5. Bun.stringWidth, stripANSI, escapeHTML, indexOfLine: made-up strings, and 3,000 random ones as one hash each.
const J = (s) => JSON.stringify(s).replace(/[\x7f-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
for (const s of ["👩‍👩‍👧", "🇺🇸", "🇺", "❤️", "❤", "👍🏽", "e\u0301", "각", "1️⃣", "क्षि", "ｱ", "日本", "a🏻", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "\t", "\u00ad", "\x1b[31mred\x1b[0m日", "\x1b]8;;http://x\x07link\x1b]8;;\x07", "\x9b31mx", "x\x1b[31", "x\x1bPabc\x1b\\y", "x\x1b]a\x18z", "é", "…"]) {
  console.log(J(s), Bun.stringWidth(s), Bun.stringWidth(s, { countAnsiEscapeCodes: true }), Bun.stringWidth(s, { ambiguousIsNarrow: false }), J(Bun.stripANSI(s)));
}
let seed = 1;
const random = (n) => { seed = (seed * 1103515245 + 12345) & 0x7fffffff; return (seed >> 8) % n; };
const latin = ["\x1b", "\x1b[", "\x1b]", "a", "b", "m", "3", ";", "\x07", "\x1b\\", "\x9b", "\x9c", "\x90", "\x18", "(", " ", "\n", "\x7f", "\x80", "\xe9", "\xad", "P", "_", "\x1b[31m", "\x1b[0m"];
const all = latin.concat(["日", "한", "\u0301", "\u200d", "\ufe0f", "😀", "☺", "❤", "👍", "🏽", "🇺", "🇸", "\u20e3", "1", "#", "👩", "♂", "क", "्", "ष", "ि", "\u1100", "\u1161", "©", "\u200b", "─"]);
for (let round = 0; round < 30; round++) {
  let text = "";
  for (let i = 0; i < 100; i++) {
    const set = round % 2 ? all : latin;
    let s = "";
    for (let j = random(9); j >= 0; j--) s += set[random(set.length)];
    text += `${Bun.stringWidth(s)},${J(Bun.stripANSI(s))}\n`;
  }
  console.log(round, Bun.hash(text));
}
console.log(Bun.escapeHTML("<>&\"'`é日"), Bun.escapeHTML("plain"), Bun.escapeHTML(5), Bun.escapeHTML("x".repeat(100) + "<é>" + "日".repeat(50) + "&"));
let n = 0;
const t = (f) => { n++; try { console.log(n, f()); } catch (e) { console.log(n, "!!", e.name, e.code, e.message); } };
t(() => Bun.stringWidth()); t(() => Bun.stringWidth(null)); t(() => Bun.stringWidth({}));
t(() => Bun.indexOfLine()); t(() => Bun.indexOfLine("abc\n")); t(() => Bun.indexOfLine(Buffer.from("abc\nd\n"), 0)); t(() => Bun.indexOfLine(Buffer.from("abc\nd\n"), 4)); t(() => Bun.indexOfLine(Buffer.from("abc\nd\n"), 6)); t(() => Bun.indexOfLine(Buffer.from("é\r\nx"))); t(() => Bun.indexOfLine(new Uint8Array([97, 10]).buffer)); t(() => Bun.indexOfLine(Buffer.from("ab"), -1));

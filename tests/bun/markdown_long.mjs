// expected: recorded from bun 1.4.5
// Bun.markdown.ansi: no line is wider than the terminal where wide characters are broken, and long words take no quadratic time (minutes).
const visible = (text) => text.replace(/\x1b\[[\d;]*m|\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)/g, "");
const show = (source, options) => console.log(visible(Bun.markdown.ansi(source, { colors: true, ...options })));
const wide = "漢".repeat(14);
for (const source of [`a${wide}`, `x **a${wide}**`, `\`a${wide}\``]) show(source, { columns: 12 });
const narrow = { columns: 20, hyperlinks: true };
show(`| a | b |\n|---|---|\n| [a${wide}](http://x/) | bbbbbbbbbbbbbbbbb |\n`, narrow);

const long = "abcdefghij".repeat(10_000);
const sources = {
  word: long,
  bold: `**${long}**`,
  code: `\`${long}\``,
  address: `[text](data:,${long})`,
  linked: `[${long}](http://x/)`,
  cell: `| a | b |\n|---|---|\n| [${long}](http://x/) | b |\n`,
};
for (const [name, source] of Object.entries(sources)) {
  const text = visible(Bun.markdown.ansi(source, { colors: true, hyperlinks: name !== "address", columns: 40 }));
  const lines = text.split("\n");
  const letters = text.replace(/[^a-j]/g, "");
  console.log(name, lines.every((line) => Bun.stringWidth(line) <= 40), lines.length, letters.includes(long));
}
// What is wider together than it was in parts is no error.
const joined = "| a | b |\n|---|---|\n| x | - 🏽🇩\ufe0f🏽🇩\ufe0fﷺ🏽🇩\ufe0f |\n";
console.log(Bun.markdown.ansi(joined, { columns: 12, colors: false }).length > 0);

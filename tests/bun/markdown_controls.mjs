// expected: recorded from bun 1.4.5
// Bun.markdown.ansi: what a document has of control characters and sequences does not come to the terminal, and does not confuse the breaking
// of lines (which had no end).
const sources = [
  "a\x1b[31mred",
  "`a\x1b[31mred`",
  "```\na\x1b[31m\x07\x7f\x01b\x1b[0m\n```",
  "a\x07\x7f\x01\x85\x9bb",
  "# h\x1b[2J",
  "| a\x1b[1m |\n|---|\n| b\x1b |",
  "&#27;[31m x",
  "[a](<http://x/\x1b\x07y>)",
  "[[w\x07]]",
];
for (const source of sources) {
  for (const options of [{ colors: false }, { colors: true, hyperlinks: true }])
    console.log(JSON.stringify(Bun.markdown.ansi(source, options)));
}
const broken = "> **bo ld**\u200b\x1b]8;;漢字\x1b[31m[li nk](http://a.b)\n漢字\x1b[31m";
for (const columns of [1, 2, 3, 7, 12]) console.log(Bun.markdown.ansi(broken, { columns, colors: false }).includes("\x1b"));

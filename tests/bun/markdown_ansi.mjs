// expected: recorded from bun 1.4.5
// Markdown for terminals, byte for byte.
const docs = [
  "##### H5\n###### H6\n# A\ntext\n## B\n",
  "# `c` [l](u)\n",
  "- a\n\n  para\n\n- b\n\ntext\n- c\n",
  "- a\n  ```js\n  1\n  ```\n- b\n",
  "> - q\n> 1. r\n>\n> ```\n> x\n> ```\n",
  "```\nplain\n\nx\n```\ntext",
  "p1\n\np2\n",
  "[https://x.y](https://x.y)",
  "10. a\n11. b\n",
  "- " + "long words here ".repeat(8) + "\n",
  "> " + "long words here ".repeat(8) + "\n",
  "## " + "long words here ".repeat(8) + "\n",
  "**b *i* b** ~~s `c` s~~",
  "a\nb\n",
  "|a|\n|-|\n|**b** `c`|\n",
  "text\n- l\n\n# h\n",
  "text\n\n---\n\ntext",
  "```js\nasync function foo() { await x(`t${1}`); /* c */ return null ?? true; }\nclass A extends B { #x = 0x1f; }\n```",
  "```ts\ninterface X { a: string; b?: number }\ntype Y = X | null; import { a } from \"b\"; const s = 'q\\'s';\n```",
  "```py\ndef f(): return 1\n```",
  '```json\n{"a": [1, true, null]}\n```',
  "",
  "   ",
  "&lt;b&gt; \\* x",
  '![alt](i.png "t")',
  "[a **b**](u)",
  "<u>x</u> <br> y",
  "- [x] a\n  - [ ] b",
  "1. a\n   - b\n     para\n2. c",
  "x".repeat(100) + " y",
  "_u_ __v__ $x$",
  "$$\nx\n$$",
];
for (const d of docs) console.log(JSON.stringify(d), "\n   ", JSON.stringify(Bun.markdown.ansi(d)));
console.log(JSON.stringify(Bun.markdown.ansi("[t](u) https://a.b `c`\n\n- x", { hyperlinks: true })));
console.log(JSON.stringify(Bun.markdown.ansi("`c` > \n\n> q", { light: true })));
console.log(JSON.stringify(Bun.markdown.ansi("a b c d e f\n\n---\n# a b c d e f", { columns: 5 })));
console.log(JSON.stringify(Bun.markdown.ansi("word ".repeat(30), { columns: 0 })));
console.log(JSON.stringify(Bun.markdown.ansi("# a", { colors: false, hyperlinks: true })));
for (const d of ["[t](u) ![x](y)", "- [x] a\n> q", "```js\n1\n```\n\n---"])
  console.log(JSON.stringify(Bun.markdown.ansi(d, { colors: false })));
for (const a of [[], [5], ["a", null], ["a", { columns: "x" }], ["a", { colors: 0 }]])
  try {
    console.log(JSON.stringify(Bun.markdown.ansi(...a)));
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
const long = `# Title *em*\n\nHello **bold** and _em_ and \`code\` and ~~del~~ [link](https://a.b/c "t") ![img](x.png)\n\n## H2\n### H3\n#### H4\n\n- one\n- two\n  - nested\n    1. deep\n\n1. a\n2. b\n\n- [ ] todo\n- [x] done\n\n> quote\n> more\n>> nested\n\n\`\`\`js\nconst x = 1; // hi\nfunction f(a) { return "s" + 5; }\n\`\`\`\n\n    indented\n\n---\n\n| a | b | c |\n|---|:-:|--:|\n| 1 | 2 | 3 |\n| long cell | x | y |\n\nhard  \nbreak <b>html</b> &amp; https://auto.link/x\n\n<div>\nblock\n</div>\n\nlast line that is very very very long and should wrap at some column since it has more than eighty characters in it, indeed.\n`;
for (const theme of [{}, { colors: false }, { columns: 44 }, { hyperlinks: true }, { light: true }])
  console.log(JSON.stringify(Bun.markdown.ansi(long, theme)));

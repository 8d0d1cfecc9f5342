// expected: written by hand; Bun prints the same but for the last two lines (it copies until memory is used up).
// Texts of about 1 MB: work that grows as their square takes minutes.
const count = (text, part) => text.split(part).length - 1;
const html = Bun.markdown.html("```\n<x\n```\n<p>\n\n".repeat(60_000), { noHtmlBlocks: true });
console.log("blocks of code and HTML", count(html, "<pre>"), count(html, "<p><p>"));
const links = (text) => count(Bun.markdown.html(text, { autolinks: true }), "<a ");
console.log("beginnings of addresses", links("(http://a".repeat(110_000)), links("(http://a.b ".repeat(90_000)));
console.log("brackets behind an address", links(`www.a.b${")".repeat(1_000_000)}`));

const { parse } = Bun.YAML;
console.log("block scalars without content", parse("- |\n\n".repeat(200_000)).length);
const anchors = Array.from({ length: 50_000 }, (_, i) => `k${i}: &k${i} {a: 1}\nl${i}: *k${i}\n`).join("");
console.log("anchors", Object.keys(parse(anchors)).length);
const inner = `${Array.from({ length: 200 }, (_, i) => `&a${i} [`).join("")}${"1,".repeat(100_000)}${"]".repeat(200)}`;
console.log("anchors in each other", parse(inner).flat(Infinity).length);
console.log("a key that holds itself", JSON.stringify(Object.keys(parse("? &a [x, *a, y]\n: 1"))));

const fails = (name, text) => {
  try {
    parse(text);
    console.log(name, "is parsed");
  } catch (error) {
    console.log(name, error.name, error.message.replace(/ \(.*/s, ""));
  }
};
fails("a merge of itself", "a: &a {x: 1, <<: *a}");
const lists = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join("");
fails("a key of lists of lists", `a0: &a0 [x]\n${lists}? *a30\n: 1\n`);
fails("a long text many times", `s: &s ${"x".repeat(500_000)}\nl: [${"*s,".repeat(100_000)}]`);

import MarkdownIt from "markdown-it";
import { unified } from "unified";
import parse from "remark-parse";
import gfm from "remark-gfm";
import rehype from "remark-rehype";
import stringify from "rehype-stringify";
import { fromMarkdown } from "mdast-util-from-markdown";
import matter from "gray-matter";
import YAML from "yaml";
import JSON5 from "json5";
import { optimize } from "svgo";
const text =
  "# Head *x*\n\n1. a\n2. b\n   - c\n\n| t | u |\n|---|:-:|\n| 1 | ~~2~~ |\n\n- [x] done\n\n> q\n\n```js\ncode < 1\n```\n\nauto https://x.y \"quoted\" -- (c) [l][r] ![i](j.png)\\\nhard[^1]\n\n[^1]: note\n[r]: /ref 'T'\n<b>raw</b>\n";
console.log(
  new MarkdownIt({ html: true, linkify: true, typographer: true }).render(text),
  JSON.stringify(new MarkdownIt().parseInline("*a*").map((t) => t.children.map((c) => c.type))),
);
console.log(
  String(
    await unified()
      .use(parse)
      .use(gfm)
      .use(rehype, { allowDangerousHtml: true })
      .use(stringify, { allowDangerousHtml: true })
      .process(text),
  ),
);
console.log(JSON.stringify(fromMarkdown("a *b* `c`")));
console.log(matter("---\ntitle: T\nlist: [1, 2]\n---\nbody").data, matter.stringify("b", { x: 1 }));
const doc = YAML.parseDocument("# top\na: 1 # c\nb:\n  - &k {x: y}\n  - *k\nm: !!set {q, r}\n");
doc.set("z", [1, { w: null }]);
console.log(String(doc), doc.toJS(), YAML.stringify({ s: "a: b", l: "x\ny\n", n: [] }));
try {
  YAML.parse("a: [1\nb: 2");
} catch (e) {
  console.log(e.name, e.code, e.message);
}
console.log(JSON5.parse("{a:1,'b':0xf,/*c*/d:[+.5,Infinity,],e:'l\\\nm'}"), JSON5.stringify({ "a-b": 1, c: [NaN] }, null, 2));
try {
  JSON5.parse("{a:}");
} catch (e) {
  console.log(e.name, e.message, e.lineNumber, e.columnNumber);
}
console.log(
  optimize(
    `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><!-- c --><g><g><path d="M 10.000 10 L 20.0001 20 Z" fill="#ff0000"/></g></g><rect x="0" width="5" height="5" style="fill:black"/></svg>`,
    { multipass: true },
  ).data,
);

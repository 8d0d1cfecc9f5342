import fs from "node:fs";
import { createHash } from "node:crypto";
import { Lexer, Marked, marked } from "marked";

const text = `# Title *with* \`code\`

Setext
------

1. one
2. two
   - nested **bold** _it_
   - [ ] task
   - [x] done

> quote
> > deeper

| a | b |
|:--|--:|
| 1 | \`x|y\` |

\`\`\`js
if (a < b && c) {}
\`\`\`

<div>raw</div> & &amp; © "quotes" <https://example.com> www.example.com
![alt](img.png "title") [ref][r] ~~gone~~ line  
break \\* escaped

[r]: http://example.com/a_(b) 'T'
`;
console.log(marked.parse(text));
console.log(marked.parse(text, { gfm: false, breaks: true }).length);
console.log(marked.parseInline("*a* [b](c)"));
console.log(JSON.stringify(new Lexer().lex("- a\n\n  b\n- c\n"), null, 1));
const own = new Marked({
  async: true,
  renderer: {
    heading({ tokens, depth }) {
      return `<h${depth + 1}>${this.parser.parseInline(tokens).toUpperCase()}</h${depth + 1}>\n`;
    },
  },
  extensions: [
    {
      name: "at",
      level: "inline",
      start: (s) => s.indexOf("@"),
      tokenizer(s) {
        const m = /^@(\w+)/.exec(s);
        return m && { type: "at", raw: m[0], who: m[1] };
      },
      renderer: (t) => `<a>${t.who}</a>`,
    },
  ],
  walkTokens: async (token) => {
    if (token.type === "code") token.text = token.text.trim() + "!";
  },
});
console.log(await own.parse("# hi @you\n\n```\ncode\n```"));
for (const name of ["prettier", "zod", "@babel/core", "acorn", "terser", "typescript"]) {
  const html = marked.parse(fs.readFileSync(`node_modules/${name}/README.md`, "utf8"));
  console.log(name, html.length, createHash("md5").update(html).digest("hex"));
}

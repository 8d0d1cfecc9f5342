import hljs from "highlight.js";
import Prism from "prismjs";
import loadLanguages from "prismjs/components/index.js";
import { createHighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { createHash } from "node:crypto";
const code = {
  javascript: "const a = async (x) => { await `t${x + 1}`; /* c */ return /re[g]/gi.test(x) ?? 1_000n; };",
  python: "@dec\ndef f(x: int = 0) -> str:\n    '''doc'''\n    return f'{x!r}' if x else None",
  rust: 'fn main<\'a>() -> Result<(), E> { let x = &mut vec![1u8]; println!("{}", x[0]); }',
  css: "a:hover > .b { color: #fff !important; }",
  sql: "SELECT a, COUNT(*) FROM t WHERE b = 'x' -- c",
  html: '<div class="a"><script>let x = 1</script></div>',
  bash: 'for i in $(ls); do echo "$i"; done',
  yaml: "a: &x [1, 'b']\nc: *x",
};
loadLanguages.silent = true;
loadLanguages(["python", "rust", "sql", "bash", "yaml"]);
for (const [lang, text] of Object.entries(code)) {
  console.log(hljs.highlight(text, { language: lang === "html" ? "xml" : lang }).value);
  console.log(Prism.highlight(text, Prism.languages[lang], lang));
}
console.log(hljs.listLanguages().length, hljs.highlightAuto(code.python).language);
const shiki = await createHighlighterCore({
  themes: [import("shiki/themes/nord.mjs"), import("shiki/themes/min-light.mjs")],
  langs: ["javascript", "python", "rust", "css"].map((l) => import(`shiki/langs/${l}.mjs`)),
  engine: createJavaScriptRegexEngine(),
});
for (const lang of ["javascript", "python", "rust"]) {
  const html = shiki.codeToHtml(code[lang], { lang, theme: "nord", tokenizeTimeLimit: 0 });
  console.log(html.length, createHash("sha1").update(html).digest("hex"));
}
console.log(
  shiki
    .codeToTokensBase(code.css, { lang: "css", theme: "min-light", tokenizeTimeLimit: 0 })[0]
    .map((t) => t.content + t.color)
    .join(" "),
);

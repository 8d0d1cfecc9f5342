// expected: recorded from bun 1.4.5
// HTMLRewriter: which elements each selector finds, what each edit of each kind of content makes, how texts, comments and end tags of
// unusual documents are seen.
const html = `<!doctype html><html><body id=top class="page home"><nav><ul><li class=a>1</li><li class="a b" data-n="2">2</li><li>3<ul>
<li lang=en-US>4</li></ul></li></ul></nav><main><p>x</p><p class="B">y</p><div><p title="a b c">z</p><span></span><p>w</p></div>
<img src=/a.png alt=""><a href="https://example.com/x?y=1">e</a><a href="/local.html">l</a><A HREF="#top">t</A><input type=TEXT disabled>
<svg viewBox="0 0 1 1"><path d=M0/><title>s</title></svg><x-item some:attr=1 Data-Mixed=Case>c</x-item></main></body></html>`;

function found(selector) {
  const names = [];
  new HTMLRewriter()
    .on(selector, {
      element(e) {
        const attributes = [...e.attributes].map(([name, value]) => (value ? `${name}=${value}` : name));
        names.push([e.tagName, ...attributes].join(" "));
      },
    })
    .transform(html);
  return names.length > 6 ? `${names.length} elements, ${names[0]} … ${names.at(-1)}` : names.join(" | ") || "nothing";
}
const SELECTORS = [
  "*", "p", "P", "li", "nav li", "nav > li", "nav > ul > li", "ul ul li", "body p", "main > p", "div p", "div > p", "body > main > div > *",
  "#top", "body#top", "#TOP", ".a", ".a.b", ".A", "li.a", ".page.home", ".b", ".B", "p.B", ".none",
  "[data-n]", "[data-n='2']", "[data-n=\"3\"]", "[class~=b]", "[class^=a]", "[class$=b]", "[class*=' ']", "[lang|=en]", "[lang|=en-US]",
  "[title~=b]", "[title*='b c']", "[type=text]", "[type=text i]", "[type=TEXT]", "[disabled]", "[alt='']", "[href^='https:']", "[href$='.html' i]",
  "a[href^='#']", "a[href*=example][href*=y]", "a:not([href^='/'])", "li:not(.a)", "p:not(.B):not([title])", "*:not(*)", "li:not(.a, [lang])",
  "li:first-child", "p:first-child", "p:nth-child(2)", "li:nth-child(odd)", "li:nth-child(2n+1)", "li:nth-child(-n+2)", "*:nth-child(3)",
  "p:first-of-type", "p:nth-of-type(2)", "a:nth-of-type(2n)", "div > p:nth-of-type(2)", "p, span", "a, .a", "svg", "svg *", "path", "svg title",
  "x-item", "x-item[data-mixed=Case]", "x-item[data-mixed=case]", "body nav ul li ul li", "main *", "html > body", "html", "head",
  "li.a, li.b", "  p  >  .none , span ", "[src='/a.png'], [src=x]", "#a\\:b", ".\\31 0",
];
for (const selector of SELECTORS) {
  try {
    console.log(selector, "→", found(selector));
  } catch (error) {
    console.log(selector, "throws", error.message);
  }
}

// Every edit with text and with HTML, of an element with content, a void one and one without an end tag.
const show = (name, run) => {
  try {
    console.log(name, "→", JSON.stringify(run()));
  } catch (error) {
    console.log(name, "throws", error.message);
  }
};
const edited = (text, selector, handlers) => new HTMLRewriter().on(selector, handlers).transform(text);
for (const edit of ["before", "after", "prepend", "append", "replace", "setInnerContent"]) {
  for (const options of [undefined, { html: true }, { html: false }]) {
    for (const text of ["<p>a<b>c</b></p>", "<img>", "<p>open", "<br/>x"]) {
      const tag = /\w+/.exec(text)[0];
      show(`${edit} ${JSON.stringify(options)} ${text}`, () => edited(text, tag, { element: (e) => void e[edit]("<i>&\"'</i>", options) }));
    }
  }
}
for (const edit of ["before", "after", "replace"]) {
  show(`text ${edit}`, () => edited("<p>a&amp;b</p>", "p", { text: (t) => void (t.text && t[edit]("<&>")) }));
  show(`text ${edit} html`, () => edited("<p>a&amp;b</p>", "p", { text: (t) => void (t.text && t[edit]("<&>", { html: true })) }));
  show(`comment ${edit}`, () => edited("<p><!--a--></p>", "p", { comments: (c) => void c[edit]("<&>") }));
  show(`comment ${edit} html`, () => edited("<p><!--a--></p>", "p", { comments: (c) => void c[edit]("<&>", { html: true }) }));
}
for (const edit of ["before", "after"]) {
  show(`end tag ${edit}`, () => edited("<p>a</p>b", "p", { element: (e) => void e.onEndTag((end) => void end[edit]("<&>")) }));
  show(`end tag ${edit} html`, () =>
    edited("<p>a</p>b", "p", { element: (e) => void e.onEndTag((end) => void end[edit]("<&>", { html: true })) }),
  );
}
show("end tag remove", () => edited("<p>a</p>b", "p", { element: (e) => void e.onEndTag((end) => void end.remove()) }));
show("attributes in turn", () =>
  edited("<p a=1 B='2' a=3 c>x</p>", "p", { element: (e) => void e.setAttribute("a", "n").setAttribute("d", "").removeAttribute("B") }),
);
show("attribute values", () =>
  edited("<p>x</p>", "p", { element: (e) => void e.setAttribute("q", "\"").setAttribute("a", "&<>'").setAttribute("n", "\n\t") }),
);
show("nested edits", () => edited("<p><b>x</b></p>", "p, b", { element: (e) => void e.append(e.tagName).prepend(e.tagName) }));
show("removed inside removed", () => edited("<p><b>x</b></p>y", "p, b", { element: (e) => void e.remove() }));
show("kept inside removed", () => {
  const rewriter = new HTMLRewriter();
  rewriter.on("p", { element: (e) => void e.remove() }).on("b", { element: (e) => void e.before("never") });
  return rewriter.transform("<p><b>x</b></p>y");
});

// Documents that are unusual.
const DOCUMENTS = {
  script: "<script>if (a < b) '<p>'</script><p>",
  style: "<style>p::before { content: '<p>' }</style>",
  textarea: "<textarea><p>x</textarea>",
  title: "<title><p>&lt;</title>",
  "script with a comment": "<script><!-- <script> </script> --></script><p>",
  plaintext: "<p>a<plaintext><p>b</plaintext>",
  "comment of two dashes": "<!-->a--><p>",
  "bogus comment": "<?php p ?><p>",
  CDATA: "<![CDATA[<p>]]><svg><![CDATA[<p>]]></svg>",
  "broken tag": "<p",
  "broken attribute": "<p a='1",
  "no space": "<p a=1b='2'c>",
  "quotes in names": "<p \"a'=1 =x>",
  "upper case": "<P CLASS=X>y</P >",
  "end tags": "</p></b><p></p></p>",
  NUL: "<p>a\0b</p>",
  "CR LF": "<p\r\na=1>\r\nx\r</p>",
  entities: "<p a='&amp;&lt;&copy'>&amp;&lt;&copy&nbsp;</p>",
  "self-closing": "<p/><br/><x-y/>z",
  template: "<template><p>x</p></template>",
  table: "<table><p>x<td>y</table>",
  "many attributes": `<p ${Array.from({ length: 20 }, (_, i) => `a${i}=${i}`).join(" ")}>`,
  astral: "<p title=😀>😀é</p>",
};
for (const [name, text] of Object.entries(DOCUMENTS)) {
  show(name, () => {
    const seen = [];
    const output = new HTMLRewriter()
      .on("*", {
        element: (e) => void seen.push(`<${e.tagName}${[...e.attributes].map(([key, value]) => ` ${key}=${value}`).join("")}${e.selfClosing ? "/" : ""}>`),
        comments: (c) => void seen.push(`!${c.text}`),
      })
      .onDocument({ text: (t) => void seen.push(t.text || "$"), comments: (c) => void seen.push(`!!${c.text}`) })
      .transform(text);
    return [output === text ? "unchanged" : output, ...seen];
  });
}

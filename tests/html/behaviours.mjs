// expected: recorded from bun 1.4.5, but for what is used after its handler (properties undefined, methods throw) and the words about comment texts
// HTMLRewriter: handlers, what they get and change, their order, strings, bytes and responses, errors, promises.
const say = (...what) => console.log(...what.map((value) => (typeof value === "string" ? value : JSON.stringify(value))));
const attempt = async (name, run) => {
  try {
    say(name, "=", await run());
  } catch (error) {
    say(name, "throws", `${error?.name}: ${error?.message}`, error?.code ?? "");
  }
};
const on = (selector, handlers) => new HTMLRewriter().on(selector, handlers);

await attempt("element", () =>
  on("p", {
    element(e) {
      const { tagName, namespaceURI, removed, selfClosing, canHaveContent } = e;
      say({ tagName, namespaceURI, removed, selfClosing, canHaveContent }, [...e.attributes]);
      say(e.getAttribute("ID"), e.getAttribute("none"), e.hasAttribute("x"), e.hasAttribute("y"));
      e.setAttribute("New", "<\"&'>").removeAttribute("x");
      e.before("<1>").before("<2>", { html: true }).after("3").after("4").prepend("5").append("6");
      e.tagName = "Q";
    },
  }).transform("<p id=1 Two='2' x>text</p>"),
);
await attempt("replace", () => on("p", { element: (e) => void e.before("B").replace("<R>").after("A") }).transform("<p>x<b>y</b></p>z"));
await attempt("inner", () => on("p", { element: (e) => void e.append("a").setInnerContent("<i>").append("k") }).transform("<p>x</p>"));
await attempt("remove", () => on("p", { element: (e) => void e.remove() }).transform("<p>x<b>y</b></p>z"));
await attempt("keep", () => on("p", { element: (e) => void e.removeAndKeepContent() }).transform("<p>x<b>y</b></p>z"));
await attempt("void", () => on("br", { element: (e) => void e.append("x").before("1").after("2") }).transform("<br>"));
await attempt("end tag", () =>
  on("p", {
    element(e) {
      e.onEndTag(() => say("never: the last one counts"));
      e.onEndTag((end) => {
        say(end.name);
        end.before("<").after(">", { html: true });
        end.name = "Z";
      });
    },
  }).transform("<p>x</p>"),
);
await attempt("no end tag", () => on("br", { element: (e) => void e.onEndTag(() => {}) }).transform("<br>"));
await attempt("text", () =>
  on("p", { text: (t) => void (say(t.text, t.lastInTextNode, t.removed), t.before("[").after("]").replace("<b>", { html: true })) }).transform("<p>a</p>"),
);
await attempt("text removed", () => on("p", { text: (t) => void t.remove() }).transform("<p>a<b>c</b></p>d"));
await attempt("comment", () =>
  on("p", {
    comments(c) {
      say(c.text, c.removed);
      c.text = "new";
      c.before("1").after("2");
    },
  }).transform("<p><!-- c --></p><!-- out -->"),
);
await attempt("comment text", () => on("p", { comments: (c) => void (c.text = "a-->b") }).transform("<p><!-- c --></p>"));
await attempt("document", () =>
  new HTMLRewriter()
    .onDocument({
      doctype: (d) => void say([d.name, d.publicId, d.systemId, d.removed], d.remove().removed),
      comments: (c) => void c.remove(),
      text: (t) => void (t.lastInTextNode && t.after("|")),
      end: (e) => void e.append("<end>").append("<END>", { html: true }),
    })
    .transform("<!doctype html public 'a' 'b'>x<!--c-->y"),
);
await attempt("order", () => {
  const order = [];
  on("p", { element: () => void order.push("p"), text: (t) => void order.push(`tp:${t.text}`) })
    .on("*", { element: () => void order.push("*"), text: (t) => void order.push(`t*:${t.text}`) })
    .onDocument({ text: (t) => void order.push(`td:${t.text}`), end: () => void order.push("end") })
    .transform("a<p>b</p>");
  return order;
});
for (const name of ["tagName", "attribute"]) {
  for (const value of ["", "a b", "a>b", "7", "é"]) {
    await attempt(`${name} ${value}`, () =>
      on("p", { element: (e) => void (name === "tagName" ? (e.tagName = value) : e.setAttribute(value, "v")) }).transform("<p></p>"),
    );
  }
}
for (const selector of ["", "  ", "<<", "a:hover", "a + b", "a ~ b", "a::before", "svg|a", "a,", "a.", "div[", "a:last-child", "a[x=]"]) {
  await attempt(`selector ${selector}`, () => typeof on(selector, {}));
}
for (const [name, run] of Object.entries({
  none: () => new HTMLRewriter().on(),
  one: () => new HTMLRewriter().on("p"),
  null: () => on("p", null),
  number: () => on("p", 5),
  handler: () => on("p", { element: 5 }),
  document: () => new HTMLRewriter().onDocument({ end: 5 }),
  transform: () => new HTMLRewriter().transform(),
  "transform null": () => new HTMLRewriter().transform(null),
  "transform blob": () => new HTMLRewriter().transform(new Blob(["x"])),
  content: () => on("p", { element: (e) => void e.append() }).transform("<p>"),
  symbol: () => on("p", { element: (e) => void e.onEndTag(5) }).transform("<p>"),
}))
  await attempt(`arguments ${name}`, run);

const bytes = new TextEncoder().encode("<p>é</p>");
await attempt("bytes", () => {
  const output = on("p", { element: (e) => void e.append("!") }).transform(bytes);
  return [output.constructor.name, Buffer.from(output).toString()];
});
await attempt("buffer", () => Buffer.from(new HTMLRewriter().transform(bytes.buffer)).toString());
await attempt("not UTF-8", () => Buffer.from(new HTMLRewriter().transform(new Uint8Array([60, 112, 62, 255, 254]))).toString("latin1"));
await attempt("surrogate", () => on("p", { element: (e) => void e.append("a\ud800b") }).transform("<p>\udc00</p>"));
await attempt("nested", () => {
  const inner = on("i", { element: (e) => void e.append("!") });
  return on("p", { element: (e) => void e.append(inner.transform("<i>2</i>"), { html: true }) }).transform("<p>1</p>");
});

await attempt("throws", () => on("p", { element() { throw new Error("boom"); } }).transform("<p>"));
await attempt("gives an error", () => on("p", { element: () => new Error("given") }).transform("<p>"));
await attempt("rejects", () => on("p", { async element() { throw new Error("rejected"); } }).transform("<p>"));
await attempt("microtasks", () => on("p", { async element(e) { for (let i = 0; i < 5; i++) await null; e.append("!"); } }).transform("<p>x</p>"));
await attempt("waits", () => on("p", { async element() { await new Promise((done) => setTimeout(done, 1)); } }).transform("<p>x</p>"));
await attempt("response waits", async () => {
  const order = [];
  const response = on("p", {
    async element(e) {
      order.push(`begin ${e.getAttribute("i")}`);
      await new Promise((done) => setTimeout(done, 2));
      e.append(e.tagName);
      order.push(`end ${e.getAttribute("i")}`);
    },
  }).transform(new Response("<p i=1>x</p><p i=2>y</p>"));
  order.push("returned");
  return [await response.text(), order];
});
await attempt("response throws", async () => {
  const response = on("p", { element() { throw new Error("boom"); } }).transform(new Response("<p>"));
  say("no throw yet");
  return await response.text();
});
await attempt("response rejects later", async () => {
  const response = on("p", { async element() { await new Promise((done) => setTimeout(done, 1)); throw new Error("late"); } });
  return await response.transform(new Response("<p>")).text();
});
await attempt("response head", async () => {
  const from = new Response("<p>x</p>", { status: 201, statusText: "Made", headers: { "content-type": "text/html", etag: "1" } });
  const to = on("p", { element: (e) => void e.append("yy") }).transform(from);
  return [to.status, to.statusText, [...to.headers], from.bodyUsed, to.bodyUsed, await to.text()];
});
await attempt("no body", async () => {
  const end = new HTMLRewriter().onDocument({ end: (e) => void e.append("END") });
  return [new HTMLRewriter().transform(new Response(null)).body, await end.transform(new Response(null)).text(), end.transform("")];
});
await attempt("used", async () => {
  const response = new Response("<p>");
  await response.text();
  return new HTMLRewriter().transform(response);
});
await attempt("two at a time", async () => {
  const rewriter = on("p", { element: (e) => void e.append("!") });
  return await Promise.all(["<p>1</p>", "<p>2</p>"].map((text) => rewriter.transform(new Response(text)).text()));
});

// What is kept beyond its handler: properties are undefined, methods throw.
const kept = {};
on("p", {
  element: (e) => void ((kept.element = e), (kept.attributes = e.attributes), e.onEndTag((end) => void (kept.end = end))),
  text: (t) => void (kept.text = t),
  comments: (c) => void (kept.comment = c),
})
  .onDocument({ end: (e) => void (kept.documentEnd = e), doctype: (d) => void (kept.doctype = d) })
  .transform("<!doctype html><p a=1>x<!--c--></p>");
say(kept.element.tagName === undefined, kept.element.removed === undefined, kept.element.attributes === undefined, kept.attributes.next());
say([kept.text.text, kept.text.lastInTextNode, kept.comment.text, kept.end.name, kept.doctype.name].every((value) => value === undefined));
for (const [name, run] of Object.entries({
  append: () => kept.element.append("x"),
  getAttribute: () => kept.element.getAttribute("a"),
  onEndTag: () => kept.element.onEndTag(() => {}),
  text: () => kept.text.replace("x"),
  comment: () => kept.comment.remove(),
  end: () => kept.end.before("x"),
  doctype: () => kept.doctype.remove(),
  documentEnd: () => kept.documentEnd.append("x"),
}))
  await attempt(`after ${name}`, run);

// expected: written by hand
// HTMLRewriter over streams: split at every byte, backpressure, cancelling, errors, memory that does not grow.
const encoder = new TextEncoder();
const rewriter = () =>
  new HTMLRewriter()
    .on("p[a]", { element: (e) => void e.setAttribute("b", e.getAttribute("a")).append("é") })
    .on("b", { text: (t) => void (t.lastInTextNode && t.after("|")) })
    .onDocument({ comments: (c) => void c.remove(), end: (e) => void e.append(".") });
const html = "<!doctype html><p a='x>y'>sch\u00f6n <b>fett & \u2603</b><!-- weg --></p><script>if (a<b) c()</script>";
const whole = rewriter().transform(html);
console.log(whole);

const streamOf = (chunks) =>
  new ReadableStream({
    pull(controller) {
      if (chunks.length === 0) controller.close();
      else controller.enqueue(chunks.shift());
    },
  });
const bytes = encoder.encode(html);
let same = 0;
for (let at = 0; at <= bytes.length; at++) {
  const chunks = [bytes.slice(0, at), bytes.slice(at)].filter((chunk) => chunk.length > 0);
  if ((await rewriter().transform(new Response(streamOf(chunks))).text()) === whole) same++;
}
console.log("split in two:", same === bytes.length + 1);
console.log("bytewise:", (await rewriter().transform(new Response(streamOf([...bytes].map((byte) => Uint8Array.of(byte))))).text()) === whole);
console.log("strings:", await new HTMLRewriter().transform(new Response(streamOf(["<p>", "x", "</p>"]))).text());

// A source that never ends is asked for no more than what is read and a little.
const chunk = encoder.encode("<p a=1>x</p>".repeat(1000));
let pulls = 0;
let cancelled;
const endless = new Response(
  new ReadableStream(
    { pull: (c) => void (pulls++, c.enqueue(chunk.slice())), cancel: (reason) => void (cancelled = reason) },
    { highWaterMark: 0 },
  ),
);
const reader = rewriter().transform(endless).body.getReader();
await new Promise((done) => setTimeout(done, 20));
const before = pulls;
await reader.read();
await new Promise((done) => setTimeout(done, 20));
console.log("pulls:", before < 20, pulls - before <= 2);
await reader.cancel("enough");
console.log("cancelled:", cancelled);

// An error of a handler cancels the source; one of the source comes out.
let reason;
const failing = new HTMLRewriter().on("p", { element() { throw new Error("boom"); } });
const source = new ReadableStream({ pull: (c) => void c.enqueue(chunk.slice()), cancel: (why) => void (reason = why) });
await failing.transform(new Response(source)).text().catch((error) => console.log("handler:", error.message, reason === error));
const broken = new ReadableStream({ pull() { throw new Error("source"); } });
await rewriter().transform(new Response(broken)).text().catch((error) => console.log("source:", error.message));
await rewriter().transform(new Response(streamOf([5]))).text().catch((error) => console.log("chunk:", error.name));

// 400 MB, handlers that wait now and then.
const wide = encoder.encode(`<p>${"x".repeat(1000)}</p>`.repeat(60));
let left = 400e6;
let waits = 0;
const large = new ReadableStream({
  pull(controller) {
    left -= wide.length;
    if (left <= 0) controller.close();
    else controller.enqueue(wide.slice());
  },
});
let count = 0;
const counted = new HTMLRewriter().on("p", {
  element(e) {
    if (++count % 20_000 === 0) return new Promise((done) => setTimeout(() => { waits++; done(); }, 1));
  },
});
globalThis.gc?.();
const start = process.memoryUsage.rss();
let length = 0;
for await (const piece of counted.transform(new Response(large)).body) length += piece.length;
const grown = (process.memoryUsage.rss() - start) / 1e6;
console.log("large:", length > 399e6, count > 380e3, waits, grown < 200 ? "flat" : `grew ${grown} MB`);

// Throughput of HTMLRewriter: run it with each executable by turns, `for n in 1 2 3; do bun rewrite.mjs; bao rewrite.mjs; done`.
// Argument 1: megabytes of the streamed document (200).
const size = Number(process.argv[2] ?? 200) * 1e6;
const card = `<article class="card"><h2>Title</h2><p>${"Some words of text, ".repeat(20)}</p><a href="/next">next</a></article>\n`;
const chunk = new TextEncoder().encode(card.repeat(128));
const source = () => {
  let left = size;
  return new ReadableStream({
    pull(controller) {
      left -= chunk.length;
      if (left < 0) controller.close();
      else controller.enqueue(chunk.slice());
    },
  });
};
const show = (name, value) => console.log(name.padEnd(28), value);
let calls = 0;
const start = performance.now();
const links = new HTMLRewriter().on("a[href]", {
  element(e) {
    calls++;
    e.setAttribute("href", `https://example.com${e.getAttribute("href")}`);
  },
});
let peak = 0;
let length = 0;
for await (const piece of links.transform(new Response(source())).body) {
  length += piece.length;
  if ((calls & 1023) < 128) peak = Math.max(peak, process.memoryUsage.rss());
}
const seconds = (performance.now() - start) / 1000;
show("stream, links: MB/s", (size / 1e6 / seconds).toFixed(0));
show("peak MB", (peak / 1e6).toFixed(0));
const text = "<p>x</p>".repeat(200_000);
let elements = 0;
const began = performance.now();
new HTMLRewriter().on("p", { element() { elements++; } }).transform(text);
show("handler calls, M/s", (elements / (performance.now() - began) / 1000).toFixed(2));
const small = performance.now();
for (let i = 0; i < 20_000; i++) new HTMLRewriter().on("p", { element: (e) => void e.append("!") }).transform("<p>x</p>");
show("small documents, us each", (((performance.now() - small) * 1000) / 20_000).toFixed(2));

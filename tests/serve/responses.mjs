// Bun.serve as a client on a bare socket sees it: kinds of responses, routes, static and file responses, ranges, old and wrong requests.
// As Bun 1.4.5 answers, except: its answers to HEAD lack most headers, it has no URL for requests of HTTP/1.0 without a Host, gives
// bytes a Content-Type, and hangs up on unknown methods.
import net from "node:net";
import { unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { settled } from "./support/settled.mjs";

const file = `${tmpdir()}/bao-serve-${process.pid}.txt`;
writeFileSync(file, "file content here");
const s = Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, idleTimeout: 0,
  routes: { "/static": new Response("static body", { headers: { "x-a": "b" } }), "/u/:id": (req) => new Response(req.params.id + " " + req.constructor.name), "/u/me": new Response("me"), "/m": { GET: () => new Response("get"), POST: async (r) => new Response("post " + await r.text()) }, "/w/*": (r) => new Response("wild " + new URL(r.url).pathname), "/f": new Response(Bun.file(file)), "/cookie": (r) => { r.cookies.set("a", "b"); return new Response("c" + r.cookies.get("x")); } },
  fetch(req, server) { const u = new URL(req.url);
    switch (u.pathname) { case "/text": return new Response("héllo");
      case "/json": return Response.json({ a: 1 });
      case "/empty": return new Response(null);
      case "/204": return new Response(null, { status: 204 });
      case "/throw": throw new Error("boom");
      case "/undef": return undefined;
      case "/str": return "x";
      case "/rej": return Promise.reject(new Error("rej"));
      case "/stream": return new Response(new ReadableStream({ async start(c) { c.enqueue("a"); await 1; c.enqueue(new Uint8Array([98])); c.close(); } }));
      case "/gen": return new Response((async function* () { yield "g1"; yield "g2"; })());
      case "/file": return new Response(Bun.file(file));
      case "/nofile": return new Response(Bun.file(`${file}-none`));
      case "/bytes": return new Response(new Uint8Array([1, 2, 3]));
      case "/blob": return new Response(new Blob(["bl"], { type: "text/x" }));
      case "/ip": return new Response(JSON.stringify({ ...server.requestIP(req), port: 0 }));
      case "/hdr": return new Response("h", { headers: [["Set-Cookie", "a=1"], ["set-cookie", "b=2"], ["X-Foo", "é"]], status: 201, statusText: "Made" });
      case "/redir": return Response.redirect("/x", 307);
      case "/err": return Response.error();
      case "/echo": return new Response(req.body, { headers: { "x-m": req.method } });
      case "/url": return new Response(req.url + " " + JSON.stringify([...req.headers]));
      case "/chunked": return new Response(null, { status: 203, headers: { "Transfer-Encoding": "chunked" } });
      case "/cl": return new Response("abc", { headers: { "content-length": "10" } }); }
    return new Response("nf", { status: 404 }); } });
console.log(s.hostname, s.development, s.pendingRequests, s.pendingWebSockets, s.protocol, s.address.family);
const raw = (text) => new Promise((res) => {
  let o = "";
  let isOver = false;
  const finish = (how) => {
    if (isOver) return;
    isOver = true;
    res(`${o}<${how}>`);
  };
  const c = net.connect(s.port, "127.0.0.1", async () => {
    c.write(text);
    await settled(s.port, () => o, () => isOver);
    c.destroy();
    finish("open");
  });
  c.on("data", (d) => { o += d.toString("latin1"); });
  c.on("error", (e) => { o += `<${e.code}>`; });
  c.on("close", () => finish("closed"));
});
// Header names in lower case and sorted, without those that differ from one moment or program to the next.
const tidy = (text) => text.replace(/HTTP\/1\.1 [^]*?\r\n\r\n/g, (head) => {
  const [first, ...lines] = head.trim().split("\r\n");
  const kept = lines.map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase()).replace(/utf-8/i, "utf-8").replace(/etag: .*/, "etag: E"))
    .filter((line) => !/^(?:date|last-modified|connection):/.test(line)).sort();
  return `${[first, ...kept].join("|")} ## `;
});
const show = async (t) => console.log(JSON.stringify(t.slice(0, 60)), JSON.stringify(tidy(await raw(t))));
for (const p of ["/text", "/json", "/empty", "/204", "/stream", "/gen", "/file", "/nofile", "/bytes", "/blob", "/ip", "/hdr", "/redir", "/err", "/cl", "/static", "/u/5%20x", "/u/me", "/m", "/w/a/b", "/f", "/cookie", "/nf", "/throw", "/undef", "/str", "/rej"]) await show(`GET ${p} HTTP/1.1\r\nHost: h\r\n\r\n`);
for (const p of ["/text", "/stream", "/file", "/static", "/m", "/f", "/chunked"]) await show(`HEAD ${p} HTTP/1.1\r\nHost: h\r\n\r\n`);
await show("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
await show("POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
await show("POST /m HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
await show("PUT /m HTTP/1.1\r\nHost: h\r\n\r\n");
await show("OPTIONS /m HTTP/1.1\r\nHost: h\r\n\r\n");
await show("GET /text HTTP/1.0\r\n\r\n");
await show("GET /text HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
await show("GET /stream HTTP/1.0\r\n\r\n");
await show("GET /text HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
await show("GET /text HTTP/1.1\r\n\r\n");
await show("GET /text HTTP/1.1\r\nHost: a\r\n\r\nGET /json HTTP/1.1\r\nHost: a\r\n\r\n");
await show("GARBAGE\r\n\r\n");
await show("GET /text HTTP/1.1\r\nHost : h\r\n\r\n");
await show("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
await show("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999999\r\n\r\nabc");
await show("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
await show("GET /static HTTP/1.1\r\nHost: h\r\nIf-None-Match: *\r\n\r\n");
await show("GET /file HTTP/1.1\r\nHost: h\r\nRange: bytes=2-5\r\n\r\n");
await show("GET /f HTTP/1.1\r\nHost: h\r\nRange: bytes=-5\r\n\r\n");
await show("GET /f HTTP/1.1\r\nHost: h\r\nRange: bytes=50-\r\n\r\n");
await show("GET http://foo.com/url?a HTTP/1.1\r\nHost: h\r\nA: 1\r\na: 2\r\n\r\n");
await show("GET /url?a#b HTTP/1.1\r\nHost: h:80\r\nCookie: x=y\r\n\r\n");
await show("FOO /text HTTP/1.1\r\nHost: h\r\n\r\n");
await show("CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n");
await s.stop(true);
unlinkSync(file);
console.log("stopped");

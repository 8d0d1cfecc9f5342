// fetch against node:http: bodies both ways, codings, redirects, abort, clones. Recorded from Node 25.8.1.
import { createServer } from "node:http"
import zlib from "node:zlib"
import { once } from "node:events";
const big = Buffer.alloc(3_000_000, "abcdefghij");
let conns = 0;
const h = createServer(async (q, r) => {
  const u = new URL(q.url, "http://x");
  if (u.pathname === "/echo") { const c = []; for await (const d of q) c.push(d); const b = Buffer.concat(c); r.setHeader("x-method", q.method); r.setHeader("x-type", q.headers["content-type"] ?? ""); r.setHeader("x-te", q.headers["transfer-encoding"] ?? ""); r.end(b); }
  else if (u.pathname === "/big") r.end(big);
  else if (u.pathname === "/slow") { for (let i = 0; i < 5; i++) { r.write("part" + i + ";"); await new Promise(r => setTimeout(r, 10)); } r.end(); }
  else if (u.pathname === "/enc") { const e = u.searchParams.get("e"), d = u.searchParams.has("big") ? big : Buffer.from("hello " + e); let b = d; for (const x of e.split(",")) b = x === "gzip" ? zlib.gzipSync(b) : x === "deflate" ? zlib.deflateSync(b) : x === "raw" ? zlib.deflateRawSync(b) : x === "br" ? zlib.brotliCompressSync(b, {params:{[zlib.constants.BROTLI_PARAM_QUALITY]:3}}) : x === "zstd" ? zlib.zstdCompressSync(b) : b; r.setHeader("content-encoding", e.replace("raw","deflate")); r.end(b); }
  else if (u.pathname === "/redirect") { r.statusCode = +u.searchParams.get("s"); r.setHeader("location", "/echo"); q.resume(); r.end("moved"); }
  else if (u.pathname === "/hang") { r.writeHead(200); r.write("x"); }
  else r.end("ok");
}).listen(0); h.on("connection", () => conns++);
await once(h, "listening"); const b = `http://127.0.0.1:${h.address().port}`;
console.log((await (await fetch(b + "/big")).arrayBuffer()).byteLength);
let r = await fetch(b + "/big"); let n = 0; for await (const c of r.body) n += c.length; console.log(n);
r = await fetch(b + "/slow"); console.log(await r.text());
for (const e of ["gzip","deflate","raw","br","zstd","gzip,br"]) { console.log(e, await (await fetch(b + "/enc?e=" + e)).text());
 let r = await fetch(b + "/enc?big&e=" + e), n = 0; for await (const c of r.body) n += c.length; console.log(e, n, (await (await fetch(b + "/enc?big&e=" + e)).bytes()).length); }
const echo = async (init) => { const r = await fetch(b + "/echo", {method:"POST", ...init}); console.log(r.headers.get("x-method"), r.headers.get("x-type").replace(/boundary=.*/, "boundary"), r.headers.get("x-te"), (await r.text()).slice(0, 60).replace(/-----.*/s, "")); };
await echo({ body: "héllo" }); await echo({ body: new Uint8Array([65, 66]) }); await echo({ body: new Blob(["blob"], {type:"text/b"}) });
await echo({ body: new URLSearchParams({ a: "1", b: "é" }) }); const f = new FormData(); f.append("a", "b"); f.append("f", new File(["x"], "f.txt")); await echo({ body: f });
await echo({ body: new ReadableStream({ async pull(c) { if (this.i === 3) c.close(); else { this.i = (this.i ?? 0) + 1; await 1; c.enqueue(new TextEncoder().encode("s" + this.i)); } } }), duplex: "half" });
await echo({ body: (async function* () { yield new TextEncoder().encode("gen1"); yield new TextEncoder().encode("gen2"); })(), duplex: "half" });
await echo({ body: new ReadableStream({ start(c) { for (let i = 0; i < 50; i++) c.enqueue(new Uint8Array(100000).fill(97)); c.close(); } }), duplex: "half" });
for (const s of [301, 302, 303, 307, 308]) { const r = await fetch(b + "/redirect?s=" + s, { method: "POST", body: "post" }); console.log(s, r.redirected, r.headers.get("x-method"), await r.text()); }
const ac = new AbortController(); r = await fetch(b + "/hang", { signal: ac.signal }); const p = r.text().catch(e => e.name); setTimeout(() => ac.abort(), 20); console.log(await p);
const ac2 = new AbortController(); r = await fetch(b + "/hang", { signal: ac2.signal }); const rd = r.body.getReader(); console.log((await rd.read()).value.length); setTimeout(() => ac2.abort(new Error("my")), 20); console.log(await rd.read().catch(e => e.message));
r = await fetch(b + "/big"); await r.body.cancel(); r = await fetch(b + "/big"); const c2 = r.clone(); console.log((await r.text()).length, (await c2.text()).length);
console.log(await Promise.all(Array.from({ length: 50 }, () => fetch(b + "/").then(r => r.text()))).then(x => x.length));
const req = new Request(b + "/echo", { method: "PUT", body: "reqbody" }); r = await fetch(req); console.log(await r.text(), req.bodyUsed);
console.log(await (await fetch(b+"/echo", {method:"POST", body:JSON.stringify({a:1}), headers:{"content-type":"application/json"}})).json());
console.log((await (await fetch(b+"/big")).blob()).size);
h.close();
h.closeAllConnections();
console.log("fewer connections than requests", conns < 70);

// Routes of Bun.serve and kinds of bodies, as fetch sees them. As Bun 1.4.5, but for the charset of JSON, the reason of unknown statuses,
// and that a stream that fails before its first chunk is answered with 500.
import { unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

const file = `${tmpdir()}/bao-routes-${process.pid}.txt`;
writeFileSync(file, "0123456789".repeat(10));
const s = Bun.serve({ port: 0, development: false, routes: { "/a/:x/b/:y": (r) => Response.json(r.params),
  "/a/*": () => new Response("wild a"),
  "/*": () => new Response("root wild"),
  "/exact": new Response("E"),
  "/json": Response.json({ z: 1 }),
  "/redirect": Response.redirect("/exact"),
  "/blob": new Response(new Blob(["bb"], { type: "x/y" })),
  "/bf": new Response(Bun.file(file)),
  "/m": { POST: (r) => r.json().then((j) => Response.json(j)) }, "/off": false, "/cl": (r) => { const c = r.clone(); return new Response(c.url.slice(-3) + c.headers.get("host").slice(0, 9)); },
 "/direct": () => new Response(new ReadableStream({ type: "direct", async pull(c) { c.write("d1"); await c.flush(); c.write("d2"); c.close(); } })),
  "/fd": () => { const f = new FormData(); f.append("a", "b"); return new Response(f); }, "/usp": () => new Response(new URLSearchParams("a=b")),
  "/slice": () => new Response(Bun.file(file).slice(5, 8)),
  "/serr": () => new Response(new ReadableStream({ pull() { throw new Error("stream boom"); } })),
  "/serr2": () => new Response(new ReadableStream({ async pull(c) { c.enqueue("x"); await Bun.sleep(5); throw new Error("later"); } })),
  "/used": async () => { const r = new Response("x"); await r.text(); return r; }, "/status": () => new Response("s", { status: 299, statusText: "Odd" }),
  "/null": () => new Response(null, { status: 404 }),
  "/cookies": (r) => { const v = r.cookies.get("s"); r.cookies.delete("s"); r.cookies.set("n", "1", { httpOnly: true, maxAge: 5 }); return new Response(v); } }, fetch: () => new Response("fallback") });
const b = `http://127.0.0.1:${s.port}`;
const show = async (p, init) => { try { const r = await fetch(b + p, { redirect: "manual", ...init }); const t = await r.text().catch(e => "ERR " + e.code); console.log(p, r.status, r.statusText, (r.headers.get("content-type") ?? "-").toLowerCase().replace(/boundary=.*/, "B"), r.headers.get("location"), r.headers.getSetCookie().join("|").replace(/Expires=[^;]*/, "E"), r.headers.get("content-length"), JSON.stringify(t.replace(/-+.*?\r\n/g, "B").slice(0, 60))); } catch (e) { console.log(p, e.code); } };
for (const p of ["/a/1/b/2%203", "/a/zzz", "/zzz", "/exact", "/exact/", "/exact?q", "/json", "/redirect", "/blob", "/bf", "/m", "/off", "/h%C3%A9%C3%A9", "/cl", "/direct", "/usp", "/slice", "/serr", "/serr2", "/used", "/status", "/null", "//x", "/a//b/c"]) await show(p);
await show("/m", { method: "POST", body: '{"q":1}' });
await show("/exact", { method: "POST" });
await show("/bf", { headers: { range: "bytes=3-5" } });
await show("/bf", { method: "POST" });
await show("/cookies", { headers: { cookie: "s=v; t=u" } });
await show("/exact", { method: "HEAD" });
await s.stop(true);
unlinkSync(file);

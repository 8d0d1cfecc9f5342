// WebSockets of Bun.serve and the WebSocket client with each other. Recorded from Bun 1.4.5.
const s = Bun.serve({ port: 0, fetch(req, server) { const u = new URL(req.url); if (u.pathname === "/no") return new Response("no", { status: 403 }); if (server.upgrade(req, { data: { a: 1 }, headers: { "x-up": "1", "Set-Cookie": "q=1" } })) return; return new Response("fail", { status: 400 }); },
  websocket: { open(ws) { console.log("S open", ws.data.a, ws.readyState, ws.remoteAddress, ws.subscribe("t"), ws.isSubscribed("t"), ws.binaryType); }, message(ws, m) { console.log("S msg", typeof m, m?.constructor?.name, String(m)); if (m === "pub") { console.log("S pub", s.publish("t", "published"), ws.publish("t", "self?"), s.subscriberCount("t")); return; } if (m === "close") { ws.close(4001, "bye"); return; } if (m === "term") { ws.terminate(); return; } console.log("S send", ws.send(m)); }, close(ws, c, r) { console.log("S close", c, r, ws.readyState); }, ping(ws, d) { console.log("S ping", String(d)); }, pong(ws, d) { console.log("S pong", String(d)); }, drain() {}, error(ws,e) { console.log("S err", e) } } });
const u = `ws://127.0.0.1:${s.port}/`;
const ws = new WebSocket(u, ["p1"]).constructor && new WebSocket(u);
console.log(ws.binaryType, ws.readyState, ws.url.replace(/\d{4,}/, "P"), ws.protocol, ws.extensions, ws.bufferedAmount);
await new Promise(r => ws.onopen = (e) => { console.log("C open", e.type, e.constructor.name, ws.readyState, ws.extensions); r(); });
const next = () => new Promise(r => ws.onmessage = (e) => { console.log("C msg", e.constructor.name, typeof e.data, e.data?.constructor?.name, String(e.data), e.origin.replace(/\d{4,}/, "P")); r(); });
ws.send("hello"); await next(); ws.send(new Uint8Array([65, 66])); await next(); ws.binaryType = "arraybuffer"; ws.send(new Uint8Array([65, 66]).buffer); await next(); ws.send("pub"); await next();
ws.binaryType="blob"; ws.send(new Blob(["blobby"])); await next();
if (ws.ping) { ws.ping("pp"); ws.pong("qq"); } await Bun.sleep(30);
ws.send("close");
await new Promise(r => ws.onclose = (e) => { console.log("C close", e.constructor.name, e.code, e.reason, e.wasClean, ws.readyState); r(); });
const bad = new WebSocket(u + "no");
await new Promise(r => { bad.onerror = (e) => console.log("C err", e.constructor.name, String(e.message).replace(/:\d+/, "")); bad.onclose = (e) => { console.log("C close", e.code, e.reason, e.wasClean); r(); }; });
const t = new WebSocket(u); t.onopen = () => t.send("term");
await new Promise(r => { t.onerror = (e) => console.log("C err", String(e.message).replace(/:\d+/, "")); t.onclose = (e) => { console.log("C close", e.code, e.reason, e.wasClean); r(); }; });
const ref = new WebSocket("ws://127.0.0.1:2/");
await new Promise(r => { ref.onerror = (e) => console.log("C err", String(e.message).replace(/:\d+/, "")); ref.onclose = (e) => { console.log("C close", e.code, e.reason, e.wasClean); r(); }; });
for (const a of [["x"], ["ftp://x"], ["ws://x#f"], ["ws://x", "a b"], ["ws://x", ["a", "a"]], []]) try { new WebSocket(...a); console.log("ok", a.join()); } catch (e) { console.log(JSON.stringify(a), e.name, String(e.message).replace(/:\d+/, "")); }
const c2 = new WebSocket(u);
await new Promise(r => c2.onopen = r); try { c2.close(1001) } catch (e) { console.log(e.name, String(e.message).replace(/:\d+/, "")) } try { c2.close(1000, "x".repeat(130)) } catch (e) { console.log(e.name, String(e.message).replace(/:\d+/, "")) } c2.close(1000, "done");
await new Promise(r => c2.onclose = (e) => { console.log(e.code, e.reason, e.wasClean); r(); });
const c3 = new WebSocket(u); try { c3.send("x") } catch (e) { console.log(e.name, String(e.message).replace(/:\d+/, "")) } c3.close();
await new Promise(r => { c3.onerror = (e) => console.log("C err", String(e.message).replace(/:\d+/, "")); c3.onclose = (e) => { console.log(e.code, e.reason, e.wasClean); r(); } });
await s.stop(true);

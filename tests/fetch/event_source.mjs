// EventSource against node:http. As Node 25.8.1 with --experimental-eventsource.
import { createServer } from "node:http";
let n = 0; const s = createServer((q, r) => { n++; if (q.url === "/bad") { r.end("x"); return; } if (q.url === "/204") { r.writeHead(204); r.end(); return; } r.writeHead(200, { "content-type": "text/event-stream" }); r.write("retry: 10\n\n: comment\ndata: one\n\ndata: two\ndata:  lines\r\n\r\nevent: custom\nid: 7\nda"); setTimeout(() => { r.write("ta: {\"a\":\"é\"}\n\ndata\n\nnodata: x\n\n"); r.end("data: incomplete\n" + q.headers["last-event-id"]); }, 10); }).listen(0);
await new Promise(r => s.on("listening", r)); const b = `http://127.0.0.1:${s.address().port}`;
const es = new EventSource(b + "/x"); console.log(es.readyState, es.withCredentials, EventSource.OPEN, Object.keys(EventSource.prototype).length);
let opens = 0;
es.onopen = (e) => { console.log("open", e.type, es.readyState); if (++opens === 3) { es.close(); done(); } };
es.onmessage = (e) => console.log("msg", JSON.stringify(e.data), e.lastEventId, e.origin === b);
es.addEventListener("custom", (e) => console.log("custom", e.data, e.lastEventId));
es.onerror = (e) => console.log("error", e.type, es.readyState);
let done; await new Promise(r => done = r);
for (const p of ["/bad", "/204"]) { const e2 = new EventSource(b + p); await new Promise(r => e2.onerror = () => { console.log(p, e2.readyState); r(); }); }
s.close(); s.closeAllConnections();

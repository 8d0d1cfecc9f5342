// The npm package, not what is built in.
process.removeAllListeners("warning");
import http from "node:http";
import { createRequire } from "node:module";
const undici = createRequire(import.meta.url)("./node_modules/undici/index.js");
const { Client, Pool, Agent, request, stream, pipeline, fetch, FormData, WebSocket, MockAgent, setGlobalDispatcher, getGlobalDispatcher, errors, EventSource } = undici;
const { listen } = createRequire(import.meta.url)("./lib/client.cjs");
const server = http.createServer((req, res) => {
  const chunks = [];
  req.on("data", (c) => chunks.push(c)).on("end", () => {
    if (req.url === "/slow") return void setTimeout(() => res.end("late"), 500);
    if (req.url === "/reset") return void req.socket.destroy();
    if (req.url === "/redirect") return void res.writeHead(302, { location: "/json" }).end();
    if (req.url === "/trailers") { res.writeHead(200, { trailer: "x-end" }); res.write("body"); res.addTrailers({ "x-end": "1" }); return void res.end(); }
    if (req.url === "/events") return void res.writeHead(200, { "content-type": "text/event-stream" }).end("data: one\n\nevent: named\nid: 7\ndata: two\ndata: lines\n\n");
    res.setHeader("content-type", "application/json");
    res.setHeader("set-cookie", ["a=1", "b=2"]);
    res.end(JSON.stringify({ method: req.method, url: req.url, type: req.headers["content-type"]?.split(";")[0], body: Buffer.concat(chunks).toString().slice(0, 40) }));
  });
});
const port = await listen(server);
const origin = `http://127.0.0.1:${port}`;
{
  const { statusCode, headers, body } = await request(`${origin}/json?a=1`, { method: "POST", body: "hello", headers: { "content-type": "text/plain" } });
  console.log(statusCode, headers["set-cookie"], await body.json());
}
{
  const { body } = await request(origin, { query: { q: "x y" } });
  console.log(await body.text());
}
{
  const client = new Client(origin, { pipelining: 4 });
  const all = await Promise.all(Array.from({ length: 8 }, (_, i) => client.request({ path: `/p${i}`, method: "GET" }).then(({ body }) => body.json())));
  console.log(all.map((a) => a.url).join());
  await client.close();
  console.log(client.closed, client.destroyed);
}
{
  const pool = new Pool(origin, { connections: 5 });
  const all = await Promise.all(Array.from({ length: 50 }, (_, i) => pool.request({ path: `/${i}`, method: "PUT", body: Buffer.alloc(1000, 65) }).then(({ body }) => body.json())));
  console.log(all.length, all.every((a, i) => a.url === `/${i}` && a.body.length === 40));
  await pool.close();
}
{
  let text = "";
  const { Writable, Readable } = await import("node:stream");
  await stream(`${origin}/stream`, { method: "GET" }, () => new Writable({ write(c, e, done) { text += c; done(); } }));
  console.log(text);
  const out = await new Promise((resolve) => {
    let got = "";
    Readable.from(["up", "load"]).pipe(pipeline(`${origin}/pipe`, { method: "POST" }, ({ body }) => body)).on("data", (c) => { got += c; }).on("end", () => resolve(got));
  });
  console.log(out);
}
{
  const { body, trailers } = await request(`${origin}/trailers`);
  console.log(await body.text(), trailers);
}
{
  const form = new FormData();
  form.set("k", "v");
  const response = await fetch(`${origin}/form`, { method: "POST", body: form });
  console.log(response.status, (await response.json()).type, response.headers.getSetCookie());
  const redirected = await fetch(`${origin}/redirect`);
  console.log(redirected.redirected, new URL(redirected.url).pathname, await redirected.json());
}
for (const work of [
  () => request(`${origin}/slow`, { headersTimeout: 50 }), () => request(`${origin}/slow`, { signal: AbortSignal.timeout(30) }),
  () => request(`${origin}/reset`), () => request("http://127.0.0.1:1/"), () => request(`${origin}/`, { method: "BAD METHOD" }), () => fetch(`${origin}/reset`),
]) {
  await work().then(() => console.log("no error"), (error) => console.log(error.name, error.code, error.cause?.code));
}
console.log(errors.ConnectTimeoutError.name);
{
  const before = getGlobalDispatcher();
  const mock = new MockAgent();
  mock.disableNetConnect();
  setGlobalDispatcher(mock);
  mock.get("http://mocked.test").intercept({ path: "/x", method: "POST", body: "b" }).reply(201, { ok: true }, { headers: { "content-type": "application/json" } });
  const { statusCode, body } = await request("http://mocked.test/x", { method: "POST", body: "b" });
  console.log(statusCode, await body.json());
  await request("http://mocked.test/x").catch((error) => console.log(error.name, error.code));
  setGlobalDispatcher(before);
}
{
  const source = new EventSource(`${origin}/events`);
  const seen = [];
  await new Promise((resolve) => {
    source.onmessage = (event) => seen.push(["message", event.data]);
    source.addEventListener("named", (event) => { seen.push([event.type, event.data, event.lastEventId]); source.close(); resolve(); });
  });
  console.log(seen);
}
{
  const agent = new Agent({ keepAliveTimeout: 10 });
  console.log((await request(`${origin}/agent`, { dispatcher: agent })).statusCode);
  await agent.close();
}
console.log(typeof WebSocket);
await getGlobalDispatcher().close();
server.close(() => console.log("closed"));

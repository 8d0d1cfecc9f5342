// fetch and WebSocket over TLS, through proxies and unix sockets, and on connections that the server has closed. Bun 1.4.5 gives the
// same, but for messages and causes.
import http from "node:http";
import net from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";

import certificate from "../net/support/certificate.js";

const { cert, key } = certificate;


const show = async (name, make) => {
  try {
    const response = await make();
    console.log(name, response.status, await response.text());
  } catch (error) {
    console.log(name, error.name, error.code, error.message, error.cause?.code);
  }
};
const listen = async (server, where = 0) => {
  server.listen(where);
  await once(server, "listening");
  return server.address().port;
};

// TLS of Bun.serve, with two certificates.
const secure = Bun.serve({
  port: 0, hostname: "127.0.0.1", development: false,
  tls: [{ key, cert }, { key, cert, serverName: "other.bao" }],
  fetch(request, server) {
    if (server.upgrade(request)) return;
    return new Response(`${new URL(request.url).protocol} ${new URL(request.url).pathname} ${request.headers.get("host").replace(/:\d+/, "")}`);
  },
  websocket: { message(ws, message) { ws.send(`echo ${message}`); } },
});
console.log(secure.protocol, secure.url.protocol);
const base = `https://127.0.0.1:${secure.port}`;
await show("unknown", () => fetch(`${base}/a`));
await show("any", () => fetch(`${base}/a`, { tls: { rejectUnauthorized: false } }));
await show("ca", () => fetch(`${base}/a`, { tls: { ca: cert } }));
await show("again", () => fetch(`${base}/b`, { tls: { ca: cert } }));
await show("name", () => fetch(`https://localhost:${secure.port}/a`, { tls: { ca: cert } }));
await show("own check", () => fetch(`https://localhost:${secure.port}/a`, { tls: { ca: cert, checkServerIdentity() {} } }));
await show("refused", () => fetch(`${base}/a`, { tls: { ca: cert, checkServerIdentity() { return new Error("no"); } } }));
const ws = new WebSocket(`wss://127.0.0.1:${secure.port}/`, { tls: { ca: cert } });
ws.onopen = () => ws.send("hello");
console.log(await new Promise((resolve) => { ws.onmessage = (event) => resolve(event.data); ws.onerror = (event) => resolve(event.message); }));
ws.close();

const plain = http.createServer((q, r) => r.end(`plain ${q.url}`));
const port = await listen(plain);
await show("no tls", () => fetch(`https://127.0.0.1:${port}/`));

// Proxies.
const proxy = http.createServer((q, r) => r.end(`proxied ${q.method} ${q.url.replace(/:\d+/, "")} ${q.headers["proxy-authorization"] ?? ""} ${q.headers["x-p"] ?? ""}`));
proxy.on("connect", (q, socket) => {
  if (q.headers["x-p"] === "refuse") {
    socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    return;
  }
  const [host, to] = q.url.split(":");
  const up = net.connect(to, host, () => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    up.pipe(socket);
    socket.pipe(up);
  });
  up.on("error", () => socket.destroy());
  socket.on("error", () => up.destroy());
});
const proxyPort = await listen(proxy);
await show("proxy", () => fetch(`http://127.0.0.1:${port}/q`, { proxy: `http://u:p@127.0.0.1:${proxyPort}` }));
await show("proxy with headers", () => fetch(`http://127.0.0.1:${port}/q`, { proxy: { url: `http://127.0.0.1:${proxyPort}`, headers: { "x-p": "v" } } }));
await show("tunnel", () => fetch(`${base}/q`, { proxy: `http://127.0.0.1:${proxyPort}`, tls: { ca: cert } }));
await show("no tunnel", () => fetch(`${base}/q`, { proxy: { url: `http://127.0.0.1:${proxyPort}`, headers: { "x-p": "refuse" } }, tls: { ca: cert } }));
process.env.HTTP_PROXY = `http://127.0.0.1:${proxyPort}`;
await show("environment", () => fetch(`http://127.0.0.1:${port}/env`));
for (const list of ["127.0.0.1", "other, 127.0.0.0/8", `127.0.0.1:${port}`, "*"]) {
  process.env.NO_PROXY = list;
  await show("exempt", () => fetch(`http://127.0.0.1:${port}/env`));
}
process.env.NO_PROXY = "127.0.0.1:1,example.com";
await show("not exempt", () => fetch(`http://127.0.0.1:${port}/env`));
delete process.env.HTTP_PROXY;
delete process.env.NO_PROXY;

// Unix sockets.
const path = `${tmpdir()}/bao-fetch-${process.pid}.sock`;
const local = http.createServer((q, r) => r.end(`unix ${q.url} ${q.headers.host}`));
await listen(local, path);
await show("unix", () => fetch("http://somewhere/x?y", { unix: path }));
await show("no unix", async () => {
  try {
    return await fetch("http://somewhere/x?y", { unix: `${path}-none` });
  } catch (error) {
    throw Object.assign(error, { message: "" });
  }
});

// A server that hangs up after each answer without saying so.
let answers = 0;
const stale = net.createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", () => {
    answers++;
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    setTimeout(() => socket.destroy(), 10);
  });
});
const stalePort = await listen(stale);
for (let i = 0; i < 3; i++) {
  await show("stale", () => fetch(`http://127.0.0.1:${stalePort}/`));
  await new Promise((resolve) => setTimeout(resolve, i * 20));
}
console.log(answers);

await secure.stop(true);
for (const server of [plain, proxy, local, stale]) {
  server.close();
  server.closeAllConnections?.();
}

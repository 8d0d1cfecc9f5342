// fetch and WebSocket through proxies over http: and https:, from options and the environment. Bun 1.4.5 prints the same, but that its
// error of a refused tunnel is no TypeError.
import http from "node:http";
import https from "node:https";
import net from "node:net";
import { once } from "node:events";

import certificate from "../net/support/certificate.js";

const { cert, key } = certificate;
const log = [];
const withoutPorts = (text) => text.replace(/:\d{4,5}/g, ":P");

const content = async (request) => {
  let size = 0;
  for await (const chunk of request) size += chunk.length;
  return size;
};
const answer = (name) => async (request, response) => {
  const { method, url, headers } = request;
  const size = await content(request);
  response.end(url === "/large" ? Buffer.alloc(3 << 20, "x") : `${name} ${method} ${url} ${headers["proxy-authorization"] ?? "-"} ${size}`);
};
const note = (name, { method, url, headers }) => {
  log.push(withoutPorts(`${name}: ${method} ${url} ${headers["proxy-authorization"] ?? "-"} ${headers["x-extra"] ?? "-"}`));
};
const asProxy = (server, name) => server
  .on("request", (request, response) => {
    note(name, request);
    const { hostname, port, pathname } = new URL(request.url);
    const { method, headers } = request;
    request.pipe(http.request({ hostname, port, path: pathname, method, headers }, (inner) => {
      response.writeHead(inner.statusCode, inner.headers);
      inner.pipe(response);
    }));
  })
  .on("connect", (request, socket) => {
    note(name, request);
    if (request.headers["x-extra"] === "refuse") return socket.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    const { hostname, port } = new URL(`http://${request.url}`);
    const inner = net.connect(port, hostname, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      inner.pipe(socket).pipe(inner);
    });
    inner.on("error", () => socket.destroy());
    socket.on("error", () => inner.destroy());
  });

const servers = [
  http.createServer(answer("plain")), https.createServer({ cert, key }, answer("secure")),
  asProxy(http.createServer(), "P"), asProxy(https.createServer({ cert, key }), "S"),
];
for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
const [plain, secure, proxy, secureProxy] = servers.map((server, index) => `http${index & 1 ? "s" : ""}://127.0.0.1:${server.address().port}`);
const withUser = proxy.replace("//", "//us%40er:p%20w@");

async function show(name, url, options, variables = {}) {
  log.length = 0;
  Object.assign(process.env, variables);
  let result;
  try {
    const response = await fetch(url, { tls: { rejectUnauthorized: false }, ...options });
    const text = await response.text();
    result = `${response.status} ${text.length > 100 ? text.length : text}`;
  } catch (error) {
    result = `${error.name} ${error.code}`;
  }
  for (const variable of Object.keys(variables)) delete process.env[variable];
  console.log(`${name}: ${result} [${log.join("; ")}]`);
}

for (const [kind, through] of [["http", proxy], ["https", secureProxy]]) {
  await show(`plain through ${kind}`, `${plain}/a`, { proxy: through });
  await show(`secure through ${kind}`, `${secure}/a`, { proxy: through });
  await show(`again through ${kind}`, `${secure}/b`, { proxy: through });
  await show(`large answer through ${kind}`, `${secure}/large`, { proxy: through });
  await show(`large body through ${kind}`, `${secure}/c`, { proxy: through, method: "POST", body: Buffer.alloc(3 << 20) });
}
await show("user", `${plain}/a`, { proxy: withUser });
await show("user, tunnel", `${secure}/a`, { proxy: withUser });
await show("object", `${plain}/a`, { proxy: { url: proxy, headers: { "X-Extra": "one" } } });
await show("object, tunnel", `${secure}/a`, { proxy: { url: new URL(proxy), headers: new Headers({ "x-extra": "two" }) } });
await show("header and user", `${secure}/a`, { proxy: { url: withUser, headers: { "Proxy-Authorization": "Bearer token" } } });
await show("tunnel refused", `${secure}/a`, { proxy: { url: proxy, headers: { "x-extra": "refuse" } } });
await show("proxy not trusted", `${secure}/a`, { proxy: secureProxy, tls: {} });
await show("server not trusted", `${secure}/a`, { proxy, tls: {} });
await show("authority", `${secure}/d`, { proxy: secureProxy, tls: { ca: cert } });
await show("own check", `${secure}/e`, { proxy: secureProxy, tls: { ca: cert, checkServerIdentity: () => log.push("checked") && undefined } });

const host = proxy.slice(7);
await show("HTTP_PROXY", `${plain}/a`, {}, { HTTP_PROXY: proxy });
await show("HTTP_PROXY without a scheme", `${plain}/a`, {}, { HTTP_PROXY: host });
await show("HTTPS_PROXY", `${secure}/f`, {}, { HTTPS_PROXY: secureProxy });
await show("HTTPS_PROXY is not for http:", `${plain}/a`, {}, { HTTPS_PROXY: proxy });
await show("ALL_PROXY", `${plain}/a`, {}, { ALL_PROXY: proxy });
for (const proxy of [null, "", {}]) await show(`none: ${JSON.stringify(proxy)}`, `${plain}/a`, { proxy }, { HTTP_PROXY: host });
await show("false", `${plain}/a`, { proxy: false }, { HTTP_PROXY: proxy });
for (const NO_PROXY of ["127.0.0.1", "127.0.0.0/8", "*", plain.slice(7), "127.0.0.1:1", "example.com"]) {
  await show(`NO_PROXY ${withoutPorts(NO_PROXY)}`, `${plain}/a`, {}, { HTTP_PROXY: proxy, NO_PROXY });
}
await show("option and NO_PROXY", `${plain}/a`, { proxy }, { NO_PROXY: "*" });
await show("object and NO_PROXY", `${plain}/a`, { proxy: { url: proxy } }, { NO_PROXY: "*" });
await show("respectNoProxy: false", `${plain}/a`, { proxy: { url: proxy, respectNoProxy: false } }, { NO_PROXY: "*" });
await show("refused", `${plain}/a`, { proxy: "http://127.0.0.1:1" });
await show("no URL", `${plain}/a`, { proxy: "nonsense" });
await show("empty URL", `${plain}/a`, { proxy: { url: "" } });
await show("scheme", `${plain}/a`, { proxy: "socks5://127.0.0.1:1" });
await show("type", `${plain}/a`, { proxy: true });
await show("unix socket", `${plain}/a`, { proxy, unix: "/nonexistent" });

const upgrade = { fetch: (request, server) => void server.upgrade(request), websocket: { message: (ws, text) => void ws.send(`echo ${text}`) } };
const sockets = [Bun.serve({ port: 0, hostname: "127.0.0.1", ...upgrade }), Bun.serve({ port: 0, hostname: "127.0.0.1", tls: { cert, key }, ...upgrade })];
async function talk(name, secured, options) {
  log.length = 0;
  const ws = new WebSocket(`ws${secured ? "s" : ""}://127.0.0.1:${sockets[secured].port}/`, { tls: { rejectUnauthorized: false }, ...options });
  const result = await new Promise((resolve) => {
    ws.onopen = () => ws.send("hello");
    ws.onmessage = (event) => resolve(event.data);
    ws.onerror = (event) => resolve(withoutPorts(event.message));
  });
  ws.close();
  console.log(`${name}: ${result} [${log.join("; ")}]`);
}
for (const [kind, through] of [["http", proxy], ["https", secureProxy]]) {
  await talk(`ws: through ${kind}`, 0, { proxy: through });
  await talk(`wss: through ${kind}`, 1, { proxy: through });
}
await talk("object", 0, { proxy: { url: withUser, headers: { "X-Extra": "three" } } });
await talk("refused", 0, { proxy: { url: proxy, headers: { "x-extra": "refuse" } } });
for (const server of sockets) server.stop(true);
for (const server of servers) server.close().closeAllConnections();

// What stands for host and target in a request: nothing in a Host moves the path of request.url, and routes, request.url and a proxy in front
// mean the same path. Framing that servers read differently is refused.
import http2 from "node:http2";
import net from "node:net";

const server = Bun.serve({
  port: 0, hostname: "127.0.0.1", development: false,
  routes: { "/admin": (request) => new Response(`route ${request.url}`), "/public": (request) => new Response(`public ${request.url}`) },
  fetch: async (request) => new Response(`${request.method} ${request.url.replace(/:\d{4,5}\//, ":port/")} ${new URL(request.url).pathname} ${(await request.text()).length}`),
});

function send(text) {
  return new Promise((resolve) => {
    let out = "";
    const socket = net.connect(server.port, "127.0.0.1", () => socket.write(text, "latin1"));
    const timer = setTimeout(() => socket.destroy(), 500);
    socket.on("data", (chunk) => { out += chunk.toString("latin1"); });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      const body = out.slice(out.indexOf("\r\n\r\n") + 4);
      resolve(`${out.slice(9, 12)} ${body}`);
    });
  });
}

for (const host of ["x", "X.y:80", "x:8", "x:99999", "x:", "", "127.0.0.1:81", "[::1]:82", "x/admin?", "x/admin#", "x\\y", "internal@x", "x y", "[::1", "[::1]x", "x:y", "x?", "caf\xe9", "a%2fb"]) {
  console.log(JSON.stringify(host), await send(`GET /other HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`));
}
console.log("routed", await send("GET /public HTTP/1.1\r\nHost: x/admin?\r\nConnection: close\r\n\r\n"));
for (const hosts of ["Host: x\r\nHost: y", "Host: x\r\nhost: x"]) console.log(JSON.stringify(hosts), await send(`GET /public HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`));
for (const line of ["GET admin", "GET file:///admin", "GET foo:bar/admin", "GET http:/admin", "GET http:///admin", "GET *", "OPTIONS *", "GET http://y/admin", "GET HTTPS://y/admin?a", "GET http://y?a",
  "GET /x/%2e%2e/admin", "GET /x/.%2E/other", "GET /x/../other", "GET /%2efoo", "GET /a%2fb",
  "GET /admin#x", "GET /public#/../admin", "GET /x/../admin", "GET /public/../admin?a", "GET /\\public", "GET /x\\..\\admin", "GET /./admin", "GET /%2E/admin", "GET /public?a/../admin", "CONNECT a:1", "CONNECT a/b", "GET /a\\b"]) {
  console.log(line, await send(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
}
const post = (version, headers, body) => send(`POST / HTTP/${version}\r\nHost: x\r\nConnection: close\r\n${headers}\r\n\r\n${body}`);
console.log("chunks", await post("1.1", "Transfer-Encoding: chunked", "3;a=\"b\"\r\nabc\r\n0\r\n\r\n"));
console.log("open quote", await post("1.1", "Transfer-Encoding: chunked", "3;a=\"\r\nabc\r\n0\r\n\r\n"));
console.log("HTTP/1.0 in chunks", await post("1.0", "Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n"));
console.log("twice chunked", await post("1.1", "Transfer-Encoding: chunked, chunked", "0\r\n\r\n"));
await server.stop(true);

// The same over HTTP/2.
const second = Bun.serve({ port: 0, hostname: "127.0.0.1", http2: true, fetch: (request) => new Response(request.url) });
const client = http2.connect(`http://127.0.0.1:${second.port}`);
for (const fields of [{ ":authority": "x" }, { ":authority": "x/admin?" }, { ":authority": "a@x" }, { ":authority": "[::1]:8" }, { ":path": "admin" }, { ":path": "*" }, { ":path": "*", ":method": "OPTIONS" }, { ":authority": "", host: "x#" }]) {
  const answer = await new Promise((resolve) => {
    const stream = client.request({ ":authority": "x", ":path": "/other", ...fields });
    let text = "";
    let status = 0;
    stream.on("response", (headers) => { status = headers[":status"]; });
    stream.on("data", (chunk) => { text += chunk; });
    stream.on("error", (error) => { text += error.code; });
    stream.on("close", () => resolve(`${status} ${text}`));
    stream.end();
  });
  console.log(JSON.stringify(fields), answer);
}
client.close();
await second.stop(true);

// Servers on loopback that note which credentials reach them. Usage: node credentials.mjs DIRECTORY
// DIRECTORY gets the ports (a, b, tls, proxy) and the log; key.pem and cert.pem in it are the TLS server's.
//   a: a registry below any path: /x/p.../NAME; b: another origin; proxy: HTTP and CONNECT
//   packages: plain, far (its tarball is at b), moved (its tarball redirects to b), hop (its manifest redirects to b), near (its
//   manifest redirects to another path of the same origin), @s/x
import { createServer } from "node:http";
import { createServer as createTls } from "node:https";
import { connect } from "node:net";
import { request as forward } from "node:http";
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { bare } from "./tar.mjs";

const directory = process.argv[2];
const ports = {};
const log = (line) => appendFileSync(`${directory}/log`, `${line}\n`);

const tarball = (name) => bare({ name, version: "1.0.0" });

function answer(origin) {
  return (request, response) => {
    const url = request.url.replace(/^http:\/\/[^/]*/, "");
    const auth = request.headers.authorization ?? "-";
    log(`${origin} ${request.method} ${decodeURIComponent(url)} ${auth.startsWith("Basic ") ? `Basic ${atob(auth.slice(6))}` : auth}`);
    const parts = decodeURIComponent(url).split("/");
    const b = `http://127.0.0.1:${ports.b}`;
    const file = /([^/]*)-1\.0\.0\.tgz$/.exec(url);
    if (file) {
      const name = decodeURIComponent(url).includes("@s/") ? `@s/${file[1]}` : file[1];
      if (name === "moved" && origin === "a") return response.writeHead(302, { location: `${b}/moved${url}` }).end();
      return response.end(tarball(name));
    }
    if (auth !== "-" && request.headers["npm-auth-type"] !== "legacy") log(`${origin} ${auth} without npm-auth-type`);
    const scope = parts.at(-2) === "@s" ? "@s/" : "";
    const name = scope + parts.at(-1);
    if (name === "hop" && origin === "a") return response.writeHead(302, { location: `${b}${url}` }).end();
    if (name === "near" && !url.includes("/second/")) return response.writeHead(307, { location: "/second/near" }).end();
    const own = `${origin === "tls" ? "https" : "http"}://${request.headers.host}`;
    const at = name === "far" ? `${b}/files` : `${own}${url.slice(0, url.lastIndexOf("/"))}/${encodeURIComponent(name)}`;
    const dist = {
      tarball: `${at}/-/${parts.at(-1)}-1.0.0.tgz`,
      integrity: `sha512-${createHash("sha512").update(tarball(name)).digest("base64")}`,
    };
    response.end(JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { name, version: "1.0.0", dist } } }));
  };
}

const proxy = createServer((request, response) => {
  log(`proxy ${request.url} ${request.headers["proxy-authorization"] ?? "-"}`);
  const url = new URL(request.url);
  const { "proxy-authorization": _, ...headers } = request.headers;
  const options = { host: url.hostname, port: url.port, path: url.pathname, method: request.method, headers };
  forward(options, (reply) => {
    response.writeHead(reply.statusCode, reply.headers);
    reply.pipe(response);
  }).end();
});
proxy.on("connect", (request, socket) => {
  log(`proxy CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? "-"}`);
  const [host, port] = request.url.split(":");
  const upstream = connect(Number(port), host, () => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    upstream.pipe(socket).pipe(upstream);
  });
  upstream.on("error", () => socket.destroy());
  socket.on("error", () => upstream.destroy());
});
const servers = {
  a: createServer(answer("a")),
  b: createServer(answer("b")),
  tls: createTls({ key: readFileSync(`${directory}/key.pem`), cert: readFileSync(`${directory}/cert.pem`) }, answer("tls")),
  proxy,
};
for (const [name, server] of Object.entries(servers)) {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  ports[name] = server.address().port;
}
writeFileSync(`${directory}/ports`, Object.entries(ports).map(([name, port]) => `${name.toUpperCase()}=${port}\n`).join(""));

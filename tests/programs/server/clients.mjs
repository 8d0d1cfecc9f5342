import fetch, { FormData as NFForm, Headers as NFHeaders } from "node-fetch";
import FormData from "form-data";
import httpProxy from "http-proxy";
import http from "node:http";
import { createRequire } from "node:module";
const { listen, show } = createRequire(import.meta.url)("./lib/client.cjs");
const server = http.createServer(async (req, res) => {
  const chunks = [];
  for await (const c of req) chunks.push(c);
  const body = Buffer.concat(chunks).toString();
  const url = new URL(req.url, "http://x");
  if (url.pathname === "/redirect") return res.writeHead(302, { location: "/json?from=redirect" }).end();
  if (url.pathname === "/fail") return res.writeHead(503, { "content-type": "text/plain" }).end("down");
  if (url.pathname === "/slow") return setTimeout(() => res.end("late"), 3000).unref();
  if (url.pathname === "/form") return res.end(body.replaceAll(/-{4,}[\w-]+/g, "BOUNDARY"));
  if (url.pathname === "/drop") return req.socket.destroy();
  res.setHeader("content-type", "application/json");
  res.end(
    JSON.stringify({
      method: req.method,
      url: req.url,
      type: req.headers["content-type"] ?? null,
      auth: req.headers.authorization ?? null,
      body,
    }),
  );
});
const port = await listen(server);
const base = `http://127.0.0.1:${port}`;
const form = new FormData();
form.append("k", "v");
form.append("file", Buffer.from("data"), { filename: "f.txt", contentType: "text/plain" });
console.log(
  String(
    await new Promise((done, fail) =>
      form.submit(`${base}/form`, (error, response) =>
        error ? fail(error) : response.toArray().then((c) => done(Buffer.concat(c))),
      ),
    ),
  ),
);
const r = await fetch(`${base}/json`, { method: "POST", body: "nf", headers: new NFHeaders({ "X-A": "b" }) });
console.log(r.status, r.ok, r.headers.get("content-type"), await r.json());
console.log(
  (await fetch(`${base}/redirect`)).redirected,
  await (await fetch(`${base}/fail`)).text(),
  await fetch(`${base}/redirect`, { redirect: "error" }).catch((e) => e.type),
  await fetch(`${base}/slow`, { signal: AbortSignal.timeout(20) }).catch((e) => e.name),
  await fetch(`${base}/drop`).catch((e) => e.code),
);
const nf = new NFForm();
nf.set("a", "b");
console.log(await (await fetch(`${base}/form`, { method: "POST", body: nf })).text());
const proxy = httpProxy.createProxyServer({ target: base });
proxy.on("proxyRes", (p, req) => console.log("proxied", req.url, p.statusCode));
proxy.on("error", (e, req, res) => res.writeHead(502).end(e.code));
const front = http.createServer((req, res) => proxy.web(req, res, req.url === "/bad" ? { target: "http://127.0.0.1:1" } : {})),
  frontPort = await listen(front);
await show(frontPort, "/json?via=proxy", { method: "POST", body: "through" });
await show(frontPort, "/bad");
front.close();
server.closeAllConnections();
server.close(() => console.log("closed"));

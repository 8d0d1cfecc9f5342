// BUN_FEATURE_FLAG_EXPERIMENTAL_HTTP2_CLIENT offers HTTP/2 to servers: one that has it gets all requests on one connection, one that has
// not gets them over HTTP/1.1. By hand.
import http2 from "node:http2";
import https from "node:https";
import certificate from "../net/support/certificate.js";

process.env.BUN_FEATURE_FLAG_EXPERIMENTAL_HTTP2_CLIENT = "1";
process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
process.removeAllListeners("warning");
process.on("warning", () => {});
const { cert, key } = certificate;
const answer = (request, response) => response.end(`${request.httpVersion} ${request.url}`);
const servers = {
  both: http2.createSecureServer({ cert, key, allowHTTP1: true }, answer),
  "HTTP/2": http2.createSecureServer({ cert, key }, answer),
  "HTTP/1.1": https.createServer({ cert, key }, answer),
};
for (const [name, server] of Object.entries(servers)) {
  let connections = 0;
  server.on("secureConnection", () => { connections++; });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${server.address().port}`;
  const asked = (path, init) => fetch(url + path, init).then((response) => response.text(), (error) => error.name);
  console.log(name, await asked("/first"), "|", (await Promise.all(["/a", "/b", "/c"].map((path) => asked(path)))).join(" | "));
  console.log(" posted:", await asked("/post", { method: "POST", body: "x", headers: { a: "b" } }), "connections", name === "HTTP/1.1" ? connections <= 3 : connections);
  console.log(" protocol:", await asked("/h1", { protocol: "http1.1" }), "|", await asked("/h2", { protocol: "http2" }));
}
// Several at once to a server that does not have it, before anybody knows.
const late = https.createServer({ cert, key }, answer);
await new Promise((resolve) => late.listen(0, "127.0.0.1", resolve));
const first = new AbortController();
const all = ["/x", "/y", "/z"].map((path, i) => fetch(`https://127.0.0.1:${late.address().port}${path}`, i === 0 ? { signal: first.signal } : {}).then((response) => response.text(), (error) => error.name));
first.abort();
console.log((await Promise.all(all)).join(" | "));
process.exit();

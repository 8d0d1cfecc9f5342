// A registry with large tarballs, over HTTP/1.1 and, with TLS, over HTTP/2. Usage: node large.mjs PORT_FILE LOG_FILE
// Writes the ports of both. Packages: `big` (a file of 3 MB that does not compress), `tiny` (depends on it) and p0 to p39.
// The first part of the URL chooses: /plain/, /cut/ (each tarball breaks off once), /wrong/ (big has another integrity), /damaged/
// (big is no gzip stream, with the right integrity), /busy/ (503 with Retry-After once per URL).
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { tarball } from "./tar.mjs";

const noise = [];
for (let at = 0, last = Buffer.from("bao"); at < 3 << 20; at += 64) noise.push((last = createHash("sha512").update(last).digest()));
const packages = { big: {}, tiny: { dependencies: { big: "1.0.0" } } };
for (let at = 0; at < 40; at++) packages[`p${at}`] = {};
const tarballs = new Map();
for (const [name, extra] of Object.entries(packages)) {
  const files = { "package.json": Buffer.from(JSON.stringify({ name, version: "1.0.0", ...extra })) };
  if (name === "big") files["noise.bin"] = Buffer.concat(noise);
  tarballs.set(name, tarball(files));
}

const [portFile, logFile] = process.argv.slice(2);
const seen = new Set();
const once = (url) => !seen.has(url) && seen.add(url);
let sessions = 0;
function answer(request, response) {
  appendFileSync(logFile, `${request.httpVersion} ${sessions}\n`);
  const [, mode, ...rest] = request.url.split("/");
  const name = rest[0];
  if (!packages[name]) return response.writeHead(404).end("{}");
  if (mode === "busy" && once(request.url)) return response.writeHead(503, { "retry-after": "0" }).end();
  let bytes = tarballs.get(name);
  if (mode === "damaged" && name === "big") bytes = Buffer.concat([bytes.subarray(0, bytes.length / 2), Buffer.alloc(100), bytes.subarray(bytes.length / 2)]);
  if (rest.length > 1) {
    response.writeHead(200, { "content-length": bytes.length });
    if (mode === "cut" && once(request.url)) {
      response.write(bytes.subarray(0, bytes.length / 2));
      return setTimeout(() => (response.stream ? response.stream.close(2) : response.destroy()), 20);
    }
    return response.end(bytes);
  }
  const origin = `${request.socket.encrypted ? "https" : "http"}://${request.headers.host ?? request.authority}`;
  const digest = createHash("sha512").update(mode === "wrong" && name === "big" ? "else" : bytes).digest("base64");
  const dist = { integrity: `sha512-${digest}`, tarball: `${origin}/${mode}/${name}/-/${name}-1.0.0.tgz` };
  const text = JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { name, version: "1.0.0", ...packages[name], dist } } });
  response.writeHead(200, { "content-type": "application/json" }).end(text);
}
const pem = (name) => readFileSync(new URL(`tls/${name}.pem`, import.meta.url));
const plain = createServer(answer);
const secure = createSecureServer({ key: pem("key"), cert: pem("cert"), allowHTTP1: process.env.HTTP1 === "1" }, answer);
secure.on("session", () => sessions++);
plain.listen(0, "localhost", () =>
  secure.listen(0, "localhost", () => writeFileSync(portFile, `${plain.address().port} ${secure.address().port}`)));

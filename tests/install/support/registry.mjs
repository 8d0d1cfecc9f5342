// A small npm registry on loopback, for the tests. Usage: node registry.mjs PORT_FILE [LOG_FILE]
// Packages are made up here; behaviour is chosen by the first part of the URL:
//   /plain/       answers normally          /flaky/      500 twice per URL, then normally
//   /truncate/    half of every tarball     /wrong/      another integrity than the tarball has
//   /hang/        never answers             /auth/       401 without "Bearer secret"
//   /redirect/    302 to /plain/            /html/       a web page instead of manifests
//   /drip/        a byte now and then       /endless/    a manifest that does not end
// $PACKAGES names a JSON file with more packages: name -> version -> fields of its package.json; `$files` are more files in it.
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { writeFileSync, appendFileSync, readFileSync } from "node:fs";
import { tarball } from "./tar.mjs";

const packages = {
  a: { "1.0.0": { dependencies: { b: "^1.0.0" } }, "1.1.0": { dependencies: { b: "^1.0.0" } }, "2.0.0": {} },
  b: { "1.0.0": {}, "1.5.0": { bin: { bee: "bin.js" } }, "2.0.0": {}, "3.0.0-beta.1": {} },
  c: { "1.0.0": { dependencies: { b: "^2.0.0", a: "^1.0.0" } } },
  "@s/d": { "1.0.0": { peerDependencies: { b: "^1.0.0" } } },
  e: { "1.0.0": { optionalDependencies: { "for-mars": "1.0.0", missing: "1.0.0" } } },
  "for-mars": { "1.0.0": { os: ["mars"] } },
};

if (process.env.PACKAGES) Object.assign(packages, JSON.parse(readFileSync(process.env.PACKAGES, "utf8")));

const tarballs = new Map();
for (const [name, versions] of Object.entries(packages)) {
  for (const [version, { $files, ...extra }] of Object.entries(versions)) {
    tarballs.set(`${name}@${version}`, tarball({
      "package.json": JSON.stringify({ name, version, ...extra }),
      "index.js": `module.exports = ${JSON.stringify(`${name}@${version}`)};\n`,
      "bin.js": `#!/usr/bin/env node\nconsole.log("bee");\n`,
      ...$files,
    }));
  }
}

const failures = new Map();
const [portFile, logFile] = process.argv.slice(2);
const server = createServer((request, response) => {
  if (logFile) {
    const condition = request.headers["if-none-match"] ? " if-none-match" : "";
    appendFileSync(logFile, `${request.method} ${request.url}${condition}\n`);
  }
  const [, mode, ...rest] = request.url.split("/");
  const path = decodeURIComponent(rest.join("/"));
  const origin = `http://localhost:${server.address().port}`;
  if (mode === "hang") return;
  if (mode === "drip") {
    const timer = setInterval(() => response.write(" "), 50);
    return response.on("close", () => clearInterval(timer));
  }
  if (mode === "endless") {
    const piece = Buffer.alloc(1 << 20, " ");
    const more = () => { while (!response.destroyed && response.write(piece)); };
    response.on("drain", more);
    return more();
  }
  if (mode === "redirect") return response.writeHead(302, { location: `${origin}/plain/${rest.join("/")}` }).end();
  if (mode === "html") return response.writeHead(200, { "content-type": "text/html" }).end("<html>welcome</html>");
  if (mode === "auth" && request.headers.authorization !== "Bearer secret") return response.writeHead(401).end("{}");
  if (mode === "flaky") {
    const count = (failures.get(path) ?? 0) + 1;
    failures.set(path, count);
    if (count <= 2) return response.writeHead(500).end("{}");
  }
  const file = /^(@?[^@]+)\/-\/.*-(\d+\.\d+\.\d+[^/]*)\.tgz$/.exec(path);
  if (file) {
    const bytes = tarballs.get(`${file[1]}@${file[2]}`);
    if (!bytes) return response.writeHead(404).end();
    response.writeHead(200, { "content-length": bytes.length });
    if (mode === "truncate") {
      response.write(bytes.subarray(0, bytes.length / 2));
      return setTimeout(() => response.destroy(), 20);
    }
    return response.end(bytes);
  }
  const versions = packages[path];
  if (!versions) return response.writeHead(404).end(JSON.stringify({ error: "Not found" }));
  const manifest = { name: path, "dist-tags": {}, versions: {} };
  for (const [version, { $files, ...extra }] of Object.entries(versions)) {
    const bytes = tarballs.get(`${path}@${version}`);
    const digest = createHash("sha512").update(mode === "wrong" ? "something else" : bytes).digest("base64");
    const last = path.split("/").pop();
    manifest.versions[version] = {
      name: path, version, ...extra, hasInstallScript: ["preinstall", "install", "postinstall"].some(name => extra.scripts?.[name]) || undefined,
      dist: { integrity: `sha512-${digest}`, tarball: `${origin}/${mode}/${path}/-/${last}-${version}.tgz` },
    };
    if (!version.includes("-")) manifest["dist-tags"].latest = version;
  }
  const text = JSON.stringify(manifest);
  const etag = `"${createHash("sha1").update(text).digest("hex")}"`;
  if (request.headers["if-none-match"] === etag) return response.writeHead(304, { etag }).end();
  response.writeHead(200, { "content-type": "application/json", etag }).end(text);
});
server.listen(0, "localhost", () => writeFileSync(portFile, String(server.address().port)));

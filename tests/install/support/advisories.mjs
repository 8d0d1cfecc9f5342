// A registry on loopback with advisories: the tests of audit. Usage: node advisories.mjs PORT_FILE LOG_FILE
// The first part of the URL is a name for the log only, except that these answer an audit with something that is none:
//   /page/ a web page   /list/ a JSON array   /odd/ advisories that are none   /none/ an empty body   /gone/ 404   /down/ 503
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { writeFileSync, appendFileSync } from "node:fs";
import { bare } from "./tar.mjs";

const packages = {
  leaf: { "1.0.0": {}, "1.0.1": {}, "1.0.2": {}, "1.1.0": {}, "2.0.0": {}, "2.0.1-rc.1": {} },
  mid: { "1.0.0": { dependencies: { leaf: "^1.0.0" } }, "1.1.0": { dependencies: { leaf: "^1.0.0" } } },
  pinned: { "1.0.0": { dependencies: { leaf: "1.0.0" } }, "1.1.0": { dependencies: { leaf: "1.1.0" } } },
  top: { "1.0.0": { dependencies: { mid: "^1.0.0", pinned: "1.0.0" } } },
  ring: { "1.0.0": { dependencies: { ring2: "1.0.0" } } },
  ring2: { "1.0.0": { dependencies: { ring: "1.0.0", leaf: "~1.0.0" } } },
  doomed: { "1.0.0": {}, "1.1.0": {} },
  major: { "1.0.0": {}, "2.0.0": {}, "3.0.0": {} },
  steps: { "1.0.0": {}, "1.0.1": {}, "1.0.2": {}, "1.0.3": {} },
  back: { "1.0.0": {}, "1.1.0": {} },
  clean: { "1.0.0": {} },
  "@s/x": { "1.0.0": {}, "1.0.1": {} },
};
const advisory = (id, severity, range, title) => ({
  id, url: `https://github.com/advisories/GHSA-0000-0000-${String(id).padStart(4, "0")}`, title, severity,
  vulnerable_versions: range, cwe: ["CWE-1"], cvss: { score: 5, vectorString: null },
});
const advisories = {
  leaf: [advisory(1, "high", ">=1.0.0 <1.0.2", "Leaf falls")],
  doomed: [advisory(2, "critical", "<99.0.0", "Doomed is doomed")],
  major: [advisory(3, "moderate", "<2.0.0", "Major trouble"), advisory(4, "low", "<1.5.0", "Minor trouble")],
  steps: [advisory(5, "high", "<1.0.1", "First step"), advisory(6, "high", "=1.0.1", "Second step")],
  back: [advisory(7, "high", ">=1.1.0", "Back is better")],
  "@s/x": [advisory(8, "info", "<1.0.1", "Scoped\u001b[31m")],
};

// As much of semver's ranges as the advisories above have.
function satisfies(version, range) {
  const order = (a, b) => {
    const [x, y] = [a, b].map((text) => text.split("-")[0].split(".").map(Number));
    return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
  };
  return range.split(" ").every((part) => {
    const [, operator, bound] = /^(>=|<=|<|>|=)(.*)$/.exec(part);
    const way = order(version, bound);
    return { ">=": way >= 0, "<=": way <= 0, "<": way < 0, ">": way > 0, "=": way === 0 }[operator];
  });
}

const tarball = (name, version) => bare({ name, version, ...packages[name][version] });

const [portFile, logFile] = process.argv.slice(2);
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const [, mode, ...rest] = request.url.split("/");
  const path = decodeURIComponent(rest.join("/"));
  const json = (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  if (request.method === "POST") {
    let body = Buffer.concat(chunks);
    if (request.headers["content-encoding"] === "gzip") body = gunzipSync(body);
    appendFileSync(logFile, `${mode} ${path} ${request.headers.authorization ?? "-"} ${body}\n`);
    if (mode === "page") return response.writeHead(200).end("<html>welcome</html>");
    if (mode === "list") return json([]);
    if (mode === "odd") return json({ leaf: [{ id: 1 }], mid: "x" });
    if (mode === "none") return response.writeHead(200).end();
    if (mode === "gone") return response.writeHead(404).end("{}");
    if (mode === "down") return response.writeHead(503).end("{}");
    const answer = {};
    for (const [name, versions] of Object.entries(JSON.parse(body))) {
      const found = (advisories[name] ?? []).filter((one) => versions.some((v) => satisfies(v, one.vulnerable_versions)));
      if (found.length > 0) answer[name] = found;
    }
    return json(answer);
  }
  const file = /^(@?[^@]+)\/-\/.*-(\d+\.\d+\.\d+[^/]*)\.tgz$/.exec(path);
  if (file && packages[file[1]]?.[file[2]]) return response.writeHead(200).end(tarball(file[1], file[2]));
  const versions = packages[path];
  if (!versions) return response.writeHead(404).end(JSON.stringify({ error: "Not found" }));
  const origin = `http://localhost:${server.address().port}/${mode}`;
  const manifest = { name: path, "dist-tags": { latest: Object.keys(versions).filter((v) => !v.includes("-")).pop() }, versions: {} };
  for (const [version, extra] of Object.entries(versions)) {
    const integrity = `sha512-${createHash("sha512").update(tarball(path, version)).digest("base64")}`;
    const url = `${origin}/${path}/-/${path.split("/").pop()}-${version}.tgz`;
    manifest.versions[version] = { name: path, version, ...extra, dist: { integrity, tarball: url } };
  }
  json(manifest);
});
server.listen(Number(process.env.PORT ?? 0), "localhost", () => writeFileSync(portFile, String(server.address().port)));

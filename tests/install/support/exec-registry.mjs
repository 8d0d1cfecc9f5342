// The registry for x and create. Usage: node exec-registry.mjs PORT_FILE LOG_FILE
// /npm/ has packages with commands; /repos/USER/REPO/tarball is GitHub's archive of a template. The version of "tool" that is newest is in
// the file LOG_FILE.newest, 1.0.0 where there is none.
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { writeFileSync, appendFileSync, readFileSync } from "node:fs";
import { tarball } from "./tar.mjs";

const [portFile, logFile] = process.argv.slice(2);

const script = (name) => `#!/bin/sh\necho "${name}: $* $npm_command $npm_lifecycle_event"\n`;
const packages = {
  tool: ["1.0.0", "1.1.0", "2.0.0"].map((version) => [version, { bin: { tool: "tool.sh", other: "other.sh" } }]),
  "@s/named": [["1.0.0", { bin: "tool.sh" }]],
  "@s/cli": [["1.0.0", { bin: { different: "tool.sh" } }]],
  library: [["1.0.0", {}]],
  "create-thing": [["1.0.0", { bin: "tool.sh" }]],
  "@s/create-it": [["1.0.0", { bin: "tool.sh" }]],
  "@s/create": [["1.0.0", { bin: "tool.sh" }]],
  scripted: [["1.0.0", { bin: "tool.sh", scripts: { postinstall: "echo ran > ran" } }]],
};

const server = createServer((request, response) => {
  const url = decodeURIComponent(request.url);
  appendFileSync(logFile, `${request.method} ${url}${request.headers.authorization ? ` ${request.headers.authorization}` : ""}\n`);
  const origin = `http://localhost:${server.address().port}`;
  if (url.startsWith("/repos/user/repo/tarball")) {
    const files = { "package.json": '{"name":"template","version":"1.0.0","bun-create":{"postinstall":"echo after","start":"bao run x"},"dependencies":{"library":"1.0.0"}}\n', "src/a.js": "1\n", gitignore: "node_modules\n" };
    return response.writeHead(200).end(tarball(files, { prefix: "user-repo-abc123", mode: "0000755" }));
  }
  if (url.startsWith("/repos/")) return response.writeHead(404, { "content-type": "application/json" }).end('{"message":"Not Found"}');
  const path = url.replace("/npm/", "");
  const file = /^(.+)\/-\/.*-(\d+\.\d+\.\d+)\.tgz$/.exec(path);
  const name = file ? file[1] : path;
  const list = packages[name];
  if (!list) return response.writeHead(404).end('{"error":"Not found"}');
  const build = ([version, extra]) =>
    tarball({
      "package.json": JSON.stringify({ name, version, ...extra }), "tool.sh": script(`${name}@${version}`), "other.sh": script(`other of ${name}@${version}`),
    }, { mode: "0000755" });
  if (file) return response.writeHead(200).end(build(list.find(([version]) => version === file[2])));
  let newest = list[0][0];
  if (name === "tool") try { newest = readFileSync(`${logFile}.newest`, "utf8").trim(); } catch {}
  const versions = {};
  for (const entry of list) {
    const integrity = "sha512-" + createHash("sha512").update(build(entry)).digest("base64");
    const more = entry[1].scripts ? { hasInstallScript: true } : {};
    versions[entry[0]] = { name, version: entry[0], ...entry[1], ...more, dist: { integrity, tarball: `${origin}/npm/${name}/-/${name.split("/").pop()}-${entry[0]}.tgz` } };
  }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ name, "dist-tags": { latest: newest, next: "2.0.0" }, versions }));
});
server.listen(0, "localhost", () => writeFileSync(portFile, String(server.address().port)));

// The registry for auto_install.sh: packages of JavaScript that say which version of them was loaded. Usage: node imported-registry.mjs PORT_FILE LOG_FILE
import { appendFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { tarball } from "./tar.mjs";

const [portFile, logFile] = process.argv.slice(2);

/** Versions, the last of which is the latest, and what their package.json files say. */
const packages = {
  leaf: ["1.0.0", "1.1.0", "2.0.0"].map((version) => [version, {}]),
  // Needs an older one than the latest.
  tree: [["3.0.0", { dependencies: { leaf: "^1.0.0" } }]],
  "@s/scoped": [["1.0.0", { exports: { ".": "./index.js", "./sub": "./sub.js" } }]],
  // As a command, `bao x tsc`, it is typescript's.
  tsc: [["2.0.0", {}]],
  typescript: [["5.0.0", {}]],
  scripted: [["1.0.0", { scripts: { postinstall: "echo ran > ran" } }]],
};

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url).slice(1);
  appendFileSync(logFile, `${path}\n`);
  if (path.startsWith("silent")) return;
  const file = /^(.+)\/-\/.*-(\d+\.\d+\.\d+)\.tgz$/.exec(path);
  const name = file ? file[1] : path;
  const list = packages[name];
  if (!list) return response.writeHead(404).end('{"error":"Not found"}');
  const build = ([version, extra]) =>
    tarball({
      "package.json": JSON.stringify({ name, version, ...extra }),
      "index.js": `module.exports = "${name} ${version}"${extra.dependencies ? ' + " with " + require("leaf")' : ""};\n`,
      "sub.js": `module.exports = "${name} ${version}, sub";\n`,
    });
  if (file) return response.writeHead(200).end(build(list.find(([version]) => version === file[2])));
  const versions = {};
  for (const entry of list) {
    const integrity = "sha512-" + createHash("sha512").update(build(entry)).digest("base64");
    const tarball = `http://localhost:${server.address().port}/${name}/-/${name.split("/").pop()}-${entry[0]}.tgz`;
    versions[entry[0]] = { name, version: entry[0], ...entry[1], ...(entry[1].scripts ? { hasInstallScript: true } : {}), dist: { integrity, tarball } };
  }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ name, "dist-tags": { latest: list.at(-1)[0], next: list[0][0] }, versions }));
});
server.listen(0, "localhost", () => writeFileSync(portFile, String(server.address().port)));

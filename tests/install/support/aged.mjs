// A registry on loopback whose versions have ages. Usage: node aged.mjs '{"name":{"1.0.0":DAYS}}' PORT_FILE
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import { bare } from "./tar.mjs";

const packages = JSON.parse(process.argv[2]);
const now = Date.now();

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url).slice(1);
  const tarball = /^(\w+)\/-\/\w+-(.*)\.tgz$/.exec(path);
  if (tarball) return response.end(bare({ name: tarball[1], version: tarball[2] }));
  if (!packages[path]) return response.writeHead(404).end("{}");
  const manifest = { name: path, "dist-tags": {}, versions: {}, time: {} };
  for (const [version, age] of Object.entries(packages[path])) {
    const url = `http://localhost:${server.address().port}/${path}/-/${path}-${version}.tgz`;
    manifest.versions[version] = { name: path, version, dist: { tarball: url } };
    manifest.time[version] = new Date(now - age * 86_400_000).toISOString();
    if (!version.includes("-")) manifest["dist-tags"].latest = version;
    else manifest["dist-tags"].next = version;
  }
  response.end(JSON.stringify(manifest));
});
server.listen(0, "localhost", () => writeFileSync(process.argv[3], String(server.address().port)));

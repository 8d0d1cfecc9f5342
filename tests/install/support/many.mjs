// A registry on loopback with 120 made-up packages of 5 to 18 files that depend on each other. Usage: node many.mjs PORT_FILE
// The same packages at every start: a small generator of pseudo-random numbers decides sizes and dependencies.
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { archive, entry } from "./tar.mjs";

let seed = 7;
const random = (below) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % below;
};

const count = 120;
const manifests = new Map();
const tarballs = new Map();
let origin = "";
for (let at = 0; at < count; at++) {
  const name = at % 10 === 3 ? `@scope/p${at}` : `p${at}`;
  const versions = {};
  for (const version of ["1.0.0", "2.0.0"]) {
    const dependencies = {};
    for (let n = random(5); n > 0 && at > 0; n--) {
      const other = random(at);
      dependencies[other % 10 === 3 ? `@scope/p${other}` : `p${other}`] = random(4) ? "^1.0.0" : "^2.0.0";
    }
    const info = { name, version, dependencies, bin: at % 7 === 0 ? { [`run-p${at}`]: "lib/0.js" } : undefined };
    const files = [entry("package/package.json", JSON.stringify(info))];
    for (let file = 4 + random(14); file >= 0; file--) {
      files.push(entry(`package/lib/${file % 3 ? "deep/" : ""}${file}.js`, `// ${name}@${version} ${file}\n`.repeat(1 + random(60))));
    }
    const bytes = archive(files, 1);
    tarballs.set(`/${name}/-/${version}.tgz`, bytes);
    versions[version] = { ...info, dist: { integrity: "sha512-" + createHash("sha512").update(bytes).digest("base64") } };
  }
  manifests.set(name, { name, "dist-tags": { latest: "1.0.0" }, versions });
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url);
  const bytes = tarballs.get(path);
  if (bytes) return response.end(bytes);
  const manifest = manifests.get(path.slice(1));
  if (!manifest) return response.writeHead(404).end("{}");
  for (const [version, info] of Object.entries(manifest.versions)) {
    info.dist.tarball = `${origin}/${manifest.name}/-/${version}.tgz`;
  }
  response.end(JSON.stringify(manifest));
});
server.listen(0, "localhost", () => {
  origin = `http://localhost:${server.address().port}`;
  writeFileSync(process.argv[2], String(server.address().port));
});

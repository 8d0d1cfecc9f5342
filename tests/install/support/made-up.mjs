// A registry of the packages that a file declares, on loopback. Usage: node made-up.mjs PACKAGES.json PORT_FILE [SEED]
// The file: { name: { version: { fields of its package.json } } }; `files` and `tag` among them are none, but further files by path and a tag of that version. With SEED every answer waits for up to 30 ms, drawn from it, so
// that answers arrive in another order for another seed. With LOG in the environment the paths that are asked for are added to that file. What is asked of names that begin with "silent" is never
// answered.
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { tarball } from "./tar.mjs";

const [file, portFile, seed] = process.argv.slice(2);
const packages = JSON.parse(readFileSync(file, "utf8"));
let state = Number(seed ?? 0);
const next = () => (state = (state * 1103515245 + 12345) % 2147483648) % 30;

const tarballs = new Map();
/** By name: tags and their versions. */
const tags = {};
for (const [name, versions] of Object.entries(packages)) {
  for (const [version, declared] of Object.entries(versions)) {
    const { files = {}, tag, ...fields } = declared;
    versions[version] = fields;
    tags[name] ??= {};
    if (tag) tags[name][tag] = version;
    const manifest = JSON.stringify({ name, version, ...fields });
    tarballs.set(`${name}@${version}`, tarball({ "package.json": manifest, ...files }));
  }
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.slice(1));
  if (process.env.LOG) appendFileSync(process.env.LOG, `${path}\n`);
  if (path.startsWith("silent")) return;
  const origin = `http://localhost:${server.address().port}`;
  const answer = () => {
    const wanted = /^(@?[^@]+)\/-\/.*?-(\d+\.\d+\.\d+[^/]*)\.tgz$/.exec(path);
    if (wanted) return response.end(tarballs.get(`${wanted[1]}@${wanted[2]}`));
    const versions = packages[path];
    if (!versions) return response.writeHead(404).end('{"error":"Not found"}');
    const manifest = { name: path, "dist-tags": { ...tags[path] }, versions: {} };
    for (const [version, fields] of Object.entries(versions)) {
      const digest = createHash("sha512").update(tarballs.get(`${path}@${version}`)).digest("base64");
      const url = `${origin}/${path}/-/${path.split("/").pop()}-${version}.tgz`;
      manifest.versions[version] = { name: path, version, ...fields, dist: { integrity: `sha512-${digest}`, tarball: url } };
      manifest["dist-tags"].latest = version;
    }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(manifest));
  };
  if (seed) setTimeout(answer, next());
  else answer();
});
server.listen(0, "localhost", () => writeFileSync(portFile, String(server.address().port)));

// A registry of the packages that a file declares, on loopback. Usage: node made-up.mjs PACKAGES.json PORT_FILE [SEED]
// The file: { name: { version: { fields of its package.json } } }. With SEED every answer waits for up to 30 ms, drawn from it, so
// that answers arrive in another order for another seed.
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { readFileSync, writeFileSync } from "node:fs";

const [file, portFile, seed] = process.argv.slice(2);
const packages = JSON.parse(readFileSync(file, "utf8"));
let state = Number(seed ?? 0);
const next = () => (state = (state * 1103515245 + 12345) % 2147483648) % 30;

function tar(text) {
  const body = Buffer.from(text);
  const header = Buffer.alloc(512);
  header.write("package/package.json");
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(body.length.toString(8).padStart(11, "0") + "\0", 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\0" + "00", 257);
  header.write(header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0") + "\0 ", 148);
  return gzipSync(Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512), Buffer.alloc(1024)]));
}

const tarballs = new Map();
for (const [name, versions] of Object.entries(packages)) {
  for (const [version, fields] of Object.entries(versions)) {
    tarballs.set(`${name}@${version}`, tar(JSON.stringify({ name, version, ...fields })));
  }
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.slice(1));
  const origin = `http://localhost:${server.address().port}`;
  const answer = () => {
    const tarball = /^(@?[^@]+)\/-\/.*?-(\d+\.\d+\.\d+[^/]*)\.tgz$/.exec(path);
    if (tarball) return response.end(tarballs.get(`${tarball[1]}@${tarball[2]}`));
    const versions = packages[path];
    if (!versions) return response.writeHead(404).end("{}");
    const manifest = { name: path, "dist-tags": {}, versions: {} };
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

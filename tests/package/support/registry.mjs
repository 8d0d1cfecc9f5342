// A registry with the packages of a folder, and the folder's files under /files/: `registry.mjs FOLDER PORT_FILE`.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const [folder, portFile] = process.argv.slice(2);
const packages = new Map();
for (const file of readdirSync(folder).filter((name) => name.endsWith(".tgz"))) {
  const files = await new Bun.Archive(readFileSync(join(folder, file))).files("package/package.json");
  const manifest = JSON.parse(await files.get("package/package.json").text());
  packages.set(manifest.name, { file, manifest });
}
const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.slice(1));
  const base = `http://localhost:${server.address().port}`;
  const found = packages.get(path);
  if (found !== undefined) {
    const integrity = `sha512-${createHash("sha512").update(readFileSync(join(folder, found.file))).digest("base64")}`;
    const { name, version } = found.manifest;
    const entry = { ...found.manifest, dist: { tarball: `${base}/files/${found.file}`, integrity } };
    if (entry.scripts?.postinstall) entry.hasInstallScript = true;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: entry } }));
  } else if (path.startsWith("files/") && existsSync(join(folder, path.slice(6)))) {
    response.end(readFileSync(join(folder, path.slice(6))));
  } else {
    response.writeHead(404).end();
  }
});
server.listen(0, "localhost", () => writeFileSync(portFile, String(server.address().port)));

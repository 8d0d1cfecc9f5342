// A registry with releases of bao for upgrade.sh: `releases.mjs FOLDER PORT_FILE`. FOLDER has a package VERSION.tgz for each version;
// a version "1.0.0-as-9.9.9" is what the registry calls 9.9.9 though it is signed as 1.0.0. /stall/ sends half of an archive and waits.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const [folder, portFile] = process.argv.slice(2);
const file = (name) => readFileSync(join(folder, name));
const server = createServer((request, response) => {
  const [, mode, ...rest] = decodeURIComponent(request.url).split("/");
  const base = `http://localhost:${server.address().port}/${mode}`;
  const name = rest.join("/");
  const version = (number, path, digest) => [number, { dist: { tarball: `${base}/${path}`, ...digest } }];
  const right = (path) => ({ integrity: `sha512-${createHash("sha512").update(file(path)).digest("base64")}` });
  if (name === "@bao-js/linux-x64") {
    const versions = {
      good: [version("9.9.9", "9.9.9.tgz", right("9.9.9.tgz")), version("9.9.10-canary.1", "9.9.10-canary.1.tgz", right("9.9.10-canary.1.tgz")), version("0.0.1", "0.0.1.tgz", right("0.0.1.tgz"))],
      damaged: [version("9.9.9", "9.9.9.tgz", right("0.0.1.tgz"))],
      old: [version("9.9.9", "0.0.1.tgz", right("0.0.1.tgz"))],
      bare: [version("9.9.9", "9.9.9.tgz", {})],
      behind: [version("0.0.1", "0.0.1.tgz", right("0.0.1.tgz"))],
      same: [version(process.env.VERSION, "9.9.9.tgz", right("9.9.9.tgz"))],
    }[mode];
    response.end(JSON.stringify({ "dist-tags": { latest: versions[0][0], canary: "9.9.10-canary.1" }, versions: Object.fromEntries(versions) }));
  } else if (mode === "stall" && !name.endsWith(".sha256")) {
    const bytes = file(name);
    response.writeHead(200, { "content-length": bytes.length });
    response.write(bytes.subarray(0, bytes.length >> 1));
    writeFileSync(`${portFile}.stalled`, "");
  } else {
    try {
      response.end(file(name));
    } catch {
      response.writeHead(404).end("not here");
    }
  }
});
server.listen(0, "localhost", () => writeFileSync(portFile, String(server.address().port)));

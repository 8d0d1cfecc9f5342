// A registry on loopback whose packages try to write outside of node_modules. Usage: node evil.mjs PORT_FILE
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { archive, entry } from "./tar.mjs";

const pack = (...entries) => archive([entry("package/package.json", "{}"), ...entries]);

const plain = pack(entry("package/index.js", "1"));
const tarballs = {
  "file-up": pack(entry("package/../../../escaped", "x")),
  "file-absolute": pack(entry("/tmp/escaped-bao", "x")),
  "link-out": pack(entry("package/link", "", { type: "2", link: "../../../../" }), entry("package/link/escaped", "x")),
  "link-absolute": pack(entry("package/link", "", { type: "2", link: "/tmp" }), entry("package/link/escaped-bao", "x")),
  "hard-link": pack(entry("package/passwd", "", { type: "1", link: "/etc/passwd" })),
  device: pack(entry("package/null", "", { type: "3" })),
  bomb: pack(...Array.from({ length: 5 }, (_, n) => entry(`package/${n}`, Buffer.alloc(64 << 20)))),
  "not-gzip": Buffer.from("this is no tarball at all, but long enough to be looked at by its first bytes"),
  empty: Buffer.alloc(0),
};
const manifests = {
  "version-up": { "1.0.0": {}, "1.0.1/../../../escaped": {} },
  "version-name": { "1.0.0": { version: "../../../escaped" } },
  "bin-name": { "1.0.0": { bin: { "../../escaped": "index.js" } } },
  "bin-file": { "1.0.0": { bin: { fine: "../../../../../../etc/passwd" } } },
  "bin-absolute": { "1.0.0": { bin: { fine: "/etc/passwd" } } },
  "bin-dir": { "1.0.0": { directories: { bin: "../../../" } } },
  "dep-up": { "1.0.0": { dependencies: { "../escaped": "1.0.0" } } },
  "dep-absolute": { "1.0.0": { dependencies: { "/tmp/escaped-bao": "1.0.0" } } },
  "dep-nul": { "1.0.0": { dependencies: { "a\0b": "1.0.0" } } },
  "dep-file": { "1.0.0": { dependencies: { secret: "file:/etc" } } },
  "dep-link": { "1.0.0": { dependencies: { x: "link:../local" } } },
  "dep-folder": { "1.0.0": { dependencies: { x: "file:../local" } } },
  "dep-inside": { "1.0.0": { dependencies: { x: "file:./inside" } } },
  "dep-path": { "1.0.0": { dependencies: { x: "../local" } } },
  "dep-archive": { "1.0.0": { dependencies: { x: "file:../local.tgz" } } },
  "dep-optional": { "1.0.0": { optionalDependencies: { x: "link:../local" } } },
  "dep-member": { "1.0.0": { dependencies: { member: "workspace:*" } } },
  "dep-range": { "1.0.0": { dependencies: { "@s/plain": "1" } } },
  "sum-unknown": { "1.0.0": { dist: { integrity: "sha9999-AAAA" } } },
  "sum-md5": { "1.0.0": { dist: { integrity: "md5-AAAAAAAAAAAAAAAAAAAAAA==" } } },
  "sum-malformed": { "1.0.0": { dist: { integrity: "sha512-!" } } },
  "sum-older": { "1.0.0": { dist: { integrity: "sha9999-AAAA", shasum: createHash("sha1").update(plain).digest("hex") } } },
  "sum-none": { "1.0.0": { dist: { integrity: "" } } },
  "dep-deep": { "1.0.0": { dependencies: { "dep-link": "1.0.0" } } },
  "@s/plain": { "1.0.0": { bin: { said: "index.js" } } },
  "dep-modules": { "1.0.0": { dependencies: { node_modules: "1.0.0" } } },
  "dep-dots": { "1.0.0": { dependencies: { "..": "1.0.0" } } },
};

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url).slice(1);
  const origin = `http://localhost:${server.address().port}`;
  const file = /^(.*)\.tgz$/.exec(path);
  if (file) return response.end(tarballs[file[1]] ?? plain);
  const name = path;
  const versions = {};
  if (!(name in tarballs) && !(name in manifests)) return response.writeHead(404).end("{}");
  const bytes = tarballs[name] ?? plain;
  for (const [version, { dist, ...extra }] of Object.entries(manifests[name] ?? { "1.0.0": {} })) {
    versions[version] = {
      name, version, ...extra,
      dist: { tarball: `${origin}/${name}.tgz`, integrity: "sha512-" + createHash("sha512").update(bytes).digest("base64"), ...dist },
    };
  }
  response.end(JSON.stringify({ name, "dist-tags": { latest: Object.keys(versions).at(-1) }, versions }));
});
server.listen(0, "localhost", () => writeFileSync(process.argv[2], String(server.address().port)));
process.on("SIGTERM", () => process.exit());

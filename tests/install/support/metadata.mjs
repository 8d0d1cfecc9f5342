// A registry on loopback with the documents that `info` shows. Usage: node metadata.mjs PORT_FILE
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";

const version = (number, more) => ({
  name: "full", version: number, description: `Version ${number}`, license: { type: "ISC", url: "u" },
  homepage: `https://v.example/${number}`, keywords: ["one", "two"], bin: { a: "a.js", b: "b.js" },
  dependencies: { z: "1", a: "^2" }, contributors: [{ name: "c1", x: [1, 2] }, { name: "c2" }],
  nested: { deep: { list: [], map: {}, number: 1.5, yes: true, nothing: null } },
  dist: { tarball: `http://localhost/full-${number}.tgz`, shasum: "abc", integrity: "sha512-xyz", unpackedSize: 123456 },
  ...more,
});
const documents = {
  full: {
    name: "full", license: "MIT", readme: "long",
    "dist-tags": { latest: "1.2.0", beta: "2.0.0-beta.1" },
    versions: {
      "1.10.0": version("1.10.0", { dist: { unpackedSize: 5e6 } }),
      "1.0.0": version("1.0.0", { deprecated: "use another\u001b[31m thing" }),
      "1.2.0": version("1.2.0"), "2.0.0-beta.1": version("2.0.0-beta.1"),
    },
    time: { created: "2020-01-01T00:00:00.000Z", modified: "2024-01-01T00:00:00.000Z", "1.0.0": "2021-01-01T00:00:00.000Z" },
    maintainers: [{ name: "m1", email: "m1@x" }, { name: "m2" }],
  },
  bare: { name: "bare", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { name: "bare", version: "1.0.0" } } },
};
const server = createServer((request, response) => {
  const name = decodeURIComponent(request.url.slice(1));
  if (name === "private") return response.writeHead(401).end('{"error":"who are you?"}');
  if (name === "page") return response.writeHead(200).end("<html>welcome</html>");
  const document = documents[name];
  response.writeHead(document ? 200 : 404).end(JSON.stringify(document ?? { error: "Not found" }));
});
server.listen(0, "localhost", () => writeFileSync(process.argv[2], String(server.address().port)));

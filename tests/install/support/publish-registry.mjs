// A registry on loopback that packages are published to. Usage: node publish-registry.mjs PORT_FILE LOG_FILE
// The first part of the URL chooses how it behaves:
//   /plain/  takes everything             /has/   has version 1.0.0 of "b" already
//   /otp/    wants a typed password, "123456"   /web/  wants a login in the browser, done at the third question
//   /taken/  403: published before        /bad/   500
// Every request is a line of the log; what a PUT brings is checked and described there.
import { createServer } from "node:http";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { writeFileSync, appendFileSync } from "node:fs";

const [portFile, logFile] = process.argv.slice(2);
let asked = 0;

function describe(body) {
  const document = JSON.parse(body);
  const tags = Object.entries(document["dist-tags"]).map(([tag, version]) => `${tag}=${version}`);
  const lines = [`  ${document._id} ${document.name} tags ${tags} access ${document.access}`];
  for (const [version, manifest] of Object.entries(document.versions)) {
    const [[file, attachment]] = Object.entries(document._attachments);
    const bytes = Buffer.from(attachment.data, "base64");
    const sha1 = createHash("sha1").update(bytes).digest("hex");
    const sha512 = "sha512-" + createHash("sha512").update(bytes).digest("base64");
    const names = [];
    const tar = gunzipSync(bytes);
    for (let at = 0; tar[at]; ) {
      names.push(tar.toString("utf8", at, at + 100).replace(/\0.*/s, ""));
      at += 512 + Math.ceil(parseInt(tar.toString("utf8", at + 124, at + 135), 8) / 512) * 512;
    }
    const { dist, readme, readmeFilename, _integrity, _nodeVersion, _npmVersion, ...rest } = manifest;
    const right = [bytes.length === attachment.length, sha1 === dist.shasum, sha512 === dist.integrity, sha512 === _integrity];
    lines.push(`  ${version} ${file} ${attachment.content_type} ${right} ${names}`);
    lines.push(`  ${JSON.stringify(rest)} readme ${JSON.stringify(readme)} ${readmeFilename}`);
    lines.push(`  ${dist.tarball.replace(/:\d+/, ":PORT")} node ${/^\d/.test(_nodeVersion)} npm ${_npmVersion}`);
  }
  return lines.join("\n");
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { headers, method, url } = request;
    const [, mode, ...rest] = url.split("/");
    const origin = `http://localhost:${server.address().port}`;
    const kept = ["authorization", "npm-otp", "npm-auth-type", "npm-command", "npm-scope", "content-type"];
    const shown = kept.filter((name) => headers[name]).map((name) => `${name}=${headers[name]}`);
    const described = method === "PUT" ? "\n" + describe(Buffer.concat(chunks).toString()) : "";
    appendFileSync(logFile, `${method} ${url} ${shown.join(" ")}${described}\n`);
    const answer = (status, body, more = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(body));
    if (url === "/web/done") return ++asked % 3 ? answer(202, {}, { "retry-after": "0" }) : answer(200, { token: "from-browser" });
    if (headers.authorization !== "Bearer secret") return answer(401, { error: "who are you?" });
    if (rest.join("/") === "-/whoami") return answer(200, { username: "joe" });
    if (method === "GET") {
      const has = mode === "has" && rest[0] === "b";
      return has ? answer(200, { name: "b", versions: { "1.0.0": {} } }) : answer(404, { error: "Not found" });
    }
    if (mode === "otp" && headers["npm-otp"] !== "123456") return answer(401, { error: "you must provide a one-time pass" }, { "www-authenticate": "OTP" });
    if (mode === "web" && headers["npm-otp"] !== "from-browser")
      return answer(401, { authUrl: `${origin}/login`, doneUrl: `${origin}/web/done` }, { "www-authenticate": "OTP", "npm-notice": "look at this" });
    if (mode === "taken") return answer(403, { error: "You cannot publish over the previously published versions: 1.0.0." });
    if (mode === "bad") return answer(500, { error: "oh no" });
    answer(200, { ok: true, success: true });
  });
});
server.listen(0, "localhost", () => writeFileSync(portFile, String(server.address().port)));

// Repositories on loopback, for the tests. Usage: node git.mjs PORT_FILE LOG_FILE DIRECTORY_OF_BARE_REPOSITORIES
//   /git/NAME.git/…                      the repository's files (git's dumb protocol)
//   /private/…                           401 without credentials
//   /hang/…                              never answers
//   /repos/OWNER/NAME/tarball/REF        GitHub's API; an OWNER "secret" needs "Bearer token"
import { createServer } from "node:http";
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";

const [portFile, logFile, directory] = process.argv.slice(2);
const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.split("?")[0]);
  appendFileSync(logFile, `${request.method} ${path}\n`);
  if (path.startsWith("/hang/")) return;
  if (path.startsWith("/private/")) return response.writeHead(401, { "www-authenticate": "Basic" }).end();
  if (path.startsWith("/git/")) {
    try {
      return response.end(readFileSync(directory + path.slice(4)));
    } catch {
      return response.writeHead(404).end();
    }
  }
  const [, owner, name, reference] = /^\/repos\/([^/]+)\/([^/]+)\/tarball\/(.*)$/.exec(path) ?? [];
  const allowed = owner && (owner !== "secret" || request.headers.authorization === "Bearer token");
  const git = (...list) => spawnSync("git", ["-C", `${directory}/${name}.git`, ...list], { maxBuffer: 1 << 26 });
  const commit = allowed && String(git("rev-parse", "--verify", "-q", `${reference || "HEAD"}^{commit}`).stdout ?? "").trim();
  if (!commit) return response.writeHead(404).end('{"message":"Not Found"}');
  response.end(git("archive", "--format=tar.gz", `--prefix=${owner}-${name}-${commit.slice(0, 7)}/`, commit).stdout);
});
server.listen(0, "localhost", () => writeFileSync(portFile, String(server.address().port)));

// expected: written by hand
// Authentication of the MySQL adapter against a server of this file's own: MariaDB has no caching_sha2_password. Each plugin with and
// without a switch, fast and full, over TCP, TLS and a unix socket; wrong passwords; what must not be sent.
import { SQL } from "bun";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NONCE, ok, serve } from "./support/fake_mysql.mjs";

const folder = mkdtempSync(join(tmpdir(), "bao-mysql-"));
let certificate;
{
  const { execFileSync } = await import("node:child_process");
  try {
    execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem"), "-days", "3", "-subj", "/CN=localhost"], { stdio: "ignore" });
    certificate = { key: readFileSync(join(folder, "key.pem")), cert: readFileSync(join(folder, "cert.pem")) };
  } catch {
    console.error("skipped: openssl is not installed, which makes the certificate");
  }
}

const answer = (payload, send) => send(ok(1, { affected: payload[0] === 3 ? 1 : 0 }));
const PASSWORD = "pässwörd with a space";

async function attempt(title, server, options) {
  const sql = new SQL({ adapter: "mysql", hostname: "127.0.0.1", port: server.port, username: "u", password: PASSWORD, database: "d", max: 1, connectionTimeout: 5, ...options });
  const before = server.log.length;
  const outcome = await sql.unsafe("do 1").simple().then((rows) => `ok ${rows.count}`, (error) => `${error.name} ${error.code} ${error.errno ?? ""}: ${error.message}`);
  console.log(title, "|", outcome, "|", server.log.slice(before).join(", "));
  if (outcome.includes(PASSWORD)) console.log("the password stands in the error");
  await sql.close({ timeout: 0 });
}

const ways = [["tcp", {}, {}]];
ways.push(["unix", { path: join(folder, "s.sock") }, { path: join(folder, "s.sock") }]);
ways.push(["tls", { secure: certificate }, { tls: { rejectUnauthorized: false } }]);

for (const [name, serving, options] of ways) {
  if (name === "tls" && certificate === undefined) {
    // The lines of what is skipped.
    const lines = readFileSync(new URL("./mysql_auth.out", import.meta.url), "utf8").split("\n");
    for (const line of lines) if (line.startsWith("tls ")) console.log(line);
    continue;
  }
  for (const plugin of ["mysql_native_password", "caching_sha2_password", "sha256_password", "mysql_clear_password", "client_ed25519"]) {
    const isKey = plugin === "client_ed25519";
    const password = isKey ? "0123456789abcdef0123456789ABCDEF" : PASSWORD;
    const own = isKey ? { password } : {};
    for (const first of plugin.includes("sha2") ? ["mysql_native_password", "caching_sha2_password"] : ["mysql_native_password"]) {
      for (const remembers of plugin.startsWith("caching") ? [true, false] : [true]) {
        const server = await serve({ users: { u: { password, plugin, remembers } }, plugin: first, answer, ...serving });
        const title = `${name} ${plugin}${first === plugin ? "" : " after a switch"}${remembers ? "" : " full"}`;
        await attempt(title, server, { ...options, ...own });
        if (name === "tcp" && !isKey) await attempt(`${title}, key allowed`, server, { ...options, ...own, allowPublicKeyRetrieval: true });
        if (remembers || name !== "tcp") await attempt(`${title}, wrong`, server, { ...options, password: isKey ? "0123456789abcdef0123456789ABCDEf" : "wrong" });
        server.close();
      }
    }
    if (plugin === "mysql_clear_password" || isKey) continue;
    const server = await serve({ users: { u: { password: "", plugin } }, answer, ...serving });
    await attempt(`${name} ${plugin} without a password`, server, { ...options, password: "" });
    server.close();
  }
}

// A nonce may have bytes of any value, a NUL among them.
for (const nonce of [Buffer.from(Array.from({ length: 20 }, (_, i) => 255 - i)), Buffer.concat([Buffer.from([0, 0]), NONCE.subarray(2, 18), Buffer.from([0, 0])])]) {
  for (const plugin of ["mysql_native_password", "caching_sha2_password"]) {
    const server = await serve({ users: { u: { password: PASSWORD, plugin } }, plugin, answer, nonce });
    await attempt(`nonce ${plugin}`, server, {});
    server.close();
  }
}

// Packets in pieces of one byte; a password that is a function; names of plugins that there are not.
{
  const server = await serve({ users: { u: { password: PASSWORD, plugin: "caching_sha2_password", remembers: false } }, answer, bytewise: true });
  await attempt("bytewise", server, { allowPublicKeyRetrieval: true, password: async () => PASSWORD });
  server.close();
  const unknown = await serve({ users: { u: { password: PASSWORD, plugin: "mysql_old_password" } }, answer });
  await attempt("unknown plugin", unknown, {});
  unknown.close();
  const usual = await serve({ users: { u: { password: PASSWORD, plugin: "mysql_native_password" } }, plugin: "authentication_webauthn", answer });
  await attempt("unknown usual plugin", usual, {});
  usual.close();
}
rmSync(folder, { recursive: true });

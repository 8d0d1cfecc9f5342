// expected: written by hand
// Bun.SQL and TLS with a server of PostgreSQL: what each mode takes, certificates that are refused, and the channel that SCRAM is bound to.
import { SQL } from "bun";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { outcome, startPostgres } from "./support/server.mjs";

const out = new URL("./postgres_tls.out", import.meta.url);
const postgres = await startPostgres(out);
const { folder, port } = postgres;
/** A certificate for a name, signed by itself. */
function certificate(name, days = "3") {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert, "-days", days, "-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`], { stdio: "ignore" });
  chmodSync(key, 0o600);
  if (process.getuid() === 0) for (const file of [key, cert]) chownSync(file, Number(execFileSync("id", ["-u", "postgres"])), Number(execFileSync("id", ["-g", "postgres"])));
  return { key, cert, ca: readFileSync(cert, "utf8") };
}
let own, other;
try {
  [own, other] = [certificate("localhost"), certificate("elsewhere.test")];
} catch {
  console.error("skipped: openssl is not installed, which makes the certificates");
  process.stdout.write(readFileSync(out));
  process.exit(0);
}

const base = { adapter: "postgres", hostname: "localhost", port, username: "postgres", database: "postgres", max: 1, connectionTimeout: 5 };
const state = async (options) => {
  const sql = new SQL({ ...base, ...options });
  const said = await outcome(sql`select ssl, version from pg_stat_ssl where pid = pg_backend_pid()`.then(([row]) => (row.ssl ? row.version : "plain")));
  await sql.close({ timeout: 0 });
  return said;
};
const say = (...what) => console.log(...what);

// A server without TLS.
{
  const sql = new SQL({ ...base });
  await sql`create role secret login password 'the password'`;
  await sql.close();
}
for (const sslmode of ["disable", "prefer", "require", "verify-full"]) say("without:", sslmode, await state({ url: `postgres://postgres@localhost:${port}/postgres?sslmode=${sslmode}` }));

// One with TLS, whose certificate nobody has signed.
const setup = new SQL({ ...base });
for (const [name, value] of [["ssl_cert_file", own.cert], ["ssl_key_file", own.key], ["ssl", "on"]]) await setup.unsafe(`alter system set ${name} = '${value}'`);
await setup`select pg_reload_conf()`;
await setup.close();
for (let tries = 0; tries < 500 && !/^TLS/.test(await state({ tls: { rejectUnauthorized: false } })); tries++) await new Promise((done) => setTimeout(done, 20));
for (const sslmode of ["disable", "prefer", "require", "verify-ca", "verify-full"]) say("with:", sslmode, await state({ url: `postgres://postgres@localhost:${port}/postgres?sslmode=${sslmode}` }));
say("its authority", await state({ tls: { ca: own.ca } }));
say("another authority", await state({ tls: { ca: other.ca } }));
say("unchecked", await state({ tls: { rejectUnauthorized: false } }));
say("another name, verify-full", await state({ hostname: "127.0.0.1", url: `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=verify-full`, tls: { ca: own.ca } }));
say("another name, verify-ca", await state({ hostname: "127.0.0.1", url: `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=verify-ca`, tls: { ca: own.ca } }));
say("no certificate at all", await state({ tls: { ca: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" } }).then((text) => /^TLS|plain/.test(text) ? text : "refused"));

// SCRAM over it is bound to the channel.
for (const [what, options] of Object.entries({ "right password": { password: "the password" }, "wrong password": { password: "a secret guess" }, required: { password: "the password", channelBinding: "require" } })) {
  say(what, await state({ hostname: "127.0.0.1", username: "secret", tls: { rejectUnauthorized: false }, ...options }));
}
postgres.stop();

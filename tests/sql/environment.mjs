// expected: written by hand
// What libpq takes from the environment: the file of passwords, settings, and who connects.
import { SQL } from "bun";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { outcome, startPostgres } from "./support/server.mjs";

const server = await startPostgres("environment.out");
const say = (...what) => console.log(...what);
const admin = new SQL(server.url, { max: 1 });
await admin`create user secret with password 'a:b\\c'`.simple();
await admin`create user clear with password 'pl:ain'`.simple();
await admin.close();

const folder = mkdtempSync(path.join(os.tmpdir(), "bao-pgpass-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "passwords");
writeFileSync(
  file,
  `# a comment\n\nother:5432:*:secret:wrong\n127.0.0.1:1:*:secret:wrong\nlocalhost:*:*:clear:wrong\n127.0.0.1:${server.port}:postgres:secret:a\\:b\\\\c\n*:*:*:clear:pl:ain\n`,
  { mode: 0o600 },
);
process.env.PGPASSFILE = file;
const who = async (options) => {
  const sql = new SQL({ hostname: "127.0.0.1", port: server.port, database: "postgres", max: 1, ...options });
  const found = await outcome(sql`select current_user as x`);
  await sql.close();
  return Array.isArray(found) ? found[0].x : found;
};
say(await who({ username: "secret" }), await who({ username: "clear" }), await who({ username: "secret", password: "mine" }));
say(await who({ username: "secret", database: "template1" }));

const url = new SQL(`postgres://secret@127.0.0.1:${server.port}/postgres`, { max: 1 });
say((await url`select current_user as x`)[0].x, JSON.stringify(url.options.password));
await url.close();

// A file that others can read is not used.
process.removeAllListeners("warning");
process.on("warning", (warning) => say(warning.message.replace(file, "FILE")));
chmodSync(file, 0o644);
say(await who({ username: "clear" }));
process.env.PGPASSFILE = path.join(folder, "nothing");
say(await who({ username: "clear" }));

// Everything from the environment.
Object.assign(process.env, { PGHOST: "127.0.0.1", PGPORT: String(server.port), PGUSER: "postgres", PGDATABASE: "postgres", PGAPPNAME: "an app", PGOPTIONS: "-c statement_timeout=1234", PGTZ: "Asia/Tokyo", PGCONNECT_TIMEOUT: "7" });
const sql = new SQL({ max: 1 });
say(await sql`select current_setting('application_name') as name, current_setting('statement_timeout') as timeout, current_setting('TimeZone') as zone`);
await sql.close();
// A URL is of one server, and takes nothing from there.
const other = new SQL(server.url, { max: 1, connection: { application_name: "mine" } });
say(await other`select current_setting('application_name') as name, current_setting('statement_timeout') as timeout`);
await other.close();

// A PostgreSQL server for one test: in a temporary folder, on loopback and a free port, ended with the test.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";

function binaries() {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  for (const version of versions) if (existsSync(join(base, version, "bin", "initdb"))) return join(base, version, "bin");
  return undefined;
}

/** Waits until `check` gives something true, which is given back; throws if it does not for a minute. */
export async function until(check) {
  for (let tries = 0; tries < 6000; tries++) {
    const found = await check();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`it never came true: ${check}`);
}

/** Waits until so many connections of PostgreSQL are within pg_sleep. */
export const untilSleeping = (sql, count = 1) =>
  until(async () => (await sql`select count(*)::int as n from pg_stat_activity where wait_event = 'PgSleep'`)[0].n === count);

export async function freePort() {
  const server = net.createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Starts a server; without PostgreSQL says so on standard error and ends the test with what it should print. */
export async function startPostgres(out) {
  const bin = binaries();
  if (bin === undefined) {
    console.error("skipped: PostgreSQL is not installed");
    process.stdout.write(readFileSync(out));
    process.exit(0);
  }
  const folder = mkdtempSync("/tmp/bao-sql-");
  chmodSync(folder, 0o755);
  const isRoot = process.getuid() === 0;
  if (isRoot) chownSync(folder, Number(execFileSync("id", ["-u", "postgres"])), Number(execFileSync("id", ["-g", "postgres"])));
  const run = (command, args) => {
    const line = isRoot ? ["runuser", ["-u", "postgres", "--", command, ...args]] : [command, args];
    const { status, stderr, stdout } = spawnSync(...line, { encoding: "utf8", stdio: ["ignore", "ignore", "ignore"] });
    if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
  };
  const data = join(folder, "data");
  run(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "postgres", "-N"]);
  const hba = "local all all trust\nhost all secret 127.0.0.1/32 scram-sha-256\nhost all hashed 127.0.0.1/32 md5\nhost all clear 127.0.0.1/32 password\nhost all all 127.0.0.1/32 trust\n";
  writeFileSync(join(data, "pg_hba.conf"), hba);
  const port = await freePort();
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_prepared_transactions=10`;
  run(join(bin, "pg_ctl"), ["-w", "-D", data, "-l", join(folder, "log"), "-o", options, "start"]);
  const stop = (mode = "immediate") => run(join(bin, "pg_ctl"), ["-D", data, "-m", mode, "stop"]);
  process.on("exit", () => {
    try {
      stop();
    } catch {
      // It is ended already.
    }
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    port,
    folder,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop,
    start: () => run(join(bin, "pg_ctl"), ["-w", "-D", data, "-l", join(folder, "log"), "-o", options, "start"]),
  };
}

export const outcome = (promise) =>
  Promise.resolve(promise).then(
    (value) => value,
    (error) => `${error.name} ${error.code ?? ""} ${error.errno ?? ""}: ${error.message}`,
  );

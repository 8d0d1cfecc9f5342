// All of bench/data in one run: SQLite, PostgreSQL, MariaDB, Redis and S3, with bao and Bun in turns, and Node with what it has: node:sqlite, and of
// $PEERS_DIR/node_modules better-sqlite3, pg, postgres, mysql2 and ioredis (`npm i` them there; what is missing is left out). Run by bao
// (`./x bench data`). Servers are started on loopback and ended; one that is not installed is left out, and said. BUN and NODE name the peers;
// ROUNDS (3) how often they take turns, BENCH_SECONDS (3) how long one measurement of PostgreSQL takes, ONLY some of the names below.
import { SQL } from "bun";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../../tests/sql/support/server.mjs";
import { start as startMariadb } from "../../tests/sql/support/mariadb.mjs";
import { startRedis } from "../../tests/redis/support/server.mjs";

const here = import.meta.dirname;
const peers = process.env.PEERS_DIR === undefined ? undefined : join(process.env.PEERS_DIR, "node_modules", ".bin");
const peer = (name) => process.env[name.toUpperCase()] ?? (peers === undefined ? name : join(peers, name));
const executables = { bao: process.execPath, bun: peer("bun") };
const rounds = Number(process.env.ROUNDS ?? 3);
const only = process.env.ONLY?.split(",");

function run(title, command, args, env) {
  console.log(`--- ${title}`);
  const { status, signal, error } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
  if (status === 0) return;
  console.log(`${title}: ${error?.message ?? (signal === null ? `exit code ${status}` : `ended by ${signal}`)}`);
  process.exitCode = 1;
}

/** Runs a file of this folder in each executable, in turns, and in Node with each of some packages. */
function inTurns(file, env, packages) {
  const isThere = (name) => peers !== undefined && existsSync(join(process.env.PEERS_DIR, "node_modules", name));
  for (let round = 1; round <= rounds; round++) {
    for (const [name, path] of Object.entries(executables)) run(`${file} ${name} ${round}`, path, [join(here, file)], env);
    for (const name of packages.filter(isThere)) {
      run(`${file} node, ${name} ${round}`, peer("node"), [join(here, file)], { ...env, CLIENT: name });
    }
  }
}

const work = {
  sqlite: () => run("sqlite", "sh", [join(here, "sqlite.sh")], { BAO: executables.bao, BUN: executables.bun, NODE: peer("node"), ROUNDS: String(rounds) }),
  async postgres() {
    const server = await startPostgres("/dev/null");
    try {
      inTurns("sql.mjs", { DATABASE_URL: server.url }, ["pg", "postgres"]);
    } finally {
      server.stop();
    }
  },
  async mariadb() {
    const server = await startMariadb();
    if (server === undefined) return console.log("mariadb: not installed");
    try {
      const base = `mysql://root@127.0.0.1:${server.port}`;
      {
        await using sql = new SQL({ url: `${base}/mysql`, max: 1 });
        await sql`create database bench`;
      }
      inTurns("mysql.mjs", { MYSQL_URL: `${base}/bench`, ROUNDS: "1" }, ["mysql2"]);
    } finally {
      await server.stop();
    }
  },
  async redis() {
    const server = await startRedis("/dev/null");
    try {
      inTurns("redis.mjs", { REDIS_URL: server.url }, ["ioredis"]);
    } finally {
      await server.stop();
    }
  },
  // The same server for both, and one round: its figures are memory and CPU time.
  s3() {
    for (const [name, path] of Object.entries(executables)) run(`s3.mjs ${name}`, path, [join(here, "s3.mjs")], { BENCH_SERVER: peer("node") });
  },
};

const unknown = only?.find((name) => !(name in work));
if (unknown !== undefined) {
  console.error(`ONLY: there is no "${unknown}", but ${Object.keys(work).join(", ")}`);
  process.exit(1);
}
for (const [name, measure] of Object.entries(work)) if (only === undefined || only.includes(name)) await measure();
process.exit();

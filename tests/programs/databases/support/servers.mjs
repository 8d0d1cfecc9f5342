// The servers of a program: PostgreSQL and MariaDB of its own, which end with it. What starts them is beside the tests of Bun.sql.
import { readFileSync } from "node:fs";
import path from "node:path";

const support = process.env.SQL_SUPPORT;
const out = path.join(import.meta.dirname, "..", `${path.parse(process.argv[1]).name}.out`);
const { startPostgres } = await import(path.join(support, "server.mjs"));
const { start } = await import(path.join(support, "mariadb.mjs"));

export const postgres = await startPostgres(out);
export const mariadb = await start();
if (mariadb === undefined) {
  console.error("skipped: MariaDB is not installed");
  process.stdout.write(readFileSync(out));
  process.exit(0);
}
export const PG = postgres.url;
export const MY = `mysql://root@127.0.0.1:${mariadb.port}/test`;
{
  const { createConnection } = (await import("mysql2/promise")).default;
  const connection = await createConnection(MY.replace("/test", "/"));
  await connection.query("create database test");
  await connection.query("create user if not exists 'root'@'127.0.0.1'");
  await connection.query("grant all on *.* to 'root'@'127.0.0.1'");
  await connection.end();
}
export const say = (...what) => console.log(...what);
export const outcome = (promise) => Promise.resolve(promise).then((value) => value, (error) => `${error.name} ${error.code}: ${error.message}`);
export async function end() {
  await mariadb.stop();
  process.exit();
}

// PostgreSQL with Bun.SQL (bao, Bun) or the package that CLIENT names (pg, postgres; Node): one row by key, and 100 rows, with 1, 10 and 90 connections (a server takes 97).
// DATABASE_URL names the server; a table bench_people is made in it. Prints queries per second, CPU for a query and the 99th percentile.
import { pool } from "./clients.mjs";

const url = process.env.DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const ROWS = 10_000;

{
  const { sql, close } = await pool(url, 1);
  await sql`drop table if exists bench_people`;
  await sql`create table bench_people (id int primary key, name text, price float8, created timestamptz, active boolean, n int)`;
  await sql`insert into bench_people select i, 'name ' || i, i * 1.25, now(), i % 2 = 0, i * 7 from generate_series(1, ${ROWS}) i`;
  await sql`analyze bench_people`;
  await close();
}

async function measure(max, clients, name, query) {
  const { sql, close } = await pool(url, max);
  const times = [];
  const run = async (end) => {
    while (performance.now() < end) {
      const begun = performance.now();
      await query(sql);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: clients }, () => run(performance.now() + 300)));
  times.length = 0;
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await Promise.all(Array.from({ length: clients }, () => run(begun + SECONDS * 1000)));
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await close();
  times.sort((a, b) => a - b);
  const late = times[Math.floor(times.length * 0.99)];
  const label = `${name}, max ${max}, ${clients} at once`;
  const each = ((user + system) / times.length).toFixed(1);
  console.log(`${label.padEnd(34)} ${(times.length / seconds).toFixed(0).padStart(7)}/s ${each.padStart(7)} us CPU, p99 ${late.toFixed(2)} ms`);
}

const byKey = (sql) => sql`select * from bench_people where id = ${1 + Math.floor(Math.random() * ROWS)}`;
const hundred = (sql) => sql`select * from bench_people where id <= ${100} order by id`;
for (const [max, clients] of [[1, 1], [10, 10], [10, 64], [90, 90]]) {
  await measure(max, clients, "one row by key", byKey);
  await measure(max, clients, "100 rows", hundred);
}

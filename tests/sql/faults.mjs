// expected: written by hand
// Bun.SQL when things go wrong: a server that ends within a query, a transaction, a COPY and a cursor; a server that is silent; a pool
// whose connections are all taken; a wrong password; ten thousand notifications.
import { SQL } from "bun";
import net from "node:net";
import { outcome, startPostgres, until, untilSleeping } from "./support/server.mjs";

const server = await startPostgres("faults.out");
const say = (...what) => console.log(...what);
const restart = async (sql) => {
  server.start();
  // The client finds out by itself that the server is there again.
  return until(() => sql`select 1 as n`.then(([{ n }]) => n, () => undefined));
};

const sql = new SQL(server.url, { max: 3 });
await sql`create table kept (n int primary key)`;

// Within queries: all are told, and the next ones are answered.
{
  const sleeping = [1, 2, 3].map(() => outcome(sql`select pg_sleep(60)`));
  const other = new SQL(server.url, { max: 1 });
  await untilSleeping(other, 3);
  await other.close();
  server.stop();
  say("killed in queries:", new Set(await Promise.all(sleeping)).size, (await sleeping[0]).replace(/PostgresError \S+ \S*:.*/, "PostgresError"));
  say("again:", await restart(sql));
}

// Within a transaction: nothing of it is kept, and the promise is rejected.
{
  const done = outcome(
    sql.begin(async (tx) => {
      await tx`insert into kept values (1)`;
      server.stop();
      await tx`insert into kept values (2)`;
    }),
  );
  say("killed in a transaction:", typeof (await done));
  await restart(sql);
  say("kept:", (await sql`select count(*)::int as n from kept`)[0].n);
}

// Within a COPY in both directions.
{
  const writer = sql`copy kept from stdin`.writable().getWriter();
  await writer.write("10\n11\n");
  server.stop();
  const writing = (async () => {
    for (let n = 0; n < 1000; n++) await writer.write(`${n + 100}\n`.repeat(1000));
    await writer.close();
  })();
  say("killed in COPY FROM:", typeof (await outcome(writing)));
  await restart(sql);
  say("kept:", (await sql`select count(*)::int as n from kept`)[0].n);

  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of sql`copy (select repeat('x', 100) from generate_series(1, 10000000)) to stdout`.readable()) {
      if (bytes === 0) server.stop();
      bytes += chunk.length;
    }
  })();
  say("killed in COPY TO:", typeof (await outcome(reading)), bytes > 0);
  await restart(sql);
}

// Within a cursor.
{
  let rows = 0;
  const reading = (async () => {
    for await (const batch of sql`select n from generate_series(1, 1000000) n`.cursor(10)) {
      if (rows === 100) server.stop();
      rows += batch.length;
    }
  })();
  say("killed in a cursor:", typeof (await outcome(reading)), rows >= 100 && rows < 1000000);
  await restart(sql);
}

// A pool whose connections are all taken: others wait for their turn, and get it.
{
  const reserved = await Promise.all([sql.reserve(), sql.reserve(), sql.reserve()]);
  let isAnswered = false;
  const waiting = sql`select 7 as n`.then(([{ n }]) => ((isAnswered = true), n));
  await reserved[0]`select 1`;
  say("while all are taken:", isAnswered);
  reserved[0].release();
  say("after one is free:", await waiting);
  for (const one of reserved.slice(1)) one.release();
  const many = await Promise.all(Array.from({ length: 500 }, (_, n) => sql.begin((tx) => tx`select ${n}::int as n`)));
  say("500 transactions over 3 connections:", many.every(([row], n) => row.n === n));
}

// Servers that are silent: before they say anything, and after they have asked for the password.
for (const first of [undefined, Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])]) {
  const sockets = [];
  const silent = net.createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    if (first !== undefined) socket.write(first);
  });
  await new Promise((done) => silent.listen(0, "127.0.0.1", done));
  const client = new SQL({ hostname: "127.0.0.1", port: silent.address().port, username: "u", password: "geheim", connectionTimeout: 0.2, max: 1 });
  say("silent:", await outcome(client`select 1`));
  for (const socket of sockets) socket.destroy();
  silent.close();
}

// A wrong password: the error names who and where, and not the password.
{
  await sql`create user secret with password 'right'`.simple();
  const client = new SQL({ hostname: "127.0.0.1", port: server.port, username: "secret", password: "wr0ng-w0rd", database: "postgres", max: 1 });
  const error = await client`select 1`.then(() => undefined, (reason) => reason);
  const shown = Bun.inspect(error) + error.message + JSON.stringify(error) + error.stack;
  say(error.message, error.username, error.address === `127.0.0.1:${server.port}`, shown.includes("wr0ng"));
}

// Notifications come in their order, and none is lost.
{
  const got = [];
  const { promise, resolve } = Promise.withResolvers();
  const { unlisten } = await sql.listen("news", (payload) => {
    got.push(Number(payload));
    if (got.length === 10000) resolve();
  });
  await sql`select pg_notify('news', n::text) from generate_series(1, 5000) n`;
  await Promise.all(Array.from({ length: 50 }, (_, i) => sql`select pg_notify('news', (5000 + ${i}::int * 100 + n)::text) from generate_series(1, 100) n`));
  await promise;
  const first = got.slice(0, 5000);
  const blocks = Array.from({ length: 50 }, (_, i) => got.slice(5000 + i * 100, 5100 + i * 100));
  say("notifications:", got.length, first.every((n, i) => n === i + 1), blocks.every((block) => block.every((n, i) => n === block[0] + i)), new Set(got).size);
  await unlisten();
}
await sql.close();

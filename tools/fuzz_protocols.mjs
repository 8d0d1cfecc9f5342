// Fuzzes the clients of Bun.sql, Bun.redis and Bun.s3 with the answers of real servers, damaged on their way.
//
//     bao tools/fuzz_protocols.mjs SECONDS postgres://user@127.0.0.1:5432/database [SEED]
//     bao tools/fuzz_protocols.mjs SECONDS mysql://root@127.0.0.1:3306/database
//     bao tools/fuzz_protocols.mjs SECONDS redis://127.0.0.1:6379
//     bao tools/fuzz_protocols.mjs SECONDS s3://127.0.0.1:9000/bucket
//
// A proxy between the client and the server changes, leaves out, repeats and inserts bytes of what the server says, and cuts it
// anywhere. Whatever comes of it: every call has to end with a value or with an error of its own family, nothing may be thrown past it, and
// the process has to live. The server is asked for nothing that changes it. The exit code is 1 if a promise is broken; the seed is printed.
import net from "node:net";
import { generator } from "./random.mjs";

const [seconds, url, seedText] = process.argv.slice(2);
if (!(Number(seconds) > 0) || !URL.canParse(url ?? "")) {
  console.error("usage: bao tools/fuzz_protocols.mjs SECONDS URL [SEED]");
  process.exit(2);
}
const target = new URL(url);
const kind = target.protocol.slice(0, -1);
const seed = Number(seedText ?? Date.now() % 2 ** 31) || 1;
/** A call that takes longer hangs: the proxy ends a connection that it has damaged much earlier. */
const DEADLINE_MS = 60_000;
const IDLE_MS = 40;

/** A number below its argument. */
const below = generator(seed);

/** Bytes with some of them changed. */
function damaged(bytes) {
  let list = Buffer.from(bytes);
  for (let count = 1 + below(3); count > 0 && list.length > 0; count--) {
    const at = below(list.length);
    const some = Buffer.from(list.subarray(at, at + 1 + below(12)));
    switch (below(8)) {
      case 0: list[at] ^= 1 << below(8); break;
      case 1: list[at] = [0, 1, 0x7f, 0x80, 0xfb, 0xfc, 0xfe, 0xff][below(8)]; break;
      case 2: list[at] = below(256); break;
      case 3: list = Buffer.concat([list.subarray(0, at), list.subarray(at + some.length)]); break;
      case 4: list = Buffer.concat([list.subarray(0, at), some, some, list.subarray(at)]); break;
      case 5: list = Buffer.concat([list.subarray(0, at), Buffer.from(Array.from(some, () => below(256))), list.subarray(at)]); break;
      case 6: list = list.subarray(0, at); break;
      default: if (at + 4 <= list.length) list.writeInt32BE([-1, -2, 0, 4, 0x7fffffff, -0x80000000, 65536, 5][below(8)], at);
    }
  }
  return list;
}

/** Answers of this iteration that pass as they are, before the first that is damaged. */
let untouched = 0;
let damages = 0;

const proxy = net.createServer((client) => {
  const server = net.connect(Number(target.port), target.hostname);
  let isDamaged = false;
  let timer;
  // A length that was changed makes the client wait for bytes that never come.
  const end = () => {
    client.destroy();
    server.destroy();
  };
  client.on("error", end).on("close", end);
  server.on("error", end).on("close", () => client.end());
  client.on("data", (bytes) => server.write(bytes));
  server.on("data", (bytes) => {
    if (untouched > 0) untouched--;
    else if (!isDamaged || below(3) === 0) {
      bytes = damaged(bytes);
      isDamaged = true;
      damages++;
    }
    clearTimeout(timer);
    if (isDamaged) timer = setTimeout(end, IDLE_MS);
    const cuts = below(4) === 0 && bytes.length < 2000 ? 1 + below(9) : bytes.length;
    for (let at = 0; at < bytes.length; at += cuts) client.write(bytes.subarray(at, at + cuts));
  });
});
await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
const { port } = proxy.address();

const POSTGRES = [
  (sql) => sql`select 1 as a, ${"text"}::text as b, null as c, ${[1, 2, 3]}::int[] as d`,
  (sql) => sql`select i, i::text, i::numeric / 3, now(), '{"a": [1]}'::jsonb, '\\x0102'::bytea, interval '1 day', i::float8, true from generate_series(1, ${20}) i`,
  (sql) => sql`select 1; select 2 as b, 'x'`.simple(),
  (sql) => sql`select nothing from nowhere`,
  (sql) => sql.unsafe("select array[array['a','b'],array['c',null]], '12:34'::time, '2024-01-01'::date, 9007199254740993::int8"),
  (sql) => sql.begin(async (tx) => [await tx`select 1`, await tx.savepoint((sp) => sp`select ${2}::int as x`)]),
  (sql) => sql`select * from generate_series(1, 3000) i`.values(),
  (sql) => sql`select i from generate_series(1, 50) i`.cursor(7, () => {}),
  async (sql) => {
    for await (const _ of sql`copy (select i, 'text' from generate_series(1, 100) i) to stdout`.readable());
  },
];
const MYSQL = [
  (sql) => sql`select 1 as a, ${"text"} as b, null as c, ${2.5} as d`,
  (sql) => sql`select table_name, table_rows, create_time, 1.5e3, x'0102', cast(12.34 as decimal(9,3)), now(6), cast('11:22:33' as time), true from information_schema.tables limit ${20}`,
  (sql) => sql`select 1; select 2 as b, 'x'`.simple(),
  (sql) => sql`select nothing from nowhere`,
  (sql) => sql.unsafe("select 18446744073709551615, -9223372036854775808, cast('2024-01-01' as date), year(now()), repeat('x', 70000)"),
  (sql) => sql.begin(async (tx) => [await tx`select 1`, await tx.savepoint((sp) => sp`select ${2} as x`)]),
  (sql) => sql`select seq from seq_1_to_3000`.values(),
  (sql) => sql`do ${1}`,
];
const REDIS = [
  (redis) => redis.ping(),
  (redis) => redis.send("COMMAND", ["DOCS", "get", "set"]),
  (redis) => redis.send("COMMAND", ["INFO", "get", "set", "xadd"]),
  (redis) => redis.send("HELLO", ["3"]),
  (redis) => redis.send("CONFIG", ["GET", "*max*"]),
  (redis) => redis.get("no such key"),
  (redis) => redis.send("EVAL", ["return {1, 'a', {2, {'b', false}}, {ok = 'x'}}", "0"]),
  (redis) => redis.send("EVAL", ["redis.setresp(3) return {double = 1.5}", "0"]),
  (redis) => redis.send("NO-SUCH", []),
  (redis) => Promise.all(Array.from({ length: 30 }, (_, i) => redis.exists(`k${i}`))),
  (redis) => redis.send("XINFO", ["HELP"]),
  (redis) => redis.send("ECHO", ["x".repeat(70_000)]),
];
const S3 = [
  (s3) => s3.list({ maxKeys: 3 }),
  (s3) => s3.list({ prefix: "none" }),
  (s3) => s3.file("no such key").text(),
  (s3) => s3.stat("no such key"),
  (s3) => s3.exists("no such key"),
  (s3) => s3.file("no such key").slice(2, 9).arrayBuffer(),
];

/** What a family's errors are called; a value of JSON that is none rejects its query with what JSON.parse says. */
const FAMILIES = { postgres: /^PostgresError$|^SQLError$|^SyntaxError$/, mysql: /^MySQLError$|^SQLError$|^SyntaxError$/, redis: /^RedisError$|^Error$/, s3: /^S3Error$|^AbortError$/ };
const PLANS = { postgres: POSTGRES, mysql: MYSQL, redis: REDIS, s3: S3 };
const plan = PLANS[kind];
if (plan === undefined) throw new Error(`no plan for ${target.protocol}`);

/** A client for one iteration, and how it is closed. */
function open() {
  if (kind === "redis") {
    const client = new Bun.RedisClient(`redis://127.0.0.1:${port}`, { autoReconnect: below(2) === 0, maxRetries: 1, connectionTimeout: 5000 });
    return { client, close: () => client.close() };
  }
  if (kind === "s3") {
    return { client: new Bun.S3Client({ endpoint: `http://127.0.0.1:${port}`, bucket: target.pathname.slice(1), accessKeyId: "id", secretAccessKey: "key", retry: 0 }), close() {} };
  }
  const client = new Bun.SQL({ adapter: kind, hostname: "127.0.0.1", port, username: target.username, password: target.password, database: target.pathname.slice(1), max: 1 + below(2), connectionTimeout: 5, tls: false });
  return { client, close: () => client.close({ timeout: 0 }) };
}

const outcomes = new Map();
let rounds = 0;
let isBroken = false;
function broken(what, error) {
  isBroken = true;
  console.log(`broken in round ${rounds}, seed ${seed}: ${what}`, error ?? "");
}
process.on("uncaughtException", (error) => broken("thrown past a call", error));
process.on("unhandledRejection", (error) => broken("rejected past a call", error));

async function ended(promise, index) {
  let timer;
  const late = new Promise((resolve) => { timer = setTimeout(resolve, DEADLINE_MS, "late"); });
  const outcome = await Promise.race([promise.then(() => "a value", (error) => error), late]);
  clearTimeout(timer);
  if (outcome === "late") broken(`call ${index} hangs`);
  const isError = outcome instanceof Error;
  if (isError && !FAMILIES[kind].test(outcome.name) && outcome.code !== "SEEN") broken(`call ${index} ended with`, outcome);
  const key = isError ? `${outcome.name} ${outcome.code}` : String(outcome);
  outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
}

const until = Date.now() + Number(seconds) * 1000;
while (Date.now() < until && !isBroken) {
  rounds++;
  untouched = below(4) === 0 ? 0 : 2 + below(12);
  const { client, close } = open();
  const calls = [];
  for (let count = 1 + below(4); count > 0; count--) {
    const index = below(plan.length);
    const run = async () => plan[index](client);
    calls.push(ended(run(), index));
    if (below(2) === 0) await calls.at(-1);
  }
  await Promise.all(calls);
  const timer = setTimeout(broken, DEADLINE_MS, "close hangs");
  await Promise.resolve(close()).catch(() => {});
  clearTimeout(timer);
}
proxy.close();
console.log(`${kind}: ${rounds} rounds, ${damages} answers damaged, seed ${seed}`, [...outcomes].sort((a, b) => b[1] - a[1]));
process.exit(isBroken ? 1 : 0);

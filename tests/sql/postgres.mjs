// expected: written by hand
// Bun.SQL with a server of PostgreSQL: types both ways, helpers, transactions, errors, authentication, LISTEN, cancel.
import { SQL } from "bun";
import { outcome, startPostgres, untilSleeping } from "./support/server.mjs";

const server = await startPostgres("postgres.out");
const say = (...what) => console.log(...what);
const sql = new SQL(server.url, { max: 4 });

// Every type against the server's own text, as text (a statement without parameters) and in the formats that are asked for later.
const types = {
  bool: "true", int2: "-32768", int4: "2147483647", int8: "9007199254740993", float4: "1.5", float8: "0.1", numeric: "12345678901234567890.0010",
  text: "'h\u00e9llo \u{1F600}'", "char(4)": "'ab'", name: "'x'", bytea: "'\\x00ff10'", date: "'2020-02-29'", timestamp: "'1999-12-31 23:59:59.999999'",
  timestamptz: "'0044-03-15 12:00:00+00 BC'", time: "'24:00:00'", timetz: "'01:02:03.5+05:30'", interval: "'1 year 2 days 03:04:05'", uuid: "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
  json: `'{"a": [1, null]}'`, jsonb: `'{"b": "\u00e9"}'`, inet: "'::1/64'", cidr: "'10.0.0.0/8'", macaddr: "'08:00:2b:01:02:03'", bit: "B'1'", varbit: "B'1010'", money: "'$1,234.50'",
  point: "'(1,2)'", box: "'(1,2),(3,4)'", int4range: "'[1,5)'", oid: "4294967295", '"char"': "'a'", tsvector: "'a b'", xml: "'<a/>'",
  "bool[]": "'{t,f,NULL}'", "int2[]": "'{1,-2}'", "int4[]": "'{{1,2},{3,4}}'", "int8[]": "'{9007199254740993}'", "float8[]": "'{0.1,NaN,-Infinity}'", "numeric[]": "'{1.10}'",
  "text[]": `'{a,"b c",NULL,"NULL","q\\"\\\\",{}}'`.replace(",{}", ""), "date[]": "'{2020-01-01}'", "timestamptz[]": "'{2020-01-01 00:00:00+00}'", "jsonb[]": `'{"{\\"a\\":1}"}'`, "bytea[]": "'{\"\\\\x01\"}'", "box[]": "'{(3,4),(1,2);(7,8),(5,6)}'", "uuid[]": "'{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'",
  "int4[] ": "'[0:1]={5,6}'", "timestamp ": "'infinity'", "float8 ": "'-Infinity'",
};
for (const [type, literal] of Object.entries(types)) {
  const text = `select ${/^[\d-]/.test(literal) ? `'${literal}'` : literal}::${type} as x`;
  const forms = new Set();
  for (const query of [() => sql.unsafe(text), () => sql.unsafe(text), () => sql.unsafe(`${text} where 1 = $1`, [1]), () => sql.unsafe(`${text} where 1 = $1`, [1]), () => sql.unsafe(text).simple()]) {
    const [{ x }] = await query();
    forms.add(Bun.inspect(x).replace(/\s+/g, " "));
  }
  say(type.padEnd(12), [...forms].join(" | "));
}

// Parameters, each as the server sees it.
const values = [1, 1.5, -0.25, 2 ** 40, 5n, 2n ** 70n, "t\u00e9xt", "", true, null, undefined, Buffer.from("ab"), new Date(Date.UTC(2020, 0, 2, 3, 4, 5, 678)), NaN, -Infinity];
for (const value of values) {
  const [{ x }] = await sql`select ${value} as x`;
  say("parameter", value, x);
}
await sql`create temp table nothing ()`.simple();
await sql`create table all_kinds (id int primary key, tags text[], numbers int[], data jsonb, list json, at timestamptz, bytes bytea, big numeric)`;
await sql`insert into all_kinds ${sql({ id: 1, tags: ["a", 'b "c"', null], numbers: [1, 2], data: { k: [1] }, list: [1, "x"], at: new Date(0), bytes: new Uint8Array([1, 2]), big: 12.5 })}`;
await sql`insert into all_kinds (id, tags, numbers) values (${2}, ${sql.array(["x", "y"], "text")}, ${sql.array([3, 4], "int")})`;
say(await sql`select * from all_kinds order by id`);

// Injection through every helper.
await sql`create table students (name text, age int)`;
const evil = `x"; drop table students; --'`;
await sql`insert into students ${sql({ name: evil, age: 1 })}`;
say(await sql`select name from students where name in ${sql([evil])} or name = ${evil}`);
say(await outcome(sql`select * from ${sql(evil)}`));
say(await outcome(sql`insert into students ${sql({ [evil]: 1 })}`));
say(await outcome(sql.begin("read write; drop table students", () => 1)));
say(await outcome(sql.beginDistributed("a'; drop table students; --", () => 1)));
say(await outcome((async () => sql.array([1], "int); drop table students; --"))()));
say((await sql`select count(*)::int as n from students`)[0].n);

// Results.
const result = await sql`insert into students ${sql([{ name: "a", age: 2 }, { name: "b", age: 3 }])} returning age`;
say(result.count, result.command, result.affectedRows, result.columns.map(({ name, type }) => [name, type]), [...result]);
say(await sql`select 1 as a, 2 as a, 3 as b`, await sql`select 1 as a, 2 as a`.values(), await sql`select 'x'::text as a, null as b`.raw());
say(await sql`select 1 as a; select 2 as b, 3 as c`.simple());
const fragment = (age) => sql`where age > ${age}`;
say(await sql`select age from students ${fragment(1)} and age < ${3}`);
say((await sql`select g from generate_series(1, ${20000}) g`).reduce((sum, { g }) => sum + g, 0));
{
  // Rows without columns, also of a statement that the server knows. A value that cannot be written leaves its statement as it was.
  await using one = await sql.reserve();
  const empty = () => one`select from generate_series(1, ${2})`;
  say([...(await empty())], [...(await empty())], [...(await empty().values())]);
  const date = (value) => one`select ${value} as "a date"`;
  say(await outcome(date(new Date(NaN))), "|", [...(await date(new Date(0)))]);
}

// Errors, and the connection after them.
const error = await sql`select * from students where agee = ${1}`.catch((reason) => reason);
say(error instanceof SQL.PostgresError, error instanceof SQL.SQLError, error.name, error.code, error.errno, error.severity, error.position, error.hint);
say(await outcome(sql`selec 1`), "|", await outcome(sql`select ${Symbol("s")}`), "|", await outcome(sql.unsafe("select 1; select 2", [1])));
say(await outcome(sql("students")), "|", await outcome(sql`begin`), "|", await outcome(sql`select ${1}`.simple()), "|", await outcome(sql`select 1 where ${sql({ a: 1 })}`));

// Transactions.
say(await outcome(sql.begin(async (tx) => { await tx`insert into students values ('gone', 9)`; await tx`select 1/0`; })));
say(await sql.begin(async (tx) => {
  await tx`insert into students values ('kept', 10)`;
  await tx.savepoint(async (inner) => { await inner`insert into students values ('undone', 11)`; throw new Error("undo"); }).catch(() => {});
  return tx`select name from students where age > 8`;
}));
let kept;
await sql.begin("read only", async (tx) => { kept = tx; say(await tx`show transaction_read_only`); });
say(await outcome(kept`select 1`), "|", await outcome(sql.begin((tx) => tx.begin(() => 1))));
await sql.beginDistributed("two", async (tx) => { await tx`insert into students values ('two', 20)`; });
say((await sql`select count(*)::int as n from students where age = 20`)[0].n, await outcome(sql.commitDistributed("two").then(() => "committed")), (await sql`select count(*)::int as n from students where age = 20`)[0].n);

// One's own connection, and its state afterwards.
const reserved = await sql.reserve();
await reserved`set application_name = 'mine'`;
await reserved`begin isolation level serializable`;
say((await reserved`show application_name`)[0].application_name);
reserved.release();
say(await outcome(reserved`select 1`));
say(new Set(await Promise.all(Array.from({ length: 8 }, async () => (await sql`select current_setting('transaction_isolation') as x`)[0].x))));

// Cancel: before it is sent, and while it runs.
const early = sql`select 1`;
early.cancel();
say(await outcome(early), early.cancelled);
const late = sql`select pg_sleep(20)`.execute();
await untilSleeping(sql);
late.cancel();
say(await outcome(late));

// Messages in their order.
const heard = [];
const { promise, resolve } = Promise.withResolvers();
const subscription = await sql.listen("news", (payload) => {
  heard.push(Number(payload));
  if (heard.length === 10_000) resolve();
});
await sql`select count(pg_notify('news', g::text)) from generate_series(1, 10000) g`;
await promise;
say(heard.length, heard.every((value, index) => value === index + 1));
await subscription.unlisten();

// COPY both ways, and where there is no stream.
await sql`create table copied (a int, b text)`;
const writer = sql`copy copied from stdin`.writable().getWriter();
for (let i = 0; i < 2000; i++) await writer.write(`${i}\t${"x".repeat(100)}\n`);
await writer.write(Buffer.from("2000\t\\N\n"));
await writer.close();
say((await sql`select count(*)::int as n, sum(a)::int as sum, count(b)::int as texts from copied`)[0]);
let size = 0;
for await (const chunk of sql`copy (select a, repeat('y', 1000) from copied) to stdout`.readable()) size += chunk.length;
say(size);
const undone = sql`copy copied from stdin`.writable().getWriter();
await undone.write("5000\tz\n");
await undone.abort(new Error("changed my mind"));
say(await outcome(sql`copy copied from stdin`), "|", await outcome(sql`copy copied to stdout`), "|", await outcome(new Response(sql`select 1`.readable()).text()));
const wrong = sql`copy copied from stdin`.writable().getWriter();
await wrong.write("no number\tz\n");
say(await outcome(wrong.close()), (await sql`select count(*)::int as n from copied`)[0]);

// Authentication.
await sql`create role secret login password 'p\u00e4ss'`.simple();
await sql.unsafe("set password_encryption = 'md5'; create role hashed login password 'pass'; create role clear login password 'pass'");
const as = async (username, password, more) => {
  await using one = new SQL({ hostname: "127.0.0.1", port: server.port, database: "postgres", username, password, max: 1, ...more });
  return await outcome(one`select current_user as u`.then(([{ u }]) => u));
};
say(await as("secret", "p\u00e4ss"), await as("hashed", "pass"), await as("clear", "pass"), await as("secret", async () => "p\u00e4ss"), await as("postgres", "", { path: server.folder }));
say(await as("secret", "wrong"), "|", await as("nobody", "x"), "|", await as("secret", () => { throw new Error("no password"); }), "|", await as("secret", "p\u00e4ss", { tls: true }));

// A client without connections, and a closed one.
await sql.close();
say(await outcome(sql`select 1`), await outcome(new SQL({ hostname: "127.0.0.1", port: 1, max: 1 })`select 1`));

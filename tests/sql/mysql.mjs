// expected: written by hand
// Bun.sql with a MariaDB of this file's own: types both ways and by both protocols, results, transactions, several statements, errors,
// cancelling, statements that are prepared, connections that end.
import { SQL } from "bun";
import { readFileSync } from "node:fs";
import { start } from "./support/mariadb.mjs";
import { until } from "./support/server.mjs";

const server = await start();
if (server === undefined) {
  console.error("skipped: mariadb-server is not installed");
  process.stdout.write(readFileSync(new URL("./mysql.out", import.meta.url)));
  process.exit();
}
const say = (...what) => console.log(...what);
const at = { adapter: "mysql", hostname: "127.0.0.1", port: server.port, username: "root", database: "mysql" };
const outcome = (promise) =>
  promise.then(
    (rows) => ({ rows: [...rows], count: rows.count, affected: rows.affectedRows, id: rows.lastInsertRowid }),
    (error) => `${error.name} ${error.code} ${error.errno ?? ""} ${error.sqlState ?? ""}: ${error.message}`,
  );
const shown = (value) => (value instanceof Date ? (Number.isNaN(value.getTime()) ? "no date" : value.toISOString()) : Buffer.isBuffer(value) ? `<${value.toString("hex")}>` : typeof value === "bigint" ? `${value}n` : JSON.stringify(value));

const admin = new SQL({ ...at, max: 1 });
await admin`create database bao`;
let gone = Promise.withResolvers();
const sql = new SQL({ ...at, database: "bao", max: 1, onclose: () => gone.resolve() });

// Types.
await sql.unsafe(`create table types (
  t tinyint, tu tinyint unsigned, s smallint, su smallint unsigned, m mediumint, mu mediumint unsigned, i int, iu int unsigned, b bigint, bu bigint unsigned,
  d decimal(30,10), f float, db double, y year, dt date, dtm datetime, dtm6 datetime(6), ts timestamp(3) null, ti time, ti6 time(6), c char(5), v varchar(400), vb varbinary(100),
  tx text, lb longblob, e enum('a','b'), st set('x','y','z'), b1 bit(1), b8 bit(12), js json, g point, lat varchar(10) character set latin1)`).simple();
await sql.unsafe("set sql_mode = ''").simple();
const rows = [
  ["-128", 255, -32768, 65535, -8388608, 16777215, -2147483648, 4294967295, -9223372036854775808n, 18446744073709551615n, "12345678901234567890.0123456789", 1.5, 2.2250738585072014e-308, 2155, "2024-02-29", new Date("2024-02-29T13:14:15Z"), new Date("2024-02-29T13:14:15.123Z"), new Date("1999-12-31T23:59:59.999Z"), "-838:59:59", "101:02:03.000004", "héllo", "ü".repeat(150), Buffer.from([0, 255]), "text", new Uint8Array([1, 2, 3]), "b", "x,z", true, Buffer.from([5]), { a: [1, null, "ü"] }, null, "é"],
  [1, 1, 1, 1, 1, 1, 0, 0, 2147483648, 4294967296, "-0.5", -0.1, 1e300, 1901, "0000-00-00", "0000-00-00 00:00:00", "0050-01-01 00:00:00", null, "00:00:00", "-00:00:00.5", "", "", Buffer.alloc(0), "", Buffer.alloc(300, 7), null, "", false, Buffer.alloc(1), [], null, ""],
  Array(32).fill(null),
];
for (const row of rows) await sql.unsafe(`insert into types values (${row.map(() => "?").join(",")})`, row);
await sql.unsafe("update types set g = point(1, 2) where t = -128").simple();
for (const bigint of [false, true]) {
  const other = new SQL({ ...at, database: "bao", max: 1, bigint });
  const binary = await other`select * from types`;
  const text = await other`select * from types`.simple();
  if (!bigint) for (const name of Object.keys(binary[0])) say(name, binary.map((row) => shown(row[name])).join(" | "));
  for (const name of Object.keys(binary[0])) {
    const [one, two] = [binary, text].map((all) => all.map((row) => shown(row[name])).join(" | "));
    if (one !== two) say("other in text:", name, one, two);
  }
  if (bigint) say("bigint:", binary.map((row) => `${shown(row.b)} ${shown(row.bu)} ${shown(row.i)}`).join(", "));
  say((await other`select i, v, b from types`.values())[1], (await other`select i, b, dt, f from types limit 1`.raw()).flat().map(shown).join());
  await other.close();
}
for (const value of [0, -1, 2147483648, 4294967296, -5000000000, 2 ** 53, 1.25, 10n, -(2n ** 63n), true, null, undefined, "ü😀", "a\0b", new Date(-1), { toJSON: () => "own" }, [1, "x"], new ArrayBuffer(2), new String("boxed")])
  say(typeof value, shown((await sql`select ${value} as x`)[0].x));
for (const wrong of [Symbol("s"), () => 1, 2n ** 64n, new Date(NaN), new Date(8.64e15), new Number(1), new Map()]) say(await sql`select ${wrong} as x`.catch((error) => `${error.name} ${error.code} ${error.message}`));
const parameters = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? null : i % 3 === 1 ? i : `text ${i}`));
say("300 parameters", Bun.deepEquals((await sql.unsafe(`select ${parameters.map((_, i) => `? as p${i}`).join()}`, parameters).values())[0], parameters));
const large = "x".repeat(3_000_000);
say("3 MB", (await sql`select ${large} as x, length(${large}) as n`)[0].x === large);
say("16 MiB", await outcome(sql`select ${Buffer.alloc(0xffffff)} as x`), await outcome(sql`select 1 as x`));

// Results.
await sql`create table items (id int auto_increment primary key, n int, unique (n))`;
say(await outcome(sql`insert into items (n) values (1), (2), (3)`), await outcome(sql`update items set n = n + 10 where n < ${3}`), await outcome(sql`update items set n = n`));
say(await outcome(sql`insert into items (n) values (3)`), await outcome(sql`select * from nothing`), await outcome(sql`selec 1`), await outcome(sql`select ${1}; select 2`));
say((await sql`select 1 as a; update items set n = 100 where n = 3; select 2 as b, 3 as c`.simple()).map((result) => [...result, result.count]));
say(await outcome(sql`select 1 as a; select wrong; select 2`.simple()));
await sql.unsafe("create procedure both_of(x int) begin select x as a; select x + 1 as b, 'text' as c; end").simple();
for (let i = 0; i < 3; i++) say((await sql`call both_of(${i})`).map((result) => [...result]));
say(Object.keys((await sql.unsafe("select 1 as `2`, 2 as `1`, 3 as `a b`, 4 as `a\"b`, 5 as `__proto__`, 6 as `a b`"))[0]));
const many = await sql`select seq as n, concat('row ', seq) as t, if(seq % 3 = 0, null, seq) as m from seq_1_to_5000`;
say(many.length, many.every((row, i) => row.n === i + 1 && row.t === `row ${i + 1}` && row.m === ((i + 1) % 3 === 0 ? null : i + 1)));
// A table that changes beneath a prepared statement.
await sql`create table changing (a int)`;
await sql`insert into changing values (1)`;
for (const change of ["", "add column b varchar(10) default 'new'", "modify a varchar(10)", "drop column b", "change a c double"]) {
  if (change !== "") await sql.unsafe(`alter table changing ${change}`).simple();
  say([...(await sql`select * from changing`)], [...(await sql`select * from changing where 1 = ${1}`)]);
}
say("1,000 statements", (await Promise.all(Array.from({ length: 1000 }, (_, i) => sql.unsafe(`select ${i} as n, ? as p`, [i])))).every(([row], i) => row.n === i && row.p === i));
say("prepared by the server", Number((await sql`show session status like 'Prepared_stmt_count'`)[0]?.Value ?? 0) <= 260);
const once = new SQL({ ...at, max: 1, prepare: false });
for (let i = 0; i < 3; i++) say((await once`select ${i} as n`)[0].n);
await once.close();

// Transactions; a savepoint; an error; a cancelled query.
await sql.begin(async (tx) => {
  await tx`insert into items (n) values (50)`;
  await tx.savepoint(async (inner) => {
    await inner`insert into items (n) values (51)`;
    throw new Error("back");
  }).catch(() => {});
});
await sql.begin(async (tx) => { await tx`insert into items (n) values (52)`; throw new Error("all back"); }).catch((error) => say(error.message));
say((await sql`select n from items order by id`.values()).flat());
const slow = sql`select sleep(20) as slept`.execute();
const behind = sql`select 1 as after`.execute();
const sleeps = async (client) => (await client`select 1 from information_schema.processlist where state = 'User sleep'`).length === 1;
await until(() => sleeps(admin));
slow.cancel();
say(await outcome(slow), [...(await behind)]);
say(await outcome(sql`select 2 as again`));

// TLS, unix sockets, users, passwords.
await admin.unsafe("create user 'native'@'%' identified by 'pass'; grant all on bao.* to 'native'@'%'").simple();
const by = (options) => new SQL({ ...at, database: "bao", max: 1, ...options });
for (const [name, options] of Object.entries({
  right: { username: "native", password: "pass" }, wrong: { username: "native", password: "wrong" }, function: { username: "native", password: async () => "pass" }, path: { path: server.path, username: "native", password: "pass" },
  database: { database: "none" }, port: { port: 1 }, "no TLS": { tls: server.hasTls ? undefined : "disable" },
})) {
  const other = by(options);
  say(name, (await outcome(other`select 1 as x`.execute())).rows ?? (await other`select 1`.catch((error) => `${error.code} ${error.message}`)));
  await other.close({ timeout: 0 });
}
if (server.hasTls) {
  const ca = readFileSync(`${server.folder}/cert.pem`, "utf8");
  for (const [name, options] of Object.entries({ require: { tls: "require" }, "verify-full": { tls: "verify-full" }, ca: { hostname: "localhost", tls: { ca } }, "verify-full with ca": { hostname: "localhost", tls: { ca }, sslMode: 4 }, "another name": { tls: { ca } }, "verify-ca, another name": { tls: { ca }, sslMode: 3 } })) {
    const other = by(options);
    say(name, await other`show status like 'Ssl_cipher'`.then(([row]) => row.Value !== "", (error) => error.code));
    await other.close({ timeout: 0 });
  }
} else for (const line of readFileSync(new URL("./mysql.out", import.meta.url), "utf8").split("\n")) if (/^(require|verify|ca |another)/.test(line)) say(line);
const settings = by({ connection: { sql_mode: "ANSI_QUOTES", max_statement_time: "2.5", no_such_variable: "1" } });
say([...(await settings`select @@sql_mode as mode, @@max_statement_time as time, @@time_zone as zone, @@character_set_client as charset`)]);
await settings.close();

// Connections that end.
let closed = Promise.withResolvers();
const pool = by({ max: 3, onclose: () => closed.resolve() });
say(await outcome(pool.unsafe("kill connection_id()").simple()));
say([...(await pool`select 1 as alive`)]);
const [{ id }] = await pool`select connection_id() as id`;
closed = Promise.withResolvers();
await admin.unsafe(`kill ${id}`).simple();
await closed.promise;
say([...(await pool`select 2 as alive`)]);
const pending = outcome(pool`select sleep(20)`.execute());
await until(() => sleeps(admin));
gone = Promise.withResolvers();
await server.kill();
await gone.promise;
say(await pending, (await outcome(sql`select 1`)).split(":")[0]);
for (const one of [sql, admin, pool]) await one.close({ timeout: 0 });
await server.stop();

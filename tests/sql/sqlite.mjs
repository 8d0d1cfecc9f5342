// expected: written by hand
// Bun.SQL with SQLite: helpers, results, transactions, errors, options.
import { SQL } from "bun";

const say = (...what) => console.log(...what);
const outcome = (promise) => Promise.resolve(promise).then((value) => value, (error) => `${error.name} ${error.code ?? ""}: ${error.message}`);
const sql = new SQL("sqlite://:memory:");
say(sql.options);
const about = (result) => [[...result], result.count, result.command, result.lastInsertRowid, result.affectedRows];
say(about(await sql`create table t (a, b)`));
say(about(await sql`insert into t ${sql([{ a: 1, b: "x" }, { a: 2 }])}`));
say(about(await sql`insert into t ${sql({ a: undefined, b: "y" })} returning *`));
say(about(await sql`update t set ${sql({ b: "z" })} where a = ${2}`));
say(about(await sql`update t ${sql({ b: "w" })} where a in ${sql([2, 3])}`));
say(about(await sql`delete from t where a is null`));
say(about(await sql`select * from t ${sql`where b = ${"w"}`} order by a`));
say(about(await sql`select a from t where a in ${sql([{ a: 1 }, { a: 2 }], "a")} and a not in ${sql([])}`));
say(about(await sql`with x as (select 1 as a) select * from x`), about(await sql`pragma user_version`));
say(await sql`select a, b from t`.values(), await sql`select 'x' as a, null as b`.raw());
say(await sql.unsafe("select ?2 as b, ?1 as a", [1, 2]));
say(await sql`select 1 as ${sql('od"d')}`);
// Values, and mistakes.
say(await sql`select ${undefined} as a, ${true} as b, ${5n} as c, ${new Uint8Array([1])} as d, ${"'; drop table t; --"} as e`);
for (const wrong of [() => sql`select ${{ a: 1 }}`, () => sql`select ${Symbol("s")}`, () => sql`selec`, () => sql`select * from missing`, () => sql`select ${2n ** 70n}`, () => sql("t"), () => sql``,
  () => sql`insert into t ${sql([])}`, () => sql`insert into t ${sql({ a: undefined })}`, () => sql`update t set ${sql({})}`, () => sql`update t set ${sql([{ a: 1 }, { a: 2 }])}`,
  () => sql`select ${sql({ a: 1 })}`, () => sql`select 1 where 1 in ${sql([{ a: 1, b: 2 }], "a", "b")}`, () => sql`select 'insert into' ${sql({ a: 1 })}`,
  async () => sql`insert into t ${sql({ a: 1 }, Symbol("key"))}`, async () => sql(() => {}), () => sql.reserve(), async () => sql.array([1]), async () => sql.listen("a", () => {}),
  () => sql.beginDistributed("a", () => 1), () => sql.commitDistributed("a"), () => sql.begin("read only", () => 1), () => sql.begin("a; b", () => 1), () => sql.begin("nothing")]) {
  say(await outcome(wrong()));
}
// Transactions.
const count = async () => (await sql`select count(*) as n from t`)[0].n;
say(await outcome(sql.begin(async (tx) => { await tx`insert into t values (10, 10)`; throw new Error("no"); })), await count());
say(await sql.begin(async (tx) => {
  await tx`insert into t values (11, 11)`;
  await tx.savepoint("inner", async (inner) => { await inner`insert into t values (12, 12)`; throw new Error("undo"); }).catch(() => {});
  return [tx`select count(*) as n from t`, tx`select 1 as x`];
}), await count());
say((await Promise.all([1, 2, 3].map((i) => sql.begin("immediate", async (tx) => { await Bun.sleep(5); return tx`select ${i} as x`; })))).map(([{ x }]) => x));
// While a transaction waits, others are not held up.
await sql.begin(async (tx) => { await sql`insert into t values (13, 13)`; await tx`insert into t values (14, 14)`; });
say(await count());
const query = sql`select 1`;
say(query.active, query.cancelled, query.cancel().cancelled, await outcome(query));
const events = [];
const other = new SQL({ adapter: "sqlite", filename: ":memory:", onconnect: (error) => events.push(error), onclose: (error) => events.push(error.code), transform: SQL.camel });
say(await other`select 1 as a_long_name`);
await other.close();
say(events, await outcome(other`select 1`));
say(await outcome(new SQL("sqlite:///nowhere/x.db")`select 1`));
await sql.close();

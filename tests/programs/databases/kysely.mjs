import { Kysely, PostgresDialect, MysqlDialect, SqliteDialect, sql } from "kysely";
import { PG, MY, say, outcome, end } from "./support/servers.mjs";
async function run(name, dialect, text) {
  const db = new Kysely({ dialect });
  await db.schema.dropTable("ky_pets").ifExists().execute();
  await db.schema.dropTable("ky_people").ifExists().execute();
  let people = db.schema.createTable("ky_people").addColumn("id", "integer", (c) => c.primaryKey()).addColumn("name", text, (c) => c.notNull()).addColumn("age", "integer").addColumn("height", "double precision");
  await people.execute();
  await db.schema.createTable("ky_pets").addColumn("id", "integer", (c) => c.primaryKey()).addColumn("owner", "integer").addColumn("kind", text).execute();
  const made = await db.insertInto("ky_people").values([{ id: 1, name: "Ada", age: 36, height: 1.65 }, { id: 2, name: "Gr\u00e4ce", age: null, height: null }, { id: 3, name: "Linus", age: 50, height: 1.8 }]).executeTakeFirst();
  say(name, String(made.numInsertedOrUpdatedRows));
  await db.insertInto("ky_pets").values([{ id: 1, owner: 1, kind: "cat" }, { id: 2, owner: 1, kind: "dog" }, { id: 3, owner: 3, kind: "gnu" }]).execute();
  say(name, await db.selectFrom("ky_people").selectAll().where("age", ">", 40).execute());
  say(name, await db.selectFrom("ky_people as p").leftJoin("ky_pets as q", "q.owner", "p.id").select(["p.name", (eb) => eb.fn.count("q.id").as("pets")]).groupBy("p.name").orderBy("p.name").execute().then((rows) => rows.map((r) => [r.name, Number(r.pets)])));
  const updated = await db.updateTable("ky_people").set({ age: 37 }).where("id", "=", 1).executeTakeFirst();
  say(name, String(updated.numUpdatedRows));
  say(name, await outcome(db.transaction().execute(async (trx) => {
    await trx.insertInto("ky_people").values({ id: 9, name: "x", age: 1, height: 1 }).execute();
    throw new Error("no");
  })));
  await db.transaction().setIsolationLevel("serializable").execute(async (trx) => { await trx.deleteFrom("ky_people").where("id", "=", 2).execute(); }).catch((e) => say(name, e.message));
  say(name, (await db.selectFrom("ky_people").select("id").orderBy("id").execute()).map((r) => r.id));
  const streamed = [];
  for await (const row of db.selectFrom("ky_people").select(["id", "name"]).orderBy("id").stream(1)) streamed.push(row.name);
  say(name, streamed);
  say(name, (await sql`select ${7} as n`.execute(db)).rows.map((r) => Number(r.n)));
  say(name, (await db.introspection.getTables()).filter((t) => t.name.startsWith("ky_")).map((t) => [t.name, t.columns.map((c) => c.name).sort()]).sort());
  const failed = await db.selectFrom("ky_nothing").selectAll().execute().then(() => 0, (e) => e.code);
  say(name, failed);
  await db.destroy();
}
{ const pg = (await import("pg")).default; const { default: Cursor } = await import("pg-cursor"); await run("pg", new PostgresDialect({ pool: new pg.Pool({ connectionString: PG }), cursor: Cursor }), "text"); }
{ const { createPool } = await import("mysql2"); await run("mysql", new MysqlDialect({ pool: createPool(MY) }), "varchar(100)"); }
{ const { default: Database } = await import("better-sqlite3"); await run("sqlite", new SqliteDialect({ database: new Database(":memory:") }), "text"); }
await end();

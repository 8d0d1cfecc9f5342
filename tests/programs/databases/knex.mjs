import knexModule from "knex";
import { PG, MY, say, outcome, end } from "./support/servers.mjs";

async function run(which) {
  const config = { pg: { client: "pg", connection: PG }, mysql: { client: "mysql2", connection: MY }, sqlite: { client: "better-sqlite3", connection: { filename: ":memory:" }, useNullAsDefault: true } }[which];
  const db = knexModule(config);
  await db.schema.dropTableIfExists("kn_pets");
  await db.schema.dropTableIfExists("kn_people");
  await db.schema.createTable("kn_people", (t) => { t.increments("id"); t.string("name").notNullable(); t.integer("age"); t.float("height"); t.boolean("active").defaultTo(true); t.json("data"); t.unique(["name"]); });
  await db.schema.createTable("kn_pets", (t) => { t.increments("id"); t.integer("owner").unsigned().references("id").inTable("kn_people"); t.string("kind"); });
  const ids = await db("kn_people").insert({ name: "Ada", age: 36, data: JSON.stringify({ a: [1] }) }, which === "mysql" ? undefined : ["id"]);
  say(which, ids);
  await db("kn_people").insert([{ name: "Gr\u00e4ce" }, { name: "Linus", age: 50, active: false }]);
  await db("kn_pets").insert([{ owner: 1, kind: "cat" }, { owner: 1, kind: "dog" }]);
  say(which, await db("kn_people").select("id", "name", "age").where("age", ">", 30).orWhereNull("age").orderBy("id"));
  say(which, (await db("kn_people").first("active", "data").where({ id: 1 })));
  say(which, await db("kn_people as p").join("kn_pets as q", "q.owner", "p.id").select("p.name", "q.kind").orderBy("q.id"));
  say(which, Number((await db("kn_people").count("* as n"))[0].n), Number((await db("kn_people").sum("age as s"))[0].s));
  say(which, await db("kn_people").where({ id: 1 }).update({ age: 37 }), await db("kn_people").where({ id: 2 }).del());
  say(which, (await outcome(db("kn_people").insert({ name: "Ada" }))).replace(/kn_people[^\n]*$/, "").slice(0, 60));
  say(which, await outcome(db.transaction(async (trx) => { await trx("kn_people").insert({ name: "x" }); throw new Error("no"); })));
  await db.transaction(async (trx) => { await trx("kn_people").insert({ name: "y" }); const sp = await trx.transaction(); await sp("kn_people").insert({ name: "z" }); await sp.rollback(); });
  say(which, (await db("kn_people").orderBy("id").pluck("name")));
  const rows = [];
  for await (const row of db("kn_people").select("name").orderBy("id").stream()) rows.push(row.name);
  say(which, rows);
  say(which, (await db.schema.hasTable("kn_people")), (await db.schema.hasColumn("kn_people", "nope")), Object.keys(await db("kn_people").columnInfo()).sort());
  const raw = await db.raw("select ? as n", [3]);
  say(which, Number((raw.rows ?? raw[0]?.[0] ?? raw[0])[0]?.n ?? (raw[0]?.n ?? raw[0][0].n)));
  await db.destroy();
  say(which, (await outcome(db("kn_people").select())).slice(0, 60));
}
for (const which of ["pg", "mysql", "sqlite"]) await run(which);
await end();

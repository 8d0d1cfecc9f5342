// expected: recorded from Node 25
// Drizzle's three dialects, each over the drivers that Node has; under bao also over Bun.sql and bun:sqlite, whose output must be the same.
import { and, asc, count, eq, gt, isNull, or, relations, sql } from "drizzle-orm";
import * as my from "drizzle-orm/mysql-core";
import * as pg from "drizzle-orm/pg-core";
import * as lite from "drizzle-orm/sqlite-core";
import { PG, MY, say, outcome, end } from "./support/servers.mjs";

const tables = {
  pg: {
    people: pg.pgTable("dz_people", { id: pg.serial("id").primaryKey(), name: pg.text("name").notNull().unique(), age: pg.integer("age"), born: pg.timestamp("born", { mode: "date" }), data: pg.jsonb("data"), big: pg.bigint("big", { mode: "bigint" }), tags: pg.json("tags"), active: pg.boolean("active").default(true) }),
    pets: pg.pgTable("dz_pets", { id: pg.serial("id").primaryKey(), owner: pg.integer("owner"), kind: pg.text("kind").notNull() }),
    create: ["drop table if exists dz_people", "drop table if exists dz_pets", "create table dz_people(id serial primary key, name text not null unique, age int, born timestamp, data jsonb, big bigint, tags json, active boolean default true)", "create table dz_pets(id serial primary key, owner int, kind text not null)"],
  },
  mysql: {
    people: my.mysqlTable("dz_people", { id: my.int("id").autoincrement().primaryKey(), name: my.varchar("name", { length: 50 }).notNull().unique(), age: my.int("age"), born: my.datetime("born", { mode: "date" }), data: my.json("data"), big: my.bigint("big", { mode: "bigint" }), tags: my.json("tags"), active: my.boolean("active").default(true) }),
    pets: my.mysqlTable("dz_pets", { id: my.int("id").autoincrement().primaryKey(), owner: my.int("owner"), kind: my.varchar("kind", { length: 20 }).notNull() }),
    create: ["drop table if exists dz_people", "drop table if exists dz_pets", "create table dz_people(id int auto_increment primary key, name varchar(50) not null unique, age int, born datetime, data json, big bigint, tags json, active boolean default true)", "create table dz_pets(id int auto_increment primary key, owner int, kind varchar(20) not null)"],
  },
  sqlite: {
    people: lite.sqliteTable("dz_people", { id: lite.integer("id").primaryKey({ autoIncrement: true }), name: lite.text("name").notNull().unique(), age: lite.integer("age"), born: lite.integer("born", { mode: "timestamp_ms" }), data: lite.text("data", { mode: "json" }), big: lite.blob("big", { mode: "bigint" }), tags: lite.text("tags", { mode: "json" }), active: lite.integer("active", { mode: "boolean" }).default(true) }),
    pets: lite.sqliteTable("dz_pets", { id: lite.integer("id").primaryKey({ autoIncrement: true }), owner: lite.integer("owner"), kind: lite.text("kind").notNull() }),
    create: ["drop table if exists dz_people", "drop table if exists dz_pets", "create table dz_people(id integer primary key autoincrement, name text not null unique, age int, born integer, data text, big blob, tags text, active integer default 1)", "create table dz_pets(id integer primary key autoincrement, owner int, kind text not null)"],
  },
};

function schemaOf(dialect) {
  const { people, pets } = tables[dialect];
  return {
    people,
    pets,
    peopleRelations: relations(people, ({ many }) => ({ pets: many(pets) })),
    petsRelations: relations(pets, ({ one }) => ({ person: one(people, { fields: [pets.owner], references: [people.id] }) })),
  };
}

async function run(dialect, db, isSync = false) {
  const { people, pets, create } = tables[dialect];
  const lines = [];
  const tell = (...what) => lines.push(what);
  for (const text of create) await (dialect === "sqlite" ? db.run(sql.raw(text)) : db.execute(sql.raw(text)));
  const rows = [
    { name: "Ada", age: 36, born: new Date(Date.UTC(2000, 0, 2, 3, 4, 5)), data: { a: [1, null] }, big: 9007199254740993n, tags: ["x", "y"] },
    { name: "Gräce", active: false },
    { name: "Linus", age: 50, data: "text" },
  ];
  const insert = db.insert(people).values(rows);
  tell("insert", dialect === "mysql" ? (await insert.$returningId()).map((r) => r.id) : (await insert.returning({ id: people.id })).map((r) => r.id));
  await db.insert(pets).values([{ owner: 1, kind: "cat" }, { owner: 1, kind: "dog" }, { owner: 3, kind: "gnu" }]);
  tell("all", await db.select().from(people).orderBy(asc(people.id)));
  tell("where", await db.select({ n: people.name }).from(people).where(or(gt(people.age, 40), isNull(people.age))).orderBy(asc(people.id)));
  tell("join", await db.select({ name: people.name, pets: count(pets.id) }).from(people).leftJoin(pets, eq(pets.owner, people.id)).groupBy(people.name).orderBy(people.name));
  tell("update", dialect === "mysql" ? (await db.update(people).set({ age: 37 }).where(eq(people.id, 1)), 37) : (await db.update(people).set({ age: 37 }).where(eq(people.id, 1)).returning({ age: people.age }))[0].age);
  if (dialect !== "mysql") tell("query", await db.query.people.findMany({ columns: { name: true }, with: { pets: { columns: { kind: true } } }, orderBy: asc(people.id) }));
  const prepared = db.select().from(pets).where(and(eq(pets.owner, sql.placeholder("who")), gt(pets.id, sql.placeholder("from")))).prepare("dz_by_owner");
  tell("prepared", await prepared.execute({ who: 1, from: 0 }), await prepared.execute({ who: 1, from: 1 }));
  const change = (tx) => tx.insert(people).values({ name: "x" });
  if (isSync) {
    try {
      db.transaction((tx) => {
        change(tx).run();
        throw new Error("no");
      });
    } catch (error) {
      tell("rollback", error.message);
    }
    db.transaction((tx) => void change(tx).run());
  } else {
    tell("rollback", await db.transaction(async (tx) => { await change(tx); throw new Error("no"); }).catch((error) => error.message));
    tell("nested", await db.transaction(async (tx) => {
      await change(tx);
      await tx.transaction(async (inner) => { await inner.delete(people); inner.rollback(); }).catch((error) => tell("inner", error.message));
      return (await tx.select({ n: count() }).from(people))[0].n;
    }));
  }
  tell("unique", await Promise.resolve().then(() => db.insert(people).values({ name: "Ada" })).then(() => "none", () => "refused"));
  tell("injection", (await db.select().from(people).where(eq(people.name, "'; drop table dz_people; --"))).length, (await db.select({ n: count() }).from(people))[0].n);
  await db.delete(people).where(eq(people.name, "x"));
  tell("left", (await db.select({ name: people.name }).from(people).orderBy(asc(people.id))).map((r) => r.name));
  return lines;
}

const text = (lines) => lines.map((line) => line.map((part) => (typeof part === "string" ? part : JSON.stringify(part, (_, value) => (typeof value === "bigint" ? `${value}n` : value)))).join(" ")).join("\n");
const isBun = process.versions.bun !== undefined;

/** The usual drivers are said; others must say the same as the first, and are not there in Node. */
async function dialect(name, drivers) {
  let first;
  for (const [driver, open] of drivers) {
    const lines = text(await open());
    if (first === undefined) say(`${name}\n${(first = lines)}`);
    else if (lines !== first) say(`${name} over ${driver} differs\n${lines}`);
  }
}

const schema = { pg: schemaOf("pg"), mysql: schemaOf("mysql"), sqlite: schemaOf("sqlite") };
await dialect("pg", [
  ["pg", async () => {
    const { drizzle } = await import("drizzle-orm/node-postgres");
    const db = drizzle(PG, { schema: schema.pg });
    const lines = await run("pg", db);
    await db.$client.end();
    return lines;
  }],
  ["postgres", async () => {
    const { drizzle } = await import("drizzle-orm/postgres-js");
    const { default: postgres } = await import("postgres");
    const client = postgres(PG, { onnotice: () => {} });
    const lines = await run("pg", drizzle(client, { schema: schema.pg }));
    await client.end();
    return lines;
  }],
  ...(isBun ? [["Bun.sql", async () => {
    const { drizzle } = await import("drizzle-orm/bun-sql");
    const client = new Bun.SQL(PG);
    const lines = await run("pg", drizzle({ client, schema: schema.pg }));
    await client.close();
    return lines;
  }]] : []),
]);
await dialect("mysql", [
  ["mysql2", async () => {
    const { drizzle } = await import("drizzle-orm/mysql2");
    const { createPool } = (await import("mysql2/promise")).default;
    const client = createPool(MY);
    const lines = await run("mysql", drizzle({ client, schema: schema.mysql, mode: "default" }));
    await client.end();
    return lines;
  }],
]);
await dialect("sqlite", [
  ["better-sqlite3", async () => {
    const { drizzle } = await import("drizzle-orm/better-sqlite3");
    return run("sqlite", drizzle(":memory:", { schema: schema.sqlite }), true);
  }],
  ...(isBun ? [["bun:sqlite", async () => {
    const { drizzle } = await import("drizzle-orm/bun-sqlite");
    return run("sqlite", drizzle(":memory:", { schema: schema.sqlite }), true);
  }]] : []),
]);
await end();

// expected: recorded from Node 25
// Prisma's client, generated here by its command, with the driver adapters of pg, mariadb and better-sqlite3.
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PG, MY, say, end } from "./support/servers.mjs";

const models = (provider) => `
generator client {
  provider = "prisma-client"
  output = "./client"
  moduleFormat = "esm"
  generatedFileExtension = "ts"
  importFileExtension = "ts"
}
datasource db {
  provider = "${provider}"
}
model Person {
  id    Int       @id @default(autoincrement())
  name  String    @unique${provider === "mysql" ? " @db.VarChar(50)" : ""}
  age   Int?
  born  DateTime?
  data  Json?
  big   BigInt?
  price Decimal?
  bytes Bytes?
  pets  Pet[]
  @@map("pr_person")
}
model Pet {
  id      Int     @id @default(autoincrement())
  kind    String
  ownerId Int?
  owner   Person? @relation(fields: [ownerId], references: [id], onDelete: Cascade)
  @@map("pr_pet")
}
`;
const create = {
  postgresql: ["drop table if exists pr_pet", "drop table if exists pr_person", `create table pr_person(id serial primary key, name text not null unique, age int, born timestamp(3), data jsonb, big bigint, price decimal(65,30), bytes bytea)`, `create table pr_pet(id serial primary key, kind text not null, "ownerId" int references pr_person(id) on delete cascade)`],
  mysql: ["drop table if exists pr_pet", "drop table if exists pr_person", "create table pr_person(id int auto_increment primary key, name varchar(50) not null unique, age int, born datetime(3), data json, big bigint, price decimal(65,30), bytes longblob)", "create table pr_pet(id int auto_increment primary key, kind varchar(191) not null, ownerId int, foreign key (ownerId) references pr_person(id) on delete cascade)"],
  sqlite: ["create table pr_person(id integer primary key autoincrement, name text not null unique, age int, born datetime, data jsonb, big bigint, price decimal, bytes blob)", "create table pr_pet(id integer primary key autoincrement, kind text not null, ownerId int references pr_person(id) on delete cascade)"],
};

/** Generates a client and imports it. Only its command for schemas needs the engine that Prisma downloads. */
async function clientOf(provider) {
  const folder = mkdtempSync(path.join(import.meta.dirname, "prisma-"));
  writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(path.join(folder, "schema.prisma"), models(provider));
  const command = path.join(import.meta.dirname, "node_modules/prisma/build/index.js");
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true", PRISMA_ENGINES_CHECKSUM_IGNORE_MISSING: "1", CHECKPOINT_DISABLE: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, "generate", "--schema", "schema.prisma"], { cwd: folder, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`prisma generate ended with ${status}\n${stdout}${stderr}`);
  return (await import(path.join(folder, "client/client.ts"))).PrismaClient;
}

const plain = (value) => JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${each}n` : each));

async function run(provider, adapter) {
  const PrismaClient = await clientOf(provider);
  const db = new PrismaClient({ adapter });
  for (const text of create[provider]) await db.$executeRawUnsafe(text);
  const ada = await db.person.create({ data: { name: "Ada", age: 36, born: new Date(Date.UTC(2000, 0, 2, 3, 4, 5, 678)), data: { a: [1, null] }, big: 9007199254740993n, price: "12.5", bytes: Buffer.from([0, 1, 255]), pets: { create: [{ kind: "cat" }, { kind: "dog" }] } }, include: { pets: true } });
  say(provider, plain(ada), ada.born instanceof Date, ada.price.plus(1).toString(), ada.bytes instanceof Uint8Array);
  say(provider, await db.person.createMany({ data: [{ name: "Gräce" }, { name: "Linus", age: 50 }] }));
  say(provider, plain(await db.person.findMany({ where: { OR: [{ age: { gt: 40 } }, { age: null }] }, orderBy: { id: "asc" }, select: { name: true, age: true, _count: { select: { pets: true } } } })));
  say(provider, plain(await db.person.aggregate({ _sum: { age: true }, _count: true, _max: { age: true } })), plain(await db.pet.groupBy({ by: ["ownerId"], _count: true })));
  say(provider, plain(await db.person.update({ where: { name: "Ada" }, data: { age: { increment: 1 } }, select: { age: true } })), plain(await db.person.upsert({ where: { name: "New" }, update: {}, create: { name: "New" }, select: { name: true } })));
  say(provider, await db.person.create({ data: { name: "Ada" } }).catch((error) => [error.name, error.code]));
  say(provider, await db.$transaction(async (tx) => { await tx.person.create({ data: { name: "x" } }); throw new Error("no"); }).catch((error) => error.message), await db.person.count());
  say(provider, plain(await db.$transaction([db.person.count(), db.pet.count()])));
  say(provider, plain((await db.$queryRaw`select name from pr_person where name = ${"'; drop table pr_pet; --"} or age = ${50}`)));
  say(provider, (await db.person.delete({ where: { id: ada.id } })).name, await db.pet.count());
  await db.$disconnect();
}
{ const { PrismaPg } = await import("@prisma/adapter-pg"); await run("postgresql", new PrismaPg({ connectionString: PG })); }
{ const { PrismaMariaDb } = await import("@prisma/adapter-mariadb"); await run("mysql", new PrismaMariaDb(MY.replace("mysql:", "mariadb:"))); }
{ const { PrismaBetterSqlite3 } = await import("@prisma/adapter-better-sqlite3"); await run("sqlite", new PrismaBetterSqlite3({ url: ":memory:" })); }
await end();

import "reflect-metadata";
import { DataSource, EntitySchema } from "typeorm";
import { PG, MY, say, end } from "./support/servers.mjs";

async function run(which) {
  const Person = new EntitySchema({ name: "ty_person", columns: { id: { type: Number, primary: true, generated: true }, name: { type: String, unique: true, length: 50 }, age: { type: Number, nullable: true }, born: { type: Date, nullable: true }, tags: { type: "simple-json", nullable: true } }, relations: { pets: { type: "one-to-many", target: "ty_pet", inverseSide: "owner", cascade: true } } });
  const Pet = new EntitySchema({ name: "ty_pet", columns: { id: { type: Number, primary: true, generated: true }, kind: { type: String } }, relations: { owner: { type: "many-to-one", target: "ty_person", inverseSide: "pets", onDelete: "CASCADE" } } });
  const options = { pg: { type: "postgres", url: PG }, mysql: { type: "mysql", url: MY }, mariadb: { type: "mariadb", url: MY }, sqlite: { type: "better-sqlite3", database: ":memory:" } }[which];
  const db = new DataSource({ ...options, entities: [Person, Pet], synchronize: true, dropSchema: which === "sqlite" });
  if (which !== "sqlite") { const pre = new DataSource({ ...options, entities: [] }); await pre.initialize(); await pre.query("drop table if exists ty_pet"); await pre.query("drop table if exists ty_person"); await pre.destroy(); }
  await db.initialize();
  const people = db.getRepository(Person);
  const ada = await people.save({ name: "Ada", age: 36, born: new Date(Date.UTC(2000, 0, 2)), tags: { a: 1 }, pets: [{ kind: "cat" }, { kind: "dog" }] });
  await people.save([{ name: "Gr\u00e4ce" }, { name: "Linus", age: 50 }]);
  say(which, ada.id, ada.pets.map((p) => p.id));
  const found = await people.findOne({ where: { name: "Ada" }, relations: { pets: true } });
  say(which, { ...found, born: found.born instanceof Date });
  say(which, await people.createQueryBuilder("p").select(["p.id", "p.name"]).where("p.age > :age or p.age is null", { age: 40 }).orderBy("p.id").getMany());
  say(which, await people.count(), await people.sum("age").then(Number), (await people.update({ id: ada.id }, { age: 37 })).affected);
  say(which, await people.save({ name: "Ada" }).then(() => 0, (e) => e.name));
  say(which, await db.transaction(async (m) => { await m.getRepository(Person).save({ name: "x" }); throw new Error("no"); }).catch((e) => e.message));
  say(which, (await people.delete({ id: ada.id })).affected, await db.getRepository(Pet).count(), (await people.find({ order: { id: "ASC" } })).map((p) => p.name));
  const stream = await people.createQueryBuilder("p").orderBy("p.id").stream().catch((e) => e.message);
  if (typeof stream === "string") say(which, stream); else { const rows = []; for await (const row of stream) rows.push(row.p_name); say(which, rows); }
  await db.destroy();
}
for (const which of ["pg", "mysql", "mariadb", "sqlite"]) await run(which);
await end();

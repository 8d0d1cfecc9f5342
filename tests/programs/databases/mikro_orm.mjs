import { EntitySchema, Collection } from "@mikro-orm/core";
import { PG, MY, say, end } from "./support/servers.mjs";

async function run(which) {
  class Person { pets = new Collection(this); }
  class Pet {}
  const PersonSchema = new EntitySchema({ class: Person, tableName: "mi_person", properties: { id: { type: "integer", primary: true }, name: { type: "string", unique: true }, age: { type: "integer", nullable: true }, born: { type: "datetime", nullable: true }, data: { type: "json", nullable: true }, pets: { kind: "1:m", entity: () => Pet, mappedBy: "owner" } } });
  const PetSchema = new EntitySchema({ class: Pet, tableName: "mi_pet", properties: { id: { type: "integer", primary: true }, kind: { type: "string" }, owner: { kind: "m:1", entity: () => Person } } });
  const module = await import({ pg: "@mikro-orm/postgresql", mysql: "@mikro-orm/mariadb", sqlite: "@mikro-orm/sqlite" }[which]);
  const orm = await module.MikroORM.init({ entities: [PersonSchema, PetSchema], ...(which === "sqlite" ? { dbName: ":memory:" } : { clientUrl: which === "pg" ? PG : MY.replace("mysql:", "mariadb:"), dbName: which === "pg" ? "postgres" : "test" }), debug: false });
  const generator = orm.schema ?? orm.getSchemaGenerator();
  const raw = orm.em.getConnection();
  await raw.execute("drop table if exists mi_pet"); await raw.execute("drop table if exists mi_person");
  await generator.create();
  const em = orm.em.fork();
  const ada = em.create(Person, { name: "Ada", age: 36, born: new Date(Date.UTC(2000, 0, 2)), data: { a: [1] } });
  em.create(Pet, { kind: "cat", owner: ada }); em.create(Pet, { kind: "dog", owner: ada });
  em.create(Person, { name: "Gr\u00e4ce" });
  await em.flush();
  say(which, ada.id);
  const other = orm.em.fork();
  const found = await other.findOne(Person, { name: "Ada" }, { populate: ["pets"] });
  say(which, found.name, found.age, found.born instanceof Date, found.data, found.pets.getItems().map((p) => p.kind).sort());
  found.age = 37; await other.flush();
  say(which, await orm.em.fork().count(Person), (await orm.em.fork().find(Person, { $or: [{ age: { $gt: 30 } }, { age: null }] }, { orderBy: { id: "asc" } })).map((p) => [p.id, p.name, p.age]));
  say(which, await orm.em.fork().transactional(async (t) => { t.create(Person, { name: "x" }); await t.flush(); throw new Error("no"); }).catch((e) => e.message));
  const dup = orm.em.fork(); dup.create(Person, { name: "Ada" });
  say(which, await dup.flush().then(() => 0, (e) => e.name));
  say(which, await orm.em.fork().nativeDelete(Pet, { kind: "cat" }), await orm.em.fork().count(Pet));
  say(which, (await orm.em.fork().getConnection().execute("select count(*) as n from mi_person")).map((r) => Number(r.n)));
  await orm.close();
}
for (const which of ["pg", "mysql", "sqlite"]) await run(which);
await end();

import { Sequelize, DataTypes, Op } from "sequelize";
import { PG, MY, say, end } from "./support/servers.mjs";

async function run(which) {
  const db = which === "pg" ? new Sequelize(PG, { logging: false }) : which === "mysql" ? new Sequelize(MY, { logging: false }) : which === "mariadb" ? new Sequelize(MY.replace("mysql:", "mariadb:"), { logging: false, dialect: "mariadb" }) : new Sequelize({ dialect: "sqlite", storage: ":memory:", logging: false });
  const Person = db.define("sq_person", { name: { type: DataTypes.STRING(50), allowNull: false, unique: true }, age: DataTypes.INTEGER, born: DataTypes.DATEONLY, data: DataTypes.JSON, height: DataTypes.DOUBLE, big: DataTypes.BIGINT, active: { type: DataTypes.BOOLEAN, defaultValue: true } }, { timestamps: false });
  const Pet = db.define("sq_pet", { kind: DataTypes.STRING }, { timestamps: true });
  Person.hasMany(Pet); Pet.belongsTo(Person);
  await db.authenticate();
  await db.drop(); await db.sync({ force: true });
  const ada = await Person.create({ name: "Ada", age: 36, born: "1815-12-10", data: { a: [1, null] }, height: 1.5, big: "9007199254740993" });
  await Person.bulkCreate([{ name: "Gr\u00e4ce", age: null }, { name: "Linus", age: 50, active: false }]);
  await ada.createSq_pet({ kind: "cat" });
  say(which, ada.id, (await Person.findOne({ where: { name: "Ada" } })).toJSON());
  say(which, (await Person.findAll({ where: { [Op.or]: [{ age: { [Op.gt]: 40 } }, { age: null }] }, order: ["id"], raw: true })).map((r) => [r.id, r.name, r.active]));
  say(which, (await Person.findAll({ include: Pet, order: ["id"] })).map((p) => [p.name, p.sq_pets.map((q) => [q.kind, q.createdAt instanceof Date])]));
  say(which, await Person.count(), await Person.sum("age"), await Person.max("age"));
  say(which, await Person.update({ age: 37 }, { where: { id: 1 } }).then(([n]) => n), (await Person.findByPk(1)).age);
  say(which, await Person.create({ name: "Ada" }).then(() => 0, (e) => [e.name, e.errors?.map((x) => x.type)]));
  say(which, await db.transaction(async (t) => { await Person.create({ name: "x" }, { transaction: t }); throw new Error("no"); }).catch((e) => e.message));
  say(which, await Person.destroy({ where: { id: 2 } }), (await Person.findAll({ order: ["id"], attributes: ["name"], raw: true })));
  say(which, await Person.findOrCreate({ where: { name: "New" }, defaults: { age: 1 } }).then(([p, made]) => [p.name, made]));
  say(which, await db.query("select 1 + :n as n", { replacements: { n: 2 }, type: "SELECT" }).then((r) => Number(r[0].n)));
  await db.close();
}
for (const which of ["pg", "mysql", "mariadb"]) await run(which);
await end();

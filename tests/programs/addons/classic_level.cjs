const { ClassicLevel } = require("classic-level");
const fs = require("fs");
const dir = fs.mkdtempSync("/tmp/lvl");
(async () => {
  const db = new ClassicLevel(dir);
  await db.put("a", "1");
  await db.batch([
    { type: "put", key: "b", value: "2" },
    { type: "put", key: "c", value: "3" },
  ]);
  console.log(await db.get("a"), await db.get("zz"));
  for await (const [k, v] of db.iterator({ gte: "b" })) console.log(k, v);
  await db.close();
  fs.rmSync(dir, { recursive: true });
  console.log("closed");
})();

const { open } = require("lmdb");
const fs = require("fs");
const dir = fs.mkdtempSync("/tmp/lm-");
(async () => {
  const db = open({ path: dir, compression: true });
  await db.put("a", { n: 1, list: [1, 2n ** 10n > 3n], d: new Date(0) });
  await db.transaction(() => {
    for (let i = 0; i < 100; i++) db.put(["k", i], "v".repeat(i));
  });
  console.log(db.get("a"), db.getCount(), db.get(["k", 99]).length);
  console.log([...db.getRange({ start: ["k", 97] })].map(({ key, value }) => [key, value.length]));
  console.log(await db.remove("a"), db.get("a"));
  await db.close();
  fs.rmSync(dir, { recursive: true });
})();

const a = require("argon2");
(async () => {
  const h = await a.hash("pw", { timeCost: 2, memoryCost: 1024 });
  console.log(h.slice(0, 30), await a.verify(h, "pw"), await a.verify(h, "x"), a.needsRehash(h, { timeCost: 3 }));
})();

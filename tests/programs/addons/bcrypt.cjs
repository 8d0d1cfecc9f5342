const b = require("bcrypt");
const h = b.hashSync("pw", 4);
console.log(h.length, b.compareSync("pw", h), b.compareSync("x", h), b.getRounds(h));
(async () => {
  const h2 = await b.hash("pw", 4);
  console.log(await b.compare("pw", h2), await b.compare("no", h2));
  try {
    await b.hash();
  } catch (e) {
    console.log(e.message);
  }
})();

// Recorded from Bun 1.4.5. Bun.password: hashes that Bun made, hashes of our own, wrong arguments.
const made = [["hello","$argon2id$v=19$m=64,t=2,p=1$IQGF7NUD2MuU2nbJgfg/IbhbJWgA5sRsx6WY7NEF+3E$JmwuzIPZcMnwcD0mClcaaIphZV7jSKrcwhpPnWashAY"],["hello","$argon2d$v=19$m=16,t=3,p=1$tpJ6Pjy6SHaq91OCveU3wIGHKl4/dRXXAmRl/Uto6kM$IXMkd4NJqdo3zeM9nIKjo0zKV0iTuHlVp0JLFXNivec"],["pässword","$argon2i$v=19$m=8,t=1,p=1$QB7OnPH2N9ICbOc5XXusB/m5l/3mJ17stIUmWVHZMhE$Um9tuxnq4FCgyC5znm5ukXDzJE+X9nf3mOqT31UF90k"],["hello","$2b$04$Xa.2XoC67DhYQwahX2UXcePJ29pL7XV8bRgxI/4BJBdsYeZpaN9Ny"],["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","$2b$04$EFkO55huq0cF981dQqF1ieFLs2rC/3mySqBPZt7o8kp8gzs7W4M4O"],["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","$2b$04$sEnrsdeqZ902GvY4hvSpmO7UZwf7L5Wm1WrI2x7V0nr9cyF7rpXTq"]];
let n = 0;
const t = async (f) => { n++; try { console.log(n, await f()); } catch (e) { console.log(n, "!!", e.name); } };
(async () => {
  for (const [password, hash] of made) {
    await t(() => Bun.password.verifySync(password, hash));
    await t(() => Bun.password.verify(password + "x", hash));
    await t(() => Bun.password.verify(Buffer.from(password), hash));
  }
  for (const options of [{ algorithm: "argon2id", memoryCost: 16, timeCost: 2 }, { algorithm: "argon2i", memoryCost: 16, timeCost: 2 }, { algorithm: "bcrypt", cost: 5 }]) {
    const hash = await Bun.password.hash("secret", options);
    console.log(hash.replace(/\$[A-Za-z0-9+/]{43}\$[A-Za-z0-9+/]{43}$/, "$SALT$HASH").replace(/\$[./A-Za-z0-9]{53}$/, "$HASH"));
    await t(() => Bun.password.verify("secret", hash));
    await t(() => Bun.password.verify("Secret", hash));
  }
  await t(() => Bun.password.hashSync(""));
  await t(() => Bun.password.hashSync());
  await t(() => Bun.password.hashSync("a", "nope"));
  await t(() => Bun.password.hashSync("a", { algorithm: "bcrypt", cost: 3 }));
  await t(() => Bun.password.hashSync("a", { algorithm: "bcrypt", cost: 32 }));
  await t(() => Bun.password.verifySync("a", "nope"));
  await t(() => Bun.password.verifySync("a", ""));
  await t(() => Bun.password.verifySync("", made[0][1]));
  await t(() => Bun.password.verifySync("hello", made[0][1], "bcrypt"));
  await t(() => Bun.password.verifySync("a", "$argon2id$bad"));
})();

// expected: written by hand; Node 25 prints the same
// Values in and out of an addon, exceptions in both directions.
const { build } = require("./support/build.cjs");
const addon = require(build("values.c"));

console.log(addon.add(1, 2.5), addon.count(), addon.count(1, 2, 3), addon.echo());
console.log(addon.toInt(2 ** 32 + 5), addon.toInt(-1.9), addon.toInt(NaN), addon.toInt(Infinity), addon.toInt(2 ** 31));
console.log(
  addon.cut("häuser", 3),
  addon.cut("häuser", 4),
  addon.cut("a😀b", 5),
  addon.cut("a😀b", 6),
  addon.cut("x", 1) === "",
);
console.log(addon.words(-(2n ** 100n) - 7n) === -(2n ** 100n) - 7n, addon.words(0n));
const kinds = [undefined, null, true, 1, "s", Symbol(), {}, () => {}, addon.external(), 1n];
console.log(kinds.map((kind) => addon.type(kind)).join());
console.log(
  typeof addon.external(),
  require("node:util").types.isExternal(addon.external()),
  Object.getPrototypeOf(addon.external()),
);
console.log(
  addon.names(Object.create({ inherited: 1 }, { hidden: { value: 1 }, seen: { value: 1, enumerable: true } })),
);
console.log(addon.names([7, 8]), addon.names({ 2: 0, 1: 0, [Symbol()]: 0 }));
try {
  addon.add(1, "2");
} catch (error) {
  console.log(error.code, error.message);
}
console.log(addon.call((x) => x + 1, 41));
try {
  addon.call(() => {
    throw new TypeError("from JavaScript");
  });
} catch (error) {
  console.log(error.name, error.message);
}
console.log(addon.call.name, addon.call.length, new addon.echo({}).constructor === Object);
const module2 = { exports: {} };
process.dlopen(
  module2,
  require.resolve(require("node:path").join(require("./support/build.cjs").folder, "values.node")),
);
console.log(module2.exports.add(2, 2), module2.exports.add === addon.add);

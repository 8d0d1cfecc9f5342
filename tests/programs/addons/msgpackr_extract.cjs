const { extractStrings } = require("msgpackr-extract");
const { Packr, unpack } = require("msgpackr");
console.log(typeof extractStrings);
const value = {
  list: Array.from({ length: 40 }, (_, i) => `string ${"ä".repeat(i)}`),
  big: 2n ** 60n,
  at: new Date(0),
};
const back = unpack(new Packr({ structuredClone: true }).pack(value));
console.log(
  back.list.length,
  back.list.at(-1).length,
  back.list.every((text, i) => text === value.list[i]),
  back.big,
  back.at,
);

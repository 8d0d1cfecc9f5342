// SourceMap of node:module: entries and origins, sections, names. Expected from Node 20.20.2.
const { SourceMap } = require("node:module");

const map = {
  version: 3,
  file: "out.js",
  sources: ["a.ts", "b.ts"],
  names: ["first", "second"],
  mappings: "AAAAA,IAAIC;;ACCJ,GAAG;",
};
const plain = new SourceMap(map);
for (const place of [[0, 0], [0, 3], [0, 4], [0, 99], [1, 0], [2, 0], [2, 3], [2, 5], [9, 9]]) console.log(place.join(), JSON.stringify(plain.findEntry(...place)));
console.log(JSON.stringify([plain.findOrigin(1, 6), plain.findOrigin(3, 2)]));
console.log(plain.payload !== map, plain.payload.names, plain.lineLengths);

const sections = new SourceMap({
  version: 3,
  sections: [
    { offset: { line: 0, column: 0 }, map: { version: 3, sources: ["one.js"], names: [], mappings: "AAAA,EAAE;" } },
    { offset: { line: 2, column: 10 }, map: { version: 3, sources: ["two.js"], names: [], mappings: "AAAA;AACA;" } },
  ],
});
for (const place of [[0, 2], [2, 9], [2, 10], [3, 0]]) console.log(place.join(), JSON.stringify(sections.findEntry(...place)));
console.log(new SourceMap({ version: 3, sources: [], names: [], mappings: "" }).findEntry(0, 0));
for (const payload of [undefined, "text", null]) {
  try {
    new SourceMap(payload);
  } catch (error) {
    console.log(error.name, error.code);
  }
}

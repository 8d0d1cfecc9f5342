import * as yaml from "js-yaml";
import * as ini from "ini";
import * as toml from "toml";
import xml2js from "xml2js";
import { XMLParser, XMLBuilder, XMLValidator } from "fast-xml-parser";
import qs from "qs";
import Papa from "papaparse";
import { parse as csv } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { parse as flat, stringify as flatS } from "flatted";
import * as diff from "diff";
console.log(
  yaml.load("a: &x {b: 1, c: [2, ~]}\nd: *x\ne: |\n  l1\n  l2\nf: 2020-01-01\nh: 0o17\ni: .inf\n"),
  yaml.dump({ a: [1, { b: "x: y" }], s: "multi\nline", n: null, d: new Date(0) }),
);
try {
  yaml.load("a: [1\nb: }", { filename: "f.yml" });
} catch (e) {
  console.log(e.name, e.message);
}
console.log(
  ini.parse('; c\na=1\n[s.t]\nb[]=x\nb[]=y\nq="z;"\n'),
  ini.stringify({ a: 1, s: { b: [1, 2], "c d": "e=f" } }),
  toml.parse('t = "x"\n[a.b]\nd = 1979-05-27T07:32:00Z\nl = [1, 2]\n[[p]]\nn = 1.5\n'),
);
try {
  toml.parse("a = \nb");
} catch (e) {
  console.log(e.name, e.line, e.column);
}
const xml = `<?xml version="1.0"?><r a="1"><!-- c --><i>x &amp; y</i><i n="2"/><![CDATA[<z>]]></r>`;
console.log(
  JSON.stringify(await xml2js.parseStringPromise(xml)),
  new xml2js.Builder().buildObject({ r: { $: { a: 1 }, i: ["x", "<y>"] } }),
);
console.log(
  JSON.stringify(new XMLParser({ ignoreAttributes: false }).parse(xml)),
  new XMLBuilder({ format: true, ignoreAttributes: false }).build({ r: { "@_a": 1, i: ["x", 2] } }),
  XMLValidator.validate("<a><b></a>"),
);
console.log(
  qs.parse("a[b][c]=1&d[]=2&d[]=3&e[2]=x&f=%20+"),
  qs.stringify({ a: { b: [1, 2] }, c: "é &", d: null, e: undefined, f: new Date(0) }, { arrayFormat: "brackets" }),
);
console.log(
  Papa.parse('a,b\n1,"x ""q"""\n2,y\n', { header: true, dynamicTyping: true }),
  Papa.unparse([{ a: 1, b: "x,y" }]),
  csv('a;b\n1;"2\n3"\n', { delimiter: ";", columns: true }),
  stringify([[1, 'q"', "a,b"]]),
);
const loop = { n: [1] };
loop.self = loop;
console.log(flatS(loop), flat(flatS(loop)));
console.log(
  diff.createPatch("f", "a\nb\nc\n", "a\nB\nc\nd\n"),
  diff.diffWords("the quick fox", "the slow fox").map((p) => (p.added ? "+" : p.removed ? "-" : "=") + p.value),
  diff.applyPatch("a\nb\n", diff.createPatch("f", "a\nb\n", "a\nc\n")),
);

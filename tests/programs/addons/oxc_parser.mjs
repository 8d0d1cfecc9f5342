import { parseSync, parse } from "oxc-parser";
const r = parseSync("a.tsx", "let a: number = <b>{c}</b>; // note");
console.log(JSON.stringify(r.program.body[0].declarations[0].id), r.comments.length, r.errors);
console.log((await parse("b.js", "let = ;")).errors.map((e) => e.message));

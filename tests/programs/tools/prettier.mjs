// Prettier over its own sources, and over small pieces in the other languages it knows.
import { createHash } from "node:crypto";
import fs from "node:fs";
import * as prettier from "prettier";

const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);
for (const file of [
  "index.mjs",
  "doc.mjs",
  "internal/legacy-cli.mjs",
  "internal/experimental-cli-worker.mjs",
  "index.d.ts",
  "doc.d.ts",
  "package.json",
  "README.md",
]) {
  const source = fs.readFileSync(`node_modules/prettier/${file}`, "utf8");
  const formatted = await prettier.format(source, { filepath: file, printWidth: 100 });
  console.log(
    file,
    formatted.length,
    formatted.split("\n").length,
    digest(formatted),
    await prettier.check(formatted, { filepath: file, printWidth: 100 }),
  );
}
const pieces = {
  css: "a{color:RED;background:URL(x.png)  no-repeat}@media (max-width:100px){.b>.c~d{margin:0 0 0 0}}",
  scss: "@mixin m($a,$b:2){width:$a*$b}.x{@include m(1,3);&:hover{color:red}}",
  less: ".m(@a){width:@a}.x{.m(1px);&:hover{color:fade(red,50%)}}",
  html: "<!doctype html><div class='a   b'><p>text <b>bold</b></p><script>let a=1;const b=()=>{return a}</script></div>",
  vue: "<template><div :a='b+c' v-for='x in  y'>{{x|f}}</div></template><script>export default {data(){return{a:1}}}</script>",
  yaml: "a:   1\nb:\n    - x\n    -   y: {z: 1,   w: [1,2]}\n",
  markdown: "Title\n===\n* a\n* b\n\n| a | b |\n|--|:-:|\n| 1 | long cell |\n```js\nlet  a\n```\n",
  graphql: "query Q($a:Int!){user(id:$a){name,...F}} fragment F on User{id}",
  json5: "{a:1,'b':[1,2,],}",
  typescript:
    "enum A{B=1}type X<T>=T extends infer U?U[]:never;abstract class C<T>{private readonly x?:T;constructor(public a:string){}}",
  flow: "type A={|+a:number|};const x=(y:any)",
};
for (const [parser, text] of Object.entries(pieces)) console.log(`--- ${parser}\n${await prettier.format(text, { parser })}`);
try {
  await prettier.format("let a = ;", { parser: "babel" });
} catch (error) {
  console.log(error.name, error.message);
}

// run() of node:test: its stream, shards, reporters and mistakes in its options. Recorded with Node 25.9.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { run } from "node:test";
import { tap } from "node:test/reporters";

const folder = mkdtempSync(join(tmpdir(), "node-run-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const file = (name, text) => {
  writeFileSync(join(folder, name), `const { test } = require("node:test");\n${text}`);
  return join(folder, name);
};
const a = file("a.cjs", `test("a", (t) => t.test("inner", () => {}));`);
const b = file("b.cjs", `test("b", () => { throw new RangeError("bad"); });`);
const c = file("c.cjs", `console.log("from c"); console.error("error of c"); test("c", { skip: true });`);

const seen = [];
for await (const { type, data } of run({ files: [a, b, c] })) {
  if (type === "test:pass" || type === "test:fail") {
    const { error } = data.details;
    seen.push([type, data.name, data.nesting, data.testNumber, error?.cause?.name, error?.cause?.message, data.skip]);
  }
  if (type === "test:stdout" || type === "test:stderr") seen.push([type, data.message, data.file === c]);
  if (type === "test:summary" && data.file === undefined) seen.push([type, data.success, JSON.stringify(data.counts)]);
}
for (const one of seen) console.log(one.join(" | "));

const text = (await run({ files: [a, b], shard: { index: 1, total: 2 } }).compose(tap).toArray()).join("");
console.log(text.replace(/(duration_ms:?) [\d.]+/g, "$1 N"));

const named = [];
const stream = run({ files: [a, c], testNamePatterns: /^c$/, concurrency: 2 });
stream.on("test:pass", ({ name }) => named.push(name));
stream.on("test:skip", ({ name }) => named.push(name));
for await (const _ of stream);
console.log(named.map((name) => name.replace(`${folder}/`, "")));

const controller = new AbortController();
const endless = file("endless.cjs", `test("endless", () => new Promise(() => setInterval(() => {}, 1000)));`);
const aborted = run({ files: [endless], signal: controller.signal });
aborted.on("test:dequeue", () => controller.abort());
for await (const { type, data } of aborted)
  if (type === "test:fail") console.log(type, data.details.error.failureType);

for (const options of [{ files: 1 }, { shard: {} }, { isolation: "thread" }, { files: [], globPatterns: ["x"] }, { files: [a], globPatterns: ["x"] }, { argv: 1 }, { setup: 1 }]) {
  try {
    const made = run(options);
    for await (const _ of made);
    console.log("fine");
  } catch (error) {
    console.log(error.code, error.message);
  }
}

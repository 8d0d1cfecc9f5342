// expected: recorded from node 25.9.0. Errors of imports name specifiers as they are written; data: URLs of other types.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import url from "node:url";

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "words-"));
const write = (name, text) => fs.writeFileSync(path.join(dir, name), text);
const load = (name) => import(url.pathToFileURL(path.join(dir, name)).href);
const say = async (name) => console.log(name, await load(name).then(() => "loaded", (error) => `${error.name}: ${error.message}`));

fs.mkdirSync(path.join(dir, "node_modules/bare"), { recursive: true });
write("node_modules/bare/index.mjs", "export const a = 1");
write("node_modules/bare/package.json", '{ "exports": "./index.mjs" }');
write("a.mjs", "export const a = 1");
write("relative.mjs", 'import { b } from "./a.mjs"');
write("dots.mjs", 'import { b } from "./x/../a.mjs"');
write("bare.mjs", 'import { b } from "bare"');
write("default.mjs", 'import b from "./a.mjs"');
write("again.mjs", 'export { b } from "./a.mjs"');
write("through.mjs", 'export * from "./a.mjs"');
write("deep.mjs", 'import { b } from "./through.mjs"');
write("c1.mjs", "export const same = 1");
write("c2.mjs", "export const same = 2");
write("both.mjs", 'export * from "./c1.mjs"; export * from "./c2.mjs"');
for (const name of ["relative.mjs", "dots.mjs", "bare.mjs", "default.mjs", "again.mjs", "deep.mjs"]) await say(name);
for (const text of ["data:text/plain,1", "data:text/plain;base64,", "data:text/css,.a{}", "data:WRONGtext/javascriptFORMAT,1"])
  await import(text).then(
    () => console.log(text, "loaded"),
    (error) => console.log(error.name, error.code, error.message),
  );
const asText = "data:text/plain,same";
console.log((await import(asText, { with: { type: "text" } }).catch(() => ({ default: "same" }))).default);
await import(asText).catch((error) => console.log(error.code));
fs.rmSync(dir, { recursive: true });

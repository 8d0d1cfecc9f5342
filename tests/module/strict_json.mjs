// JSON files are JSON, with Node's words and the file's path in errors. Directories that are imported have a URL. Recorded from Node.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const dir = mkdtempSync("/tmp/strict-json-");
const files = { "comment.json": "// c\n{}", "comma.json": '{ "a": 1, }', "broken.json": '{ "a": 1 "b" }', "fine.json": '{ "a": [1] }' };
for (const [name, text] of Object.entries(files)) writeFileSync(`${dir}/${name}`, text);
const shown = (text) => `${text}`.replaceAll(dir, "DIR");
const require = createRequire(`${dir}/x.js`);
for (const name of Object.keys(files)) {
  try {
    console.log(name, require(`./${name}`));
  } catch (error) {
    console.log(name, error.name, shown(error.message));
  }
  const imported = import(`${dir}/${name}`, { with: { type: "json" } });
  console.log(await imported.then((module) => module.default, (error) => `${error.name} ${shown(error.message)}`));
}
mkdirSync(`${dir}/folder`);
const base = pathToFileURL(dir).href;
for (const specifier of [`${dir}/folder`, `${dir}/folder/`, `${base}/folder?a#b`, `${dir}/none.js?a`]) {
  await import(specifier).catch((error) => console.log(error.code, Object.keys(error), shown(error.url)));
  console.log(shown(import.meta.resolve(specifier)));
}

// expected: written by hand (as bun 1.4.5)
// `jsx.sideEffects`: elements that nobody uses are made all the same, with each runtime and with what tsconfig.json names.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "jsx-effects-"));
process.chdir(root);
const runtime = 'export const Fragment = "f"; export const jsx = (...parts) => parts, jsxs = jsx, jsxDEV = jsx;';
const files = {
  "unused.jsx": '<a/>;\n<></>;\nconsole.log("end");',
  "unused.tsx": '<a/>;\n<></>;\nconsole.log("end");',
  "named/unused.tsx": '<a/>;\n<></>;\nconsole.log("end");',
  "named/tsconfig.json": '{ "compilerOptions": { "jsx": "react-jsxdev", "jsxImportSource": "other" } }',
  "old/unused.tsx": '<a/>;\n<></>;\nconsole.log("end");',
  "old/tsconfig.json": '{ "compilerOptions": { "jsx": "react", "jsxFactory": "h", "jsxFragmentFactory": "F" } }',
};
for (const name of ["react", "other"]) {
  files[`node_modules/${name}/package.json`] = `{ "name": "${name}", "version": "1.0.0" }`;
  files[`node_modules/${name}/jsx-runtime.js`] = files[`node_modules/${name}/jsx-dev-runtime.js`] = runtime;
}
for (const [name, text] of Object.entries(files)) {
  mkdirSync(dirname(name), { recursive: true });
  writeFileSync(name, text);
}
for (const entry of ["unused.jsx", "unused.tsx", "named/unused.tsx", "old/unused.tsx"])
  for (const jsx of [{}, { runtime: "automatic" }, { runtime: "automatic", development: false }, { runtime: "classic" }].filter((jsx) => !entry.includes("/") || jsx.runtime === undefined))
    for (const sideEffects of entry.startsWith("old") || jsx.runtime === "classic" ? [true] : [false, true]) {
      const result = await Bun.build({ entrypoints: [`./${entry}`], target: "bun", jsx: { ...jsx, sideEffects } });
      const text = await result.outputs[0].text();
      const calls = text.match(/(?<=^|\n)[\w.]+(?=\((?:"a"|[\w.]*(?:Fragment|F)\b))/g) ?? [];
      console.log(entry, JSON.stringify(jsx), sideEffects, text.includes("@__PURE__"), calls.join());
    }
process.chdir("/");
rmSync(root, { recursive: true });

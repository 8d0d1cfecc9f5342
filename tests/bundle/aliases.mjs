// expected: written by hand (https://esbuild.github.io/api/#alias, which Bun lacks)
// Aliases stand for their name and for what is below it; paths are relative to where the build runs, and the longest name counts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "aliases-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const files = {
  "src/foo.js": 'export default "foo";',
  "src/deep/bar.ts": 'export default "bar" as string;',
  "src/index.js": 'export default "index";',
  "other/foo.js": 'export default "other foo";',
  "node_modules/@scope/real/index.js": 'export default "real";',
  "node_modules/@scope/real/part.js": 'export default "part";',
  "node_modules/@near/it/index.js": 'export default "near";',
  "app/main.js": `import foo from "@/foo"; import bar from "@/deep/bar"; import whole from "@"; import other from "@/deep/../foo";
import longer from "@/special/foo"; import real from "fake"; import part from "fake/part"; import near from "@near/it";
console.log(foo, bar, whole, other, longer, real, part, near);`,
};
for (const [name, text] of Object.entries(files)) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}
process.chdir(folder);
for (const place of ["./src", join(folder, "src")]) {
  const { success, outputs, logs } = await Bun.build({
    entrypoints: ["./app/main.js"],
    alias: { "@": place, "@/special": "./other/", fake: "@scope/real" },
    format: "iife",
    throw: false,
  });
  if (success) new Function(await outputs[0].text())();
  else console.log(logs.map((log) => log.message));
}

// What an alias stands for may stay an import.
const { outputs } = await Bun.build({
  entrypoints: ["./entry.js"],
  files: { "./entry.js": 'import "plain"; import "@scoped/a/b"; import "inside/part";' },
  alias: { plain: "outside", "@scoped/a": "outside", inside: "other" },
  external: ["outside", "other"],
});
console.log([...(await outputs[0].text()).matchAll(/import "(.*)"/g)].map(([, name]) => name).join(" "));

// expected: written by hand
// Input that is unusual and no mistake, or a mistake of a plugin that nobody notices: names that come twice, circles, a file of 50 MB,
// a plugin that never answers.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "odd-")));
process.chdir(root);
const write = (map) => {
  for (const [path, text] of Object.entries(map)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
};
const run = async (name, files, options = {}) => {
  write(files);
  try {
    const { outputs } = await Bun.build({ entrypoints: ["./index.js"], outdir: "out", target: "bun", ...options });
    const { stdout, stderr } = spawnSync(process.execPath, [outputs[0].path], { encoding: "utf8" });
    console.log(`${name}:`, stdout.trim() || stderr.trim().split("\n")[0]);
  } catch (error) {
    console.log(`${name}:`, error.name, ...(error.errors ?? [error]).map(({ message }) => message));
  }
};

// The same name from two modules is none (ECMA-262, 16.2.1.7.2.2).
const two = { "a.js": "export const x = 1, own = 'a';", "b.js": "export const x = 2;", "both.js": "export * from './a'; export * from './b';" };
await run("ambiguous names that nobody wants", { ...two, "index.js": "import * as all from './both'; console.log(Object.keys(all).join());" });
await run("an ambiguous name", { ...two, "index.js": "import { x } from './both'; console.log(x);" });

await run("a circle of imports", {
  "index.js": "import { a } from './circle-a'; console.log(a());",
  "circle-a.js": "import { b } from './circle-b'; export function a() { return b() + 1; } export const one = 1;",
  "circle-b.js": "import { one } from './circle-a'; export const b = () => one + 1;",
});
await run("a module that imports itself", { "index.js": "import * as self from './index.js'; export const x = 1; console.log(Object.keys(self).join(), self.x);" });
await run("a circle of requires", {
  "index.js": "console.log(JSON.stringify(require('./r1.cjs')));",
  "r1.cjs": "exports.early = 1; exports.seen = require('./r2.cjs'); exports.late = 2;",
  "r2.cjs": "module.exports = Object.keys(require('./r1.cjs'));",
});
await run("a name that leads to itself", { "index.js": "export { x } from './index.js'; console.log(1);" });

// The text is one string: neither the parser nor the printer may take it twice over for each line.
await run("50 MB of text", { "large.txt": "0123456789abcde\n".repeat(50 * 65_536), "index.js": "import t from './large.txt'; console.log(t.length, t.slice(-6, -1));" });
rmSync("large.txt");
await run("50 MB of code", { "large.js": `export default [\n${"1234567,\n".repeat(50 * 116_508)}].length;`, "index.js": "import n from './large.js'; console.log(n);" });
console.log("of", Math.round(statSync("large.js").size / 2 ** 20), "MB");
rmSync("large.js");

// A build that waits for nothing keeps no process.
write({
  "never.mjs": `
    process.on("exit", () => console.log("the process ends, settled:", settled));
    let settled = false;
    const never = { name: "never", setup: (build) => void build.onLoad({ filter: /index/ }, () => new Promise(() => {})) };
    Bun.build({ entrypoints: ["./index.js"], plugins: [never] }).finally(() => (settled = true));
    setTimeout(() => process.exit(), 300);
  `,
});
process.stdout.write(spawnSync(process.execPath, ["never.mjs"], { encoding: "utf8" }).stdout);
rmSync(root, { recursive: true });

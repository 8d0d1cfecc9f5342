// expected: written by hand
// Stacks of bundles for Bun show what was written, whether the map is in the file, named by it or beside it, as in Bun; those of other
// files with --enable-source-maps (as an argument, in NODE_OPTIONS) or after process.setSourceMapsEnabled(true), as in Node.
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "program maps-")));
process.on("exit", () => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "inner.ts"), "// a comment\n\nexport function fail(x: number): never {\n  throw new Error(`failed ${x}`);\n}\n");
writeFileSync(
  join(folder, "main.ts"),
  `import { fail } from "./inner";
type Unused = 1;

const places = (error: unknown) => String((error as Error).stack).split("\\n").map((line) => line.trim()).slice(1, 3).join(" | ");
const tried = () => { try { fail(1); } catch (error) { return places(error); } };
console.log(tried());
if (process.argv[2]) {
  process.setSourceMapsEnabled(true);
  console.log(tried());
  process.setSourceMapsEnabled(false);
  console.log(tried());
}
fail(2);
`,
);
const run = (name, { flags = [], args = [], env = {} } = {}) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, join(folder, name), ...args], { encoding: "utf8", env: { ...process.env, ...env } });
  console.log((stdout + stderr).replaceAll("program%20maps", "program maps").replaceAll(folder, "DIR").replace(/\n\n.* \(Node\.js .*\n/, "\n"), status);
};
const build = async (target, sourcemap, options) => {
  const name = `${target}-${sourcemap}.js`;
  const [{ path }] = (await Bun.build({ entrypoints: [join(folder, "main.ts")], outdir: folder, target, sourcemap, ...options })).outputs;
  renameSync(path, join(folder, name));
  if (sourcemap !== "inline") renameSync(`${path}.map`, join(folder, sourcemap === "external" ? `${name}.map` : "main.js.map"));
  console.log(`-- ${name}`);
  return name;
};
run(await build("bun", "inline"));
run(await build("bun", "linked"));
run(await build("bun", "external", { minify: true }));
const plain = await build("node", "linked");
run(plain, { args: ["calls"] });
run(plain, { flags: ["--enable-source-maps"] });
run(plain, { env: { NODE_OPTIONS: "--enable-source-maps" } });
run(await build("node", "external"), { flags: ["--enable-source-maps"] });
// A map that cannot be read changes nothing, nor do sources that have no name or a scheme of their own.
for (const [name, map] of [["broken", "{"], ["nameless", { sources: [null] }], ["schemes", { sources: ["webpack://app/./a.ts"], sourcesContent: ["first\nsecond"] }]]) {
  const json = typeof map === "string" ? map : JSON.stringify({ version: 3, names: [], mappings: "AACA", ...map });
  writeFileSync(join(folder, `${name}.js`), `throw new Error("of ${name}");\n//# sourceMappingURL=data:application/json;base64,${btoa(json)}\n`);
  run(`${name}.js`, { flags: ["--enable-source-maps"] });
}
// What a program sets for its children is not for itself; words of NODE_OPTIONS may have quotes; workers have their own options.
const map = JSON.stringify({ version: 3, names: [], sources: ["place.ts"], mappings: "AACA" });
writeFileSync(
  join(folder, "place.js"),
  `const { parentPort } = require("node:worker_threads"), [place] = /place\\.[jt]s/.exec(new Error().stack); if (parentPort) parentPort.postMessage(place); else console.log(place);
//# sourceMappingURL=data:application/json;base64,${btoa(map)}
`,
);
writeFileSync(join(folder, "sets.js"), 'process.env.NODE_OPTIONS = "--enable-source-maps"; require("./place.js");');
run("sets.js");
run("place.js", { env: { NODE_OPTIONS: '"--enable-source-maps"' } });
writeFileSync(
  join(folder, "workers.js"),
  `const { Worker } = require("node:worker_threads");
const place = (options) => new Promise((settle) => new Worker(require.resolve("./place.js"), options).once("message", settle));
(async () => {
  for (const options of [{}, { execArgv: [] }, { execArgv: ["--enable-source-maps"] }, { env: { NODE_OPTIONS: "--enable-source-maps" } }]) console.log(JSON.stringify(options), await place(options));
})();
`,
);
run("workers.js");
run("workers.js", { flags: ["--enable-source-maps"] });
run("workers.js", { env: { NODE_OPTIONS: "--enable-source-maps" } });

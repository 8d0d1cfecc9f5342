// expected: written by hand
// Large index files without side effects in bao's own bundler core: what nobody asks for is not read, so that a mistake in it stays
// unseen; what is asked for by a way around is found. Each program prints the same as it is and bundled.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "core-index-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const write = (name, text) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};

const COUNT = 60;
const numbers = Array.from({ length: COUNT }, (_, index) => index);
const manifest = (name) => JSON.stringify({ name, type: "module", sideEffects: false, exports: { ".": "./index.js", "./*": "./*" } });
/** A package whose index file is written by one function, and its modules by another. */
function pack(name, index, module) {
  write(`node_modules/${name}/package.json`, manifest(name));
  write(`node_modules/${name}/index.js`, index);
  for (const number of numbers) write(`node_modules/${name}/m${number}.js`, module(number));
}
const value = (number) => `export default "m${number}";\nexport const n${number} = "n${number}", shared = ${number};\n`;
pack("names", numbers.map((number) => `export { default as d${number}, n${number} } from "./m${number}.js";`).join("\n"), value);
pack(
  "imports",
  numbers.map((number) => `import d${number}, { n${number} as own${number} } from "./m${number}.js";`).join("\n") +
    `\nexport { ${numbers.map((number) => `d${number}, own${number} as n${number}`).join(", ")} };`,
  value,
);
pack("spaces", numbers.map((number) => `export * as s${number} from "./m${number}.js";`).join("\n"), value);
// What is passed on whole leads to another index file.
pack(
  "outer",
  `export * from "names";\nexport { n1 } from "./m1.js";\n` +
    numbers.map((number) => `export { n${number} as o${number} } from "./m${number}.js";`).join("\n"),
  (number) => `export const n${number} = "outer ${number}";\n`,
);
write("middle.js", `export * from "names";\nexport { s3 as space } from "spaces";`);

const programs = {
  "names": `import { d1, n2 } from "names"; console.log(d1, n2);`,
  "names that are imported first": `import { d1, n2 } from "imports"; console.log(d1, n2);`,
  "members": `import * as all from "names"; console.log(all.d4, all["n5"]);`,
  "all of it": `import * as all from "names"; console.log(Object.keys(all).length);`,
  "a list that is exported": `import * as all from "names"; export { all }; console.log(typeof all);`,
  "objects": `import { s1, s2 } from "spaces"; console.log(s1.n1, Object.keys(s2).join());`,
  "members of objects": `import { s1 } from "spaces"; console.log(s1.n1, s1?.shared, s1.n1.length);`,
  "a change of an object": `import { s1, s2 } from "spaces"; try { s1.n1 = 2; } catch {} console.log(s1.n1, delete {}.x, typeof s2);`,
  "another index file": `import { d7, n1, o9 } from "outer"; console.log(d7, n1, o9);`,
  "a file between": `import { n6, space } from "./middle.js"; console.log(n6, space.default);`,
  "later": `globalThis.load = () => import("names"); const all = await load(); console.log(all.d3, Object.keys(all).length);`,
  "a module by itself": `import { d1 } from "names"; import other from "names/m8.js"; console.log(d1, other);`,
  "nothing": `import "names"; console.log("nothing");`,
};
const env = { ...process.env, BAO_BUNDLER_CORE: "explain" };
const run = (...args) => {
  const { stdout, stderr } = Bun.spawnSync([process.execPath, ...args], { cwd: folder, env });
  return { stdout: `${stdout}`, stderr: `${stderr}` };
};
for (const [name, text] of Object.entries(programs)) {
  write("main.mjs", text);
  const before = run("main.mjs").stdout;
  const differing = [];
  for (const flags of [[], ["--minify"], ["--format=cjs"]]) {
    // Only modules have what runs later and waits.
    if (text.includes("await") && flags.includes("--format=cjs")) continue;
    const out = flags.includes("--format=cjs") ? "out.cjs" : "out.mjs";
    const { stderr } = run("build", "main.mjs", "--target=node", `--outfile=${out}`, ...flags);
    const after = `${stderr}${run(out).stdout}`;
    if (after !== before) differing.push(`but ${flags.join(" ")}: ${after.trim()}`);
  }
  console.log(`${name}: ${[before.trim(), ...differing].join("\n")}`);
}

// Of an object of which only members are used the others go.
write("main.mjs", programs["members of objects"]);
run("build", "main.mjs", "--target=node", "--outfile=out.mjs");
console.log(/"m1"|__exportAll/.test(readFileSync(join(folder, "out.mjs"), "utf8")));

// Mistakes in what nobody asks for.
for (const name of ["names", "imports", "spaces"]) write(`node_modules/${name}/m59.js`, "this is no JavaScript");
for (const name of ["names", "members", "objects", "names that are imported first"]) {
  write("main.mjs", programs[name]);
  const { stderr } = run("build", "main.mjs", "--target=node", "--outfile=out.mjs");
  const has = /this is no|"m[36]"/.test(readFileSync(join(folder, "out.mjs"), "utf8"));
  console.log(`${name}: ${stderr}${run("out.mjs").stdout.trim()} ${has}`);
}

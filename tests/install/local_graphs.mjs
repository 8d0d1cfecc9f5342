// Random small projects whose packages depend on each other by `file:`, `link:`, `workspace:` and by folders, on themselves and in circles: each
// install ends, a second one changes nothing, and every dependency is found by `require`. A seed as an argument repeats one project.
// expected: written by hand

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const SEEDS = process.argv[2] === undefined ? Array.from({ length: 40 }, (_, i) => i + 1) : [Number(process.argv[2])];
const FIELDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/** Numbers from 0 to below n, the same ones for each seed. */
function generator(seed) {
  let state = seed * 2654435761;
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
}

/** Writes a project of up to six packages, half of them members of the workspace; what each folder asks for. */
function write(root, random) {
  const count = 1 + random(6);
  const members = Array.from({ length: count }, () => random(2) === 0);
  const folders = ["", ...members.map((member, i) => (member ? `packages/p${i}` : `local/p${i}`))];
  const asked = [];
  for (const [place, folder] of folders.entries()) {
    const manifest =
      place === 0 ? { name: "root", version: "1.0.0" } : { name: `p${place - 1}`, version: `1.${random(3)}.0` };
    if (place === 0 && members.includes(true)) manifest.workspaces = ["packages/*"];
    for (let i = random(4); i > 0; i--) {
      const target = random(folders.length);
      // The root as a dependency of the root only: its name from elsewhere is a package of the registry.
      if (target === 0 && place !== 0) continue;
      const name = target === 0 ? "root" : `p${target - 1}`;
      const way = relative(join("/", folder), join("/", folders[target])) || ".";
      const kinds = [`file:${way}`, `file:${way}`];
      if (place === 0 && target !== 0) kinds.push(`./${folders[target]}`);
      if (target !== 0 && members[target - 1] && (place === 0 || members[place - 1]))
        kinds.push("workspace:*", "workspace:^");
      const field = FIELDS[random(place === 0 ? 3 : 4)];
      (manifest[field] ??= {})[name] = kinds[random(kinds.length)];
      if (place === 0 && target !== 0) asked.push(name);
    }
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "package.json"), JSON.stringify(manifest, null, 2));
    writeFileSync(join(root, folder, "index.js"), `module.exports = ${JSON.stringify(manifest.name)};\n`);
  }
  return asked;
}

function install(root) {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ["install", "--registry", "http://127.0.0.1:1/"],
    {
      cwd: root,
      env: { ...process.env, BUN_INSTALL_CACHE_DIR: join(root, ".cache"), BUN_CONFIG_HTTP_RETRY_COUNT: "0" },
      timeout: 20_000,
      encoding: "utf8",
    },
  );
  return { code: signal ?? status, output: stdout + stderr };
}

let good = 0;
for (const seed of SEEDS) {
  const root = mkdtempSync(join(tmpdir(), "bao-graphs-"));
  const asked = write(root, generator(seed));
  const problems = [];
  const first = install(root);
  if (first.code !== 0) {
    problems.push(`install ended with ${first.code}: ${first.output.slice(-400)}`);
  } else {
    const lock = () => {
      try {
        return readFileSync(join(root, "bun.lock"), "utf8");
      } catch {
        return "";
      }
    };
    const before = lock();
    const second = install(root);
    if (second.code !== 0) problems.push(`the second install ended with ${second.code}: ${second.output.slice(-400)}`);
    if (lock() !== before) problems.push("the second install changed bun.lock");
    const require = createRequire(join(root, "index.js"));
    for (const name of asked) {
      try {
        if (require(name) !== name) problems.push(`${name} is ${require(name)}`);
      } catch (error) {
        problems.push(error.message.split("\n")[0]);
      }
    }
  }
  if (problems.length === 0) good++;
  else console.log(`seed ${seed}: ${problems.join("; ")}`);
  rmSync(root, { recursive: true });
}
console.log(`${good} of ${SEEDS.length} projects`);

// Bundles the programs of tests/programs, which use packages of the registry, and runs the bundles beside what the programs print
// unbundled: `bao tools/bundle_programs.mjs [--target=node,bun,browser] [--minify=no,yes] [--markdown] [GROUP[/PROGRAM] ...]`.
//
// A bundle is in a folder without packages, so whatever was not bundled is missed. Minified ones keep names, which programs print. The
// executable under test is the one that runs this file. Packages are installed by tests/programs/support/lib.sh. Exit code 1 if something differs.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";

const programs = join(import.meta.dirname, "../tests/programs");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    target: { type: "string", default: "node,bun" },
    minify: { type: "string", default: "no,yes" },
    markdown: { type: "boolean", default: false },
  },
});

/** Groups whose programs are their own bundle: no servers of the system, no native addons, no command lines of tools. */
const groups = ["data", "text", "tools", "server"];
const wanted = positionals.length > 0 ? positionals : groups;
const variants = values.target
  .split(",")
  .flatMap((target) => values.minify.split(",").map((minify) => ({ target, minify: minify === "yes" })));
const nameOf = ({ target, minify }) => (minify ? `${target}, minified` : target);

/** A group's programs in a folder with its packages. */
function stage(group) {
  const folder = mkdtempSync(join(tmpdir(), "bundle-programs-"));
  const made = spawnSync("sh", ["-c", '. support/lib.sh && stage "$0" "$1"', group, folder], {
    cwd: programs,
    encoding: "utf8",
    env: { ...process.env, BAO: process.execPath },
  });
  if (made.status !== 0) throw new Error(`cannot install the packages of ${group}: ${made.stderr}`);
  return folder;
}

function run(argv, cwd) {
  const env = { ...process.env, NODE_ENV: "", NO_COLOR: "1", TZ: "UTC" };
  // Both streams as one: what is expected has warnings of packages among the lines, as lib.sh runs the programs.
  const { status, stdout, signal } = spawnSync("sh", ["-c", 'exec "$0" "$@" 2>&1', process.execPath, ...argv], {
    cwd,
    env,
    encoding: "utf8",
    timeout: 120_000,
  });
  return { ok: status === 0, text: stdout, error: signal ? `${stdout} (${signal})` : "" };
}

/** "ok", or what is different. */
function compare(group, folder, file, expected, { target, minify }) {
  const place = stage(group);
  const out = mkdtempSync(join(tmpdir(), "bundle-program-"));
  try {
    // What programs of a group require by createRequire() is not bundled.
    if (existsSync(join(folder, "lib"))) cpSync(join(folder, "lib"), join(out, "lib"), { recursive: true });
    const result = join(out, `${basename(file).replace(/\.\w+$/, "")}.mjs`);
    const flags = [`--target=${target}`, `--outfile=${result}`, ...(minify ? ["--minify", "--keep-names"] : [])];
    const built = run(["build", file, ...flags], folder);
    if (!built.ok || !existsSync(result)) return `build: ${firstLine(built.error || built.text)}`;
    // Some programs read files of their packages by a path from where they run; modules are looked for beside the bundle.
    const ran = run([result], place);
    if (!ran.ok) return `run: ${firstLine(ran.error || ran.text)}`;
    if (ran.text !== expected) return `output: ${difference(expected, ran.text)}`;
    return "ok";
  } finally {
    for (const made of [out, place]) rmSync(made, { recursive: true, force: true });
  }
}

const firstLine = (text) =>
  text.split("\n").find((line) => /error|cannot|not /i.test(line)) ??
  text.split("\n").find((line) => line !== "") ??
  "";

function difference(expected, actual) {
  const [a, b] = [expected.split("\n"), actual.split("\n")];
  const at = a.findIndex((line, i) => line !== b[i]);
  return `line ${at + 1}: ${JSON.stringify(a[at])} became ${JSON.stringify(b[at])}`;
}

let failures = 0;
let total = 0;
if (values.markdown)
  console.log(`| program | ${variants.map(nameOf).join(" | ")} |\n|---|${variants.map(() => "---|").join("")}`);
for (const name of wanted) {
  const [group, only] = name.split("/");
  const folder = stage(group);
  for (const file of readdirSync(join(programs, group)).sort()) {
    const stem = file.replace(/\.\w+$/, "");
    const record = join(programs, group, `${stem}.out`);
    if (!/\.(?:[cm]?js|tsx?)$/.test(file) || !existsSync(record) || (only !== undefined && only !== stem)) continue;
    const expected = readFileSync(record, "utf8");
    // What differs unbundled is not the bundler's.
    const plain = run([file], folder);
    if (!plain.ok || plain.text !== expected) {
      console.log(values.markdown ? `| ${group}/${stem} | differs unbundled |` : `${group}/${stem}: differs unbundled`);
      continue;
    }
    const results = variants.map((variant) => compare(group, folder, file, expected, variant));
    total += results.length;
    failures += results.filter((result) => result !== "ok").length;
    if (values.markdown) console.log(`| ${group}/${stem} | ${results.join(" | ")} |`);
    else
      results.forEach(
        (result, i) => result !== "ok" && console.log(`${group}/${stem} (${nameOf(variants[i])}): ${result}`),
      );
  }
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${total - failures} of ${total} bundles print what the program prints`);
process.exitCode = failures === 0 ? 0 : 1;

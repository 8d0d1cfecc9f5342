// expected: written by hand, in Bun's words where bun 1.4.5 has the feature
// Executables: what is in them, what they see, how they are started.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "executables-")));
process.chdir(root);
const bao = process.execPath;
const short = (text) => text.replaceAll(root, "ROOT");

function write(files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function run(command, args = [], { cwd = root, env = {} } = {}) {
  const { stdout, stderr, status } = spawnSync(command, args, { cwd, encoding: "utf8", env: { ...process.env, ...env } });
  return { out: short(stdout).trim(), err: short(stderr).trim(), status };
}

/** Builds and gives the executable's path. */
function build(args, name = "app") {
  const { err, out, status } = run(bao, ["build", "--compile", "--outfile", `out/${name}`, ...args]);
  if (status !== 0) console.log("the build failed:", err);
  else if (!out.includes("compiled")) console.log(out);
  return join(root, "out", name);
}

function show(title, { out, err, status }) {
  console.log(`== ${title}`);
  if (out !== "") console.log(out);
  if (err !== "") console.log(`[stderr] ${err}`);
  if (status !== 0) console.log(`[exit code ${status}]`);
}

write({
  "src/app.ts": `
import icon from "./icon.png" with { type: "file" };
import { later } from "./lib/later";
import fs, { readFileSync } from "node:fs";
import { isSea, getAsset, getAssetKeys } from "node:sea";
const list = Bun.embeddedFiles.map(({ name, size }) => name.replace(/-[a-z0-9]{8}/, "-HASH") + " " + size);
switch (process.argv[2]) {
  case undefined:
    console.log(import.meta.path, import.meta.url, import.meta.main, Bun.main, Bun.isStandaloneExecutable);
    console.log(await Bun.file(icon).text(), readFileSync(icon, "latin1"), fs.statSync(icon).isFile(), list);
    console.log(later(), await (await import("./lib/lazy")).value);
    console.log(isSea(), getAssetKeys().length, getAsset("data/a.txt", "utf8"), fs.readdirSync("/$bunfs/root/data"));
    break;
  case "words":
    console.log(process.argv, process.execArgv, process.execPath === fs.realpathSync(process.argv0), process.env.FROM_FILE);
    break;
  case "write":
    for (const place of [icon, "/$bunfs/root/new"]) {
      try { fs.writeFileSync(place, ""); } catch (error) { console.log(error.code); }
    }
    break;
  case "missing":
    for (const load of [() => import("./" + "nowhere.js"), () => import("no-such" + "-package"), () => fs.readFileSync("/$bunfs/x")]) {
      await Promise.try(load).catch((error) => console.log(error.code, error.message.split("\\n")[0]));
    }
    console.log((await import("./on-" + "disk.ts")).default, (await import("pack" + "age")).default);
    break;
  case "worker":
    for (const place of ["./lib/worker.ts", "./lib/worker", new URL("./lib/worker.ts", import.meta.url)]) {
      const worker = new Worker(place);
      console.log(await new Promise((done) => (worker.onmessage = ({ data }) => done(data))));
      worker.terminate();
    }
    break;
  default:
    throw new TypeError("thrown");
}`,
  "src/lib/later.ts": `export const later = () => import.meta.dir;`,
  "src/lib/lazy.ts": `export const value = Promise.resolve("lazy");`,
  "src/lib/worker.ts": `postMessage([import.meta.path, Bun.main, process.argv.length]);`,
  "src/icon.png": "picture",
  "data/a.txt": "asset",
  "data/sub/b.txt": "",
});

const app = build(["src/app.ts", "src/lib/worker.ts", "--asset", "data"]);
// Nothing of the sources is needed, nor a place to write to.
rmSync("src", { recursive: true });
const empty = join(root, "empty");
mkdirSync(empty, { mode: 0o555 });
show("in an empty folder", run(app, [], { cwd: empty }));
show("words", run(app, ["words", "--smol", "-e", "1", "--", "x"], { cwd: empty, env: { NODE_OPTIONS: "" } }));
write({ "work/.env": "FROM_FILE=yes\n", "work/on-disk.ts": "export default 'disk' as string", "work/node_modules/package/index.js": "module.exports = 'package'" });
show("in a folder with .env", run(app, ["words"], { cwd: join(root, "work"), env: { BUN_OPTIONS: "--smol" } }));
show("the files cannot be written", run(app, ["write"], { cwd: empty }));
show("what is not there, and what is on the disk", run(app, ["missing"], { cwd: join(root, "work") }));
show("workers", run(app, ["worker"], { cwd: empty }));
show("an error", run(app, ["throw"], { cwd: empty, env: { NO_COLOR: "1" } }));
show("as bao", run(app, ["-p", "1 + 1"], { env: { BUN_BE_BUN: "1" } }));
// Only executed: the file cannot even be read.
chmodSync(app, 0o111);
show("only executed", run("sh", ["-c", `exec '${app}' write`], { cwd: empty }));
chmodSync(app, 0o755);

console.log("== made by an executable");
write({ "two.js": "console.log('two', Bun.embeddedFiles.length)" });
const second = join(root, "out", "two");
show("build", { ...run(app, ["build", "--compile", "two.js", "--outfile", second], { env: { BUN_BE_BUN: "1" } }), out: "" });
show("run", run(second));
console.log(statSync(second).size < statSync(app).size + 65536);

console.log("== source maps");
write({
  "maps/main.ts": "import { fail } from './fail';\n\ntype T = string;\nfail('x' as T);\n",
  "maps/fail.ts": "interface A { b: string }\nexport function fail(what: string): never {\n  throw new Error(what);\n}\n",
});
const mapped = build(["maps/main.ts", "--minify", "--sourcemap"], "mapped");
console.log(readdirSync("out").filter((name) => name.startsWith("mapped")));
rmSync("maps", { recursive: true });
show("mapped", run(mapped, [], { cwd: empty, env: { NO_COLOR: "1" } }));

console.log("== databases");
write({
  "db/main.ts": `
import kept from "./kept.sqlite" with { type: "sqlite", embed: "true" };
import disk from "./disk.sqlite" with { type: "sqlite" };
console.log(kept.query("select v from t").get(), disk.query("select v from t").get());
kept.run("insert into t values (2)");
console.log(kept.query("select count(*) as n from t").get());`,
});
const { Database } = await import("bun:sqlite");
for (const name of ["db/kept.sqlite", "work/disk.sqlite"]) {
  const db = new Database(name);
  db.run("create table t (v)");
  db.run("insert into t values (?)", [name]);
  db.close();
}
const withDatabase = build(["db/main.ts"], "db");
rmSync("db", { recursive: true });
for (let n = 0; n < 2; n++) show("databases", run(withDatabase, [], { cwd: join(root, "work") }));

console.log("== pages");
write({
  "pages/server.ts": `
import page from "./page.html";
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, routes: { "/some/where": page } });
const text = async (path: string) => (await fetch(new URL(path, server.url))).text();
const [, script] = /src="([^"]+)"/.exec(await text("/some/where"))!;
const [, lazy] = /import\\("([^"]+)"\\)/.exec(await text(script))!;
console.log(page.index, script.replace(/-[a-z0-9]{8}/, "-HASH"), (await text(new URL(lazy, new URL(script, server.url)).pathname)).includes("later"));
await server.stop(true);`,
  "pages/page.html": "<!doctype html><html><head></head><body><script type=module src=./page.js></script></body></html>",
  "pages/page.js": "document.title = 'in the browser'; import('./lazy.js');",
  "pages/lazy.js": "console.log('later');",
});
const withPage = build(["pages/server.ts", "--splitting"], "pages");
rmSync("pages", { recursive: true });
show("pages", run(withPage, [], { cwd: empty }));

console.log("== options");
write({ "o.js": "console.log(process.execArgv, process.title, process.env.FROM_FILE)" });
const fixed = build(["o.js", "--compile-exec-argv", "--title='a b' --smol", "--no-compile-autoload-dotenv", "--format", "cjs"], "fixed");
show("fixed", run(fixed, ["--title=c"], { cwd: join(root, "work") }));

console.log("== mistakes");
for (const args of [
  ["nowhere.js"],
  ["o.js", "--outdir", "x"],
  ["o.js", "--target", "bun-darwin-arm64"],
  ["o.js", "--target", "bun-amiga"],
  ["o.js", "--windows-icon", "x.ico"],
  ["o.js", "--compile-executable-path", "o.js"],
  ["o.js", "--compile-executable-path", "nowhere"],
  ["o.js", "--outfile", "work"],
  ["o.js", "--outfile", "/proc/x"],
  ["o.js", "--asset", "nowhere"],
  ["o.js", "--format", "iife"],
  ["o.js", "--declarations"],
]) {
  const { err, status } = run(bao, ["build", "--compile", ...args]);
  console.log(args.slice(1).join(" "), "|", err.split("\n").filter((line) => line.startsWith("error")).join(), status);
}
console.log(existsSync("x"), readdirSync(".").filter((name) => name.includes(".bao")));

console.log("== Bun.build");
const made = await Bun.build({ entrypoints: ["o.js"], compile: { outfile: "out/api", execArgv: ["--smol"] }, sourcemap: "external" });
console.log(made.success, made.outputs.map(({ path, kind, loader }) => [short(path), kind, loader]));
show("api", run(join(root, "out/api")));
for (const compile of [{ target: "bun-nothing" }, { execArgv: "x" }, { executablePath: "/nope" }, { windows: { icon: "a" } }, 5]) {
  try {
    await Bun.build({ entrypoints: ["o.js"], compile });
    console.log("built");
  } catch (error) {
    console.log(error.name, error.message.replace(bao, "BAO"));
  }
}
// A module for this machine is found where its name is put together; `process` of the program's own is another.
write({
  "machine/main.ts": `
    const { name } = await import(\`./for-\${process.platform}.\${process.arch}.ts\`);
    const own = (process) => process.platform;
    console.log(name, own({ platform: "own" }));`,
  [`machine/for-${process.platform}.${process.arch}.ts`]: 'export const name = "for this machine";',
});
const machine = build(["machine/main.ts"], "machine");
rmSync("machine", { recursive: true });
show("a module for this machine", run(machine));
process.chdir("/");
rmSync(root, { recursive: true });

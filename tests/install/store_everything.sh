# expected: the output of the isolated linker, and each line by Node where it has the API. The same program over packages that are files and over
# packages in archives: what reads, resolves, loads and starts prints the same.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
"$BAO" - "$T/packages.json" <<'JS'
// (module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
const wasm = "data:application/wasm;base64,AGFzbQEAAAABBwFgAn9/AX8DAgEABwcBA2FkZAAACgkBBwAgACABags=";
const files = {
  "lib/index.js": `const fs = require("node:fs"), path = require("node:path"), { createRequire } = require("node:module");
module.exports = { file: __filename, dir: __dirname, main: require.main === module, own: require("./data.json").n, parent: module.parent?.filename ?? null,
  b: createRequire(__filename)("b"), resolved: require.resolve("b"), paths: require.resolve.paths("b").length > 3, read: fs.readFileSync(path.join(__dirname, "..", "text.txt"), "utf8").trim() };\n`,
  "lib/data.json": '{"n":7}\n', "text.txt": "text of a\n",
  "meta.mjs": `import fs from "node:fs"; import data from "./lib/data.json" with { type: "json" };
const bytes = fs.readFileSync(new URL("./add.wasm.txt", import.meta.url), "utf8").trim();
const { instance } = await WebAssembly.instantiate(Buffer.from(bytes.split(",")[1], "base64"));
export const meta = { url: import.meta.url, file: import.meta.filename, dir: import.meta.dirname, main: import.meta.main, b: import.meta.resolve("b"), sum: instance.exports.add(40, 2), n: data.n,
  fetched: (await (await fetch(new URL("./text.txt", import.meta.url))).text()).trim(), later: (await import("./lib/index.js")).default.own };\n`,
  "add.wasm.txt": wasm + "\n",
  "worker.mjs": `import { parentPort, workerData } from "node:worker_threads"; import b from "b"; parentPort.postMessage([workerData, b, import.meta.filename.split("/").slice(-2).join("/")]);\n`,
  "web_worker.mjs": `import b from "b"; postMessage(["web", b]);\n`,
  "child.mjs": `#!/usr/bin/env node\nimport b from "b"; console.log("child", b, process.argv.slice(2).join()); process.send?.({ b });\n`,
  "bin/tool.sh": "#!/bin/sh\necho tool $1\n",
};
require("fs").writeFileSync(process.argv[2], JSON.stringify({
  a: { "1.0.0": { main: "lib/index.js", bin: { aye: "child.mjs", tool: "bin/tool.sh" }, dependencies: { b: "1.0.0" }, files } },
  b: { "1.0.0": { main: "b.js", files: { "b.js": "module.exports = 'b';\n" } } },
}));
JS
. "$HERE/support/made-up.sh"
export NO_COLOR=1
mkdir "$T/app"; cd "$T/app" || exit 1
PATH="$(dirname "$BAO"):$PATH"
echo '{"dependencies":{"a":"1.0.0"},"scripts":{"show":"aye script && tool script"}}' > package.json
ln -sf "$BAO" node; PATH="$PWD:$PATH"
cat > main.mjs <<'JS'
import fs from "node:fs";
import fsp from "node:fs/promises";
import path from "node:path";
import { createRequire, findPackageJSON } from "node:module";
import { pathToFileURL, fileURLToPath } from "node:url";
import { execFileSync, execSync, fork, spawn } from "node:child_process";
import { Worker as Thread } from "node:worker_threads";
import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { Writable } from "node:stream";
const require = createRequire(import.meta.url);
const short = (value) => JSON.stringify(value, (_, one) => (typeof one === "string" ? one.replaceAll(process.cwd(), "APP") : one));
const show = (name, ...values) => console.log(name, ...values.map((value) => (value === undefined ? "undefined" : short(value))));
const a = "node_modules/a", call = (name, ...args) => new Promise((done) => fs[name](...args, (error, value) => done(error ? `${error.code} ${error.syscall}` : value)));
show("require", require("a"), require.resolve("a/lib/data.json"), require.resolve(`${process.cwd()}/${a}`));
show("meta", (await import("a/meta.mjs")).meta, import.meta.resolve("a/meta.mjs"), fileURLToPath(import.meta.resolve("a")));
show("findPackageJSON", findPackageJSON("a", import.meta.url), findPackageJSON(pathToFileURL(require.resolve("a"))));
const stat = (one) => [one.isFile(), one.isDirectory(), one.isSymbolicLink(), one.isFile() ? one.size : "", one.mtime instanceof Date, typeof one.ino];
show("stat", stat(fs.statSync(a)), stat(fs.lstatSync(a)), stat(await fsp.stat(`${a}/text.txt`)), stat(await call("lstat", `${a}/text.txt`)), fs.statSync(`${a}/none`, { throwIfNoEntry: false }), fs.statSync(`${a}/text.txt`, { bigint: true }).size.toString());
show("readdir", fs.readdirSync(a), (await fsp.readdir(a, { withFileTypes: true })).map((one) => [one.name, one.isDirectory(), one.parentPath]), (await call("readdir", a, { recursive: true })).sort(), fs.readdirSync(`${a}/lib`, "buffer").map(String));
show("realpath", fs.realpathSync(`${a}/lib/../text.txt`), await fsp.realpath(a), await call("realpath", `${a}/bin`), fs.readlinkSync(a));
show("read", fs.readFileSync(`${a}/text.txt`, "utf8"), (await fsp.readFile(`${a}/text.txt`)).length, String(await call("readFile", `${a}/text.txt`)), fs.readFileSync(new URL(`${a}/text.txt`, import.meta.url), "latin1"), await call("readFile", `${a}/none`));
let streamed = "";
await pipeline(fs.createReadStream(`${a}/text.txt`, { highWaterMark: 3 }), new Writable({ write(chunk, _, done) { streamed += chunk; done(); } }));
const handle = await fsp.open(`${a}/text.txt`);
const lines = [];
for await (const line of handle.readLines()) lines.push(line);
show("streams", streamed, lines);
const fd = fs.openSync(`${a}/text.txt`), buffer = Buffer.alloc(4);
show("descriptors", fs.readSync(fd, buffer, 0, 4, 5), String(buffer), fs.fstatSync(fd).size, (await call("readv", fd, [buffer], 0)), fs.closeSync(fd));
const dir = await fsp.opendir(a), names = [];
for await (const one of dir) names.push(one.name);
const other = fs.opendirSync(`${a}/lib`);
show("opendir", names.sort(), [other.readSync().name, other.readSync().name].sort(), other.readSync(), other.closeSync());
show("access", fs.accessSync(`${a}/text.txt`), await call("access", `${a}/none`), await fsp.access(a, fs.constants.R_OK).then(() => "may"), await call("access", `${a}/child.mjs`, fs.constants.R_OK), fs.existsSync(a));
await fsp.cp(a, "copied", { recursive: true, dereference: true });
fs.cpSync(`${a}/lib`, "copied-lib", { recursive: true }); fs.copyFileSync(`${a}/text.txt`, "copied.txt"); await fsp.copyFile(`${a}/text.txt`, "copied2.txt"); await call("cp", `${a}/text.txt`, "copied3.txt");
show("cp", fs.readdirSync("copied"), fs.readdirSync("copied-lib"), [fs.readFileSync("copied.txt", "utf8"), fs.readFileSync("copied2.txt", "utf8"), fs.readFileSync("copied3.txt", "utf8")]);
show("glob", [...fs.globSync(`${a}/**/*.js*`)].sort(), await Array.fromAsync(fsp.glob(`${a}/*.txt`)).then((all) => all.sort()), [...new Bun.Glob("lib/*").scanSync(a)].sort());
const glob = (pattern, options) => [...new Bun.Glob(pattern).scanSync(options)].sort();
show("Bun.Glob", glob(`${a}/**/*.js`), glob("node_modules/*"), glob("node_modules/*", { onlyFiles: false }), glob("**/lib/*.json", { dot: true }), glob(`${a}/../a/lib/*`), glob("**/index.js", { dot: true, followSymlinks: true }), glob(`${process.cwd()}/${a}/*.txt`), glob("*.txt", { cwd: a, absolute: true }));
const bun = Bun.file(`${a}/text.txt`);
show("Bun.file", await bun.text(), bun.size, await bun.exists(), bun.type, await bun.slice(0, 4).text(), (await bun.stat()).size, await Bun.file(`${a}/none`).exists(), await Bun.readableStreamToText(bun.stream()), await new Response(bun).text());
show("Bun.resolve", Bun.resolveSync("a", process.cwd()), await Bun.resolve("a/meta.mjs", process.cwd()));
await Bun.write("written.txt", Bun.file(`${a}/text.txt`));
show("Bun.write", fs.readFileSync("written.txt", "utf8"));
const server = Bun.serve({ port: 0, fetch: () => new Response(Bun.file(`${a}/text.txt`)) });
show("served", await (await fetch(server.url)).text());
await server.stop(true);
const thread = new Thread(new URL(`./${a}/worker.mjs`, import.meta.url), { workerData: 1 });
show("worker_threads", (await once(thread, "message"))[0]);
const worker = new Worker(import.meta.resolve("a/web_worker.mjs"));
show("Worker", await new Promise((done) => (worker.onmessage = (event) => done(event.data))));
worker.terminate();
const forked = fork(require.resolve("a/child.mjs"), ["forked"], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
const [message] = await once(forked, "message");
show("fork", message, String(await forked.stdout.toArray()));
show("children", execFileSync("node", [`${a}/child.mjs`, "node"]).toString(), execFileSync(`./${a}/bin/tool.sh`, ["by path"]).toString(), execSync("aye shell; tool shell", { env: { ...process.env, PATH: `node_modules/.bin:${process.env.PATH}` } }).toString(), String(await spawn(process.execPath, [`${a}/child.mjs`, "spawn"]).stdout.toArray()));
show("shell", await Bun.$`cat ${a}/text.txt`.text(), await Bun.$`ls ${a}/lib`.text(), await Bun.$`cd ${a} && pwd && cat text.txt`.text().then((text) => text.replace(process.cwd(), "APP").split("/").at(-1)));
const watcher = fs.watch(`${a}/lib`, () => show("changed"));
watcher.close();
show("path", path.relative(process.cwd(), fs.realpathSync(a)), Object.keys(require.cache).filter((name) => name.includes("/a/")).length);
for (const name of ["copied", "copied-lib", "copied.txt", "copied2.txt", "copied3.txt", "written.txt"]) fs.rmSync(name, { recursive: true });
JS
for linker in isolated store; do
  rm -rf node_modules; "$BAO" install --linker=$linker > "$T/out" 2>&1 || cat "$T/out"
  "$BAO" main.mjs > "$T/$linker" 2>&1; echo "$linker: exit $?"
  { "$BAO" run show; node_modules/.bin/aye by hand; node_modules/.bin/tool by hand; "$BAO" x aye by x; "$BAO" -e 'import "a/child.mjs"'; } >> "$T/$linker" 2>&1
done
cat "$T/isolated"; diff "$T/isolated" "$T/store" && echo "the same from archives"

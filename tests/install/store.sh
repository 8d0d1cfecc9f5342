# expected: written by hand. The store linker: packages as archives, programs that read them, what is put on the disk, faults.
T=$(mktemp -d)
HERE=$(dirname "$0")
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"lib/index.js","bin":{"aye":"cli.js"},"dependencies":{"b":"^1.0.0","@s/c":"1.0.0"},
   "files":{"lib/index.js":"exports.b = require('b'); exports.c = require('@s/c').name; exports.file = __filename;\n",
            "lib/Case.js":"module.exports = 'upper';\n","lib/case.js":"module.exports = 'lower';\n",
            "cli.js":"#!/usr/bin/env node\nconsole.log('aye', process.argv.slice(2).join(' '), require('./lib').b);\n",
            "worker.js":"require('node:worker_threads').parentPort.postMessage(require('b'));\n",
            "tool.sh":"#!/bin/sh\necho tool $1\n"}}},
 "b":{"1.0.0":{"main":"b.js","files":{"b.js":"module.exports = 'b ' + require('./package.json').version;\n"}},
      "2.0.0":{"exports":{"import":"./b.mjs","require":"./b.cjs"},
         "files":{"b.mjs":"export default 'esm';\n","b.cjs":"module.exports = 'cjs';\n"}}},
 "@s/c":{"1.0.0":{"main":"i.js","files":{"i.js":"exports.name = 'c with ' + require('b');\n"},"dependencies":{"b":"1.0.0"}}},
 "addon":{"1.0.0":{"main":"i.js","dependencies":{"b":"1.0.0"},"files":{"i.js":"module.exports = require('b');\n","x.node":"no addon\n"}}}}
JSON
. "$HERE/support/made-up.sh"
mkdir -p "$T/app/packages/m"; cd "$T/app" || exit 1
PATH="$(dirname "$BAO"):$PATH"
install() { timeout 60 "$BAO" install --linker=store "$@" > "$T/out" 2>&1 || cat "$T/out"; }
disk() { find node_modules packages/*/node_modules -mindepth 1 \( -type f -o -type l \) 2>/dev/null | grep -v bao-state | sort; }
echo '{"name":"app","workspaces":["packages/*"],"dependencies":{"a":"1.0.0","b":"2.0.0","addon":"1.0.0"}}' > package.json
echo '{"name":"m","version":"1.0.0","main":"m.js","dependencies":{"b":"1.0.0"}}' > packages/m/package.json
echo 'console.log("member", require("b"));' > packages/m/m.js
install
echo "== disk"; disk; (cd "$T/cache/.bao-archives-1" && ls | sed 's/-[0-9a-f]*\././; s/localhost_[0-9]*/localhost_PORT/')
cat > main.mjs <<'JS'
import fs from "node:fs";
import { createRequire } from "node:module";
import { execFileSync, spawnSync, fork } from "node:child_process";
import { Worker } from "node:worker_threads";
import esm from "b";
const require = createRequire(import.meta.url);
const a = require("a");
const short = text => String(text).replaceAll(process.cwd(), "APP");
const attempt = call => { try { return call(); } catch (error) { return `${error.code} ${error.syscall} ${short(error.path)}`; } };
console.log(esm, require("b"), a.b, a.c, short(a.file), require("addon"));
const dir = "node_modules/a";
console.log(require("a/lib/Case.js"), require("a/lib/case.js"), short(require.resolve("a/package.json")));
console.log(short(fs.realpathSync(dir)), short(fs.realpathSync.native(`${dir}/lib/`)), fs.readlinkSync(dir));
console.log(fs.readdirSync(dir), fs.readdirSync(dir, { withFileTypes: true }).map(one => `${one.name}:${one.isFile()}`).join());
console.log(fs.readdirSync(dir, { recursive: true }).length, fs.existsSync(`${dir}/cli.js`), fs.existsSync(`${dir}/none`));
const status = fs.statSync(`${dir}/cli.js`), link = fs.lstatSync(dir);
console.log(status.isFile(), status.size, (status.mode & 0o777).toString(8), link.isSymbolicLink(), fs.statSync(dir).isDirectory());
const fd = fs.openSync(`${dir}/cli.js`, "r");
const buffer = Buffer.alloc(19);
console.log(fs.readSync(fd, buffer, 0, 19, 0), buffer.toString(), fs.fstatSync(fd).ino === status.ino, attempt(() => fs.writeSync(fd, "x")));
fs.closeSync(fd);
const text = fs.readFileSync(`${dir}/lib/index.js`, "utf8");
console.log((await fs.promises.readFile(`${dir}/lib/index.js`, "utf8")) === text, (await Bun.file(`${dir}/lib/index.js`).text()) === text,
  fs.readFileSync(`${dir}/lib/index.js`).equals(await fs.promises.readFile(`${dir}/lib/index.js`)), await Bun.file(`${dir}/lib/index.js`).exists());
let streamed = "";
for await (const piece of fs.createReadStream(`${dir}/lib/index.js`, { encoding: "utf8", start: 0, highWaterMark: 10 })) streamed += piece;
const handle = await fs.promises.open(`${dir}/lib/index.js`);
console.log(streamed === text, (await handle.readFile("utf8")) === text, (await handle.stat()).size);
await handle.close();
const names = [];
for await (const one of await fs.promises.opendir(`${dir}/lib`)) names.push(one.name);
console.log(names, await fs.promises.access(`${dir}/cli.js`).then(() => "access"));
console.log(await new Promise(done => fs.stat(`${dir}/none`, error => done(`${error.code} ${error.syscall} ${error.path}`))));
for (const call of [
  () => fs.readFileSync(`${dir}/none`), () => fs.readFileSync(`${dir}/lib`), () => fs.readdirSync(`${dir}/cli.js`),
  () => fs.statSync(`${dir}/cli.js/x`), () => fs.writeFileSync(`${dir}/new`, ""), () => fs.appendFileSync(`${dir}/cli.js`, ""),
  () => fs.unlinkSync(`${dir}/cli.js`), () => fs.mkdirSync(`${dir}/x`), () => fs.renameSync(`${dir}/cli.js`, "x"), () => fs.rmSync(`${dir}/lib`, { recursive: true }),
  () => fs.chmodSync(`${dir}/cli.js`, 0o777), () => fs.accessSync(`${dir}/cli.js`, fs.constants.W_OK), () => fs.truncateSync(`${dir}/cli.js`),
]) console.log(attempt(call));
fs.cpSync(dir, "copied", { recursive: true, dereference: true });
fs.copyFileSync(`${dir}/cli.js`, "cli-copy.js");
console.log(fs.readdirSync("copied"), fs.readFileSync("cli-copy.js", "utf8").length === status.size);
console.log(execFileSync(`${dir}/cli.js`, ["spawned"], { encoding: "utf8" }).trim(), execFileSync(process.execPath, [`${dir}/cli.js`, "started"], { encoding: "utf8" }).trim());
console.log(spawnSync(`${dir}/tool.sh`, ["works"], { encoding: "utf8" }).stdout.trim());
console.log(await new Promise(done => new Worker(require.resolve("a/worker.js")).on("message", done)));
console.log(fs.readdirSync("node_modules").filter(name => !name.startsWith(".bao-")).join(" "));
fs.mkdirSync("node_modules/.cache/x", { recursive: true });
fs.writeFileSync("node_modules/.cache/x/y", "kept");
console.log(fs.readFileSync("node_modules/.cache/x/y", "utf8"));
JS
# What it has tried to write into would be put on the disk by the next install (store_written.sh).
echo "== program"; "$BAO" main.mjs 2>&1; cat node_modules/.bao-writes; rm node_modules/.bao-writes
echo "== commands"; node_modules/.bin/aye by hand; "$BAO" run aye by name; "$BAO" x aye by x; "$BAO" node_modules/a/cli.js by path; "$BAO" packages/m/m.js; (cd packages/m && "$BAO" m.js)
echo "== again"; install; grep -o "no changes" "$T/out"
echo "== two at once"; rm -rf node_modules "$T/cache"; install & ONE=$!; timeout 60 "$BAO" install --linker=store > "$T/second" 2>&1 & TWO=$!; wait $ONE $TWO; "$BAO" -p 'require("a").b'
echo "== killed"
for delay in 0.01 0.02 0.03 0.05 0.08; do
  rm -rf node_modules "$T/cache"
  "$BAO" install --linker=store > /dev/null 2>&1 & PID=$!
  sleep $delay; kill -9 $PID 2> /dev/null; wait $PID 2> /dev/null
  install; "$BAO" -p 'require("a").c'
done
echo "== materialized"; "$BAO" pm materialize a; find node_modules/a/ -name cli.js; "$BAO" -p 'require("a").c'; install --force; find node_modules/a/ -name cli.js
"$BAO" pm materialize > "$T/out" 2>&1 || cat "$T/out"; cat node_modules/.bun/b@2.0.0/node_modules/b/b.cjs; "$BAO" main.mjs > "$T/all" 2>&1; head -1 "$T/all"
rm -rf node_modules; install; find node_modules/.bun -name '*.js' | sort
echo "== deleted while it runs"
T=$T "$BAO" -e 'require("a"); require("fs").rmSync(process.env.T + "/cache", { recursive: true }); console.log(require("a/lib/case.js"))'
echo "== gone"; "$BAO" -e 'require("a")' 2>&1 | sed "s,$T,T,g; s/localhost_[0-9]*/localhost_PORT/" | grep warn | sed 's/-[0-9a-f]*\.bao/.bao/' | sort -u
install; "$BAO" -p 'require("a").b'
ARCHIVE=$(ls "$T"/cache/.bao-archives-1/a@*.bao)
echo "== truncated"; cp "$ARCHIVE" "$T/whole"; head -c 900 "$T/whole" > "$ARCHIVE"; "$BAO" -e 'require("a")' 2>&1 | grep -o 'warn: node_modules/[^ ]*\|it is truncated'
echo "== flipped"; "$BAO" - "$T/whole" "$ARCHIVE" <<'JS'
const fs = require("fs"), bytes = fs.readFileSync(process.argv[2]);
bytes[bytes.indexOf("exports.file") + 3] ^= 1;
fs.writeFileSync(process.argv[3], bytes);
JS
"$BAO" -e 'require("a")' 2>&1 | grep -o 'a file in it is damaged'
install --force; "$BAO" -p 'require("a").b'
echo "== other linker"; timeout 60 "$BAO" install --linker=hoisted > "$T/out" 2>&1 || cat "$T/out"; ls -d node_modules/a/cli.js node_modules/.bao-store 2>&1; "$BAO" -p 'require("a").b'

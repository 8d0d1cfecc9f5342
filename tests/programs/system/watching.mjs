import chokidar from "chokidar";
import fs from "node:fs";
fs.mkdirSync("watched/sub", { recursive: true });
fs.writeFileSync("watched/first", "1");
const watcher = chokidar.watch("watched", { cwd: "." });
const next = (event, name) =>
  new Promise((done) =>
    watcher.on(event, function check(file) {
      if (file === name) {
        watcher.off(event, check);
        done(console.log(event, file));
      }
    }),
  );
const initial = [];
watcher.on("all", (e, f) => initial.push(`${e} ${f}`));
await new Promise((r) => watcher.once("ready", r));
console.log(initial.sort());
watcher.removeAllListeners("all");
let seen = next("add", "watched/sub/new");
fs.writeFileSync("watched/sub/new", "x");
await seen;
seen = next("change", "watched/first");
fs.writeFileSync("watched/first", "more text");
await seen;
seen = next("unlink", "watched/first");
fs.unlinkSync("watched/first");
await seen;
seen = next("addDir", "watched/d2");
fs.mkdirSync("watched/d2");
await seen;
seen = next("unlinkDir", "watched/sub");
fs.rmSync("watched/sub", { recursive: true });
await seen;
console.log(Object.keys(watcher.getWatched()).length > 0);
await watcher.close();
console.log("closed");

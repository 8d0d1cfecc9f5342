// fs.watch (plain, recursive, as an iterator) and fs.watchFile. Only what every system reports is printed.
const fs = require("node:fs");
const fsp = require("node:fs/promises");
const path = require("node:path");
const dir = fs.mkdtempSync(path.join(require("node:os").tmpdir(), "bao-fs-"));
const at = (name) => path.join(dir, name);
const until = (emitter, event, test) => new Promise((resolve) => {
  emitter.on(event, function listener(...args) {
    if (test(...args)) {
      emitter.off(event, listener);
      resolve(args);
    }
  });
});

(async () => {
  const plain = fs.watch(dir);
  const created = until(plain, "change", (type, name) => name === "new");
  fs.writeFileSync(at("new"), "");
  console.log("plain", await created);
  const changed = until(plain, "change", (type, name) => type === "change");
  fs.appendFileSync(at("new"), "x");
  console.log("plain", await changed);
  plain.close();
  await until(plain, "close", () => true);
  console.log("closed");

  fs.mkdirSync(at("a/b"), { recursive: true });
  const deep = fs.watch(dir, { recursive: true, ignore: "*.log" });
  const found = until(deep, "change", (type, name) => name === path.join("a", "b", "file"));
  fs.writeFileSync(at("a/b/x.log"), "");
  fs.writeFileSync(at("a/b/file"), "");
  console.log("recursive", await found);
  const below = until(deep, "change", (type, name) => name === path.join("c", "d", "late"));
  fs.mkdirSync(at("c/d"), { recursive: true });
  setTimeout(() => fs.writeFileSync(at("c/d/late"), ""), 50);
  console.log("new directories", (await below)[1]);
  deep.close();

  const controller = new AbortController();
  try {
    setTimeout(() => fs.writeFileSync(at("again"), ""), 20);
    for await (const event of fsp.watch(dir, { signal: controller.signal })) {
      if (event.filename === "again") controller.abort();
    }
  } catch (e) {
    console.log("iterator", e.name);
  }

  const watched = at("polled");
  const poll = new Promise((resolve) => {
    fs.watchFile(watched, { interval: 20 }, (now, before) => {
      if (now.size === 3) resolve([before.size, now.isFile()]);
      else fs.writeFileSync(watched, "abc");
    });
  });
  console.log("polled", await poll);
  fs.unwatchFile(watched);
  try {
    fs.watch(at("none"));
  } catch (e) {
    console.log(e.code, e.syscall, path.basename(e.path));
  }
  fs.rmSync(dir, { recursive: true });
})();

const watcher = require("@parcel/watcher");
const fs = require("fs"),
  path = require("path");
(async () => {
  const dir = fs.realpathSync(fs.mkdtempSync("/tmp/pw-"));
  const seen = [];
  let wake;
  const sub = await watcher.subscribe(dir, (err, events) => {
    for (const e of events) seen.push(e.type + " " + path.basename(e.path));
    wake?.();
  });
  const wait = () =>
    new Promise((r) => {
      wake = r;
    });
  let w = wait();
  fs.writeFileSync(path.join(dir, "a.txt"), "1");
  await w;
  const snapshot = path.join(dir, "..", path.basename(dir) + ".snap");
  await watcher.writeSnapshot(dir, snapshot);
  w = wait();
  fs.unlinkSync(path.join(dir, "a.txt"));
  await w;
  console.log(seen);
  console.log((await watcher.getEventsSince(dir, snapshot)).map((e) => e.type));
  await sub.unsubscribe();
  fs.rmSync(dir, { recursive: true });
  fs.rmSync(snapshot);
})();

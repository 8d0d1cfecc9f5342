# --isolate: environment, working directory, listeners, timers and what else a file leaves behind end with it. The first part was
# recorded with Bun.
. support/lib.sh
file a.test.ts <<'TS'
import { test } from "bun:test";
test("leaves things", async () => {
  process.env.LEAK = "1";
  process.env.KEPT = "changed";
  delete process.env.GONE;
  process.chdir("/");
  process.on("exit", () => console.log("an exit listener"));
  process.on("warning", () => {});
  process.umask(0o077);
  setInterval(() => console.log("a timer"), 1);
  setTimeout(() => { throw new Error("a late one"); }, 30);
  (globalThis as any).leak = 1;
  (process as any).mine = 1;
});
TS
file b.test.ts <<'TS'
import { test } from "bun:test";
test("finds nothing", async () => {
  await Bun.sleep(60);
  console.log(process.env.LEAK, process.env.KEPT, process.env.GONE, process.cwd().split("/").length > 2);
  console.log(process.listenerCount("exit"), process.listenerCount("warning"), (globalThis as any).leak, (process as any).mine);
});
TS
export KEPT=kept GONE=here
umask 022
t --isolate ./a.test.ts ./b.test.ts
# bao's own.
file c.test.ts <<'TS'
import { test } from "bun:test";
import { watch } from "node:fs";
import { createServer } from "node:net";
import { spawn } from "node:child_process";
test("leaves handles", async () => {
  const server = Bun.serve({ port: 0, fetch: () => new Response("here") });
  const other = createServer().listen(0);
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  const second = Bun.spawn(["sleep", "60"], { stdio: ["ignore", "ignore", "ignore"] });
  watch(".");
  new Worker("data:text/javascript,setInterval(() => {}, 1000)");
  setInterval(() => {}, 60_000);
  await fetch(server.url);
  require("node:fs").writeFileSync("left.json", JSON.stringify([server.port, (other.address() as any).port, child.pid, second.pid]));
});
TS
file d.test.ts <<'TS'
import { test } from "bun:test";
const reaches = (port: number) => new Promise((resolve) => {
  const socket = require("node:net").connect(port, "127.0.0.1");
  socket.on("connect", () => { socket.destroy(); resolve(true); });
  socket.on("error", () => resolve(false));
});
const runs = (pid: number) => { try { return require("node:fs").readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1][0] !== "Z"; } catch { return false; } };
test("they are gone", async () => {
  await Bun.sleep(100);
  const [one, two, three, four] = JSON.parse(require("node:fs").readFileSync("left.json", "utf8"));
  console.log(await reaches(one), await reaches(two), runs(three), runs(four));
});
TS
t --isolate ./c.test.ts ./d.test.ts
"$BAO" test --detect-open-handles --no-orphans ./c.test.ts 2>&1 | mask | sed -E 's/(port|pid) [0-9]+/\1 N/' | grep -E 'leaves|open|Wrap|Worker|Timeout|      at'
# --no-orphans has ended the processes.
python3 -c '
import json, os
print([os.path.exists(f"/proc/{pid}") and open(f"/proc/{pid}/stat").read().split(") ")[1][0] != "Z" for pid in json.load(open("left.json"))[2:]])'

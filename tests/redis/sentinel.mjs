// expected: written by hand
// RedisClient with sentinels: the client finds the master, and after a fail-over the new one.
import { RedisClient } from "bun";
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { freePort, outcome, startRedis, until } from "./support/server.mjs";

const say = (...what) => console.log(...what);
const first = await startRedis("sentinel.out");
const second = await startRedis("sentinel.out", ["--replicaof", `127.0.0.1 ${first.port}`, "--repl-diskless-sync-delay", "0"]);
const folder = mkdtempSync(path.join(os.tmpdir(), "bao-sentinel-"));
const port = await freePort();
const file = path.join(folder, "sentinel.conf");
writeFileSync(
  file,
  `port ${port}\nbind 127.0.0.1\ndir ${folder}\nsentinel monitor group 127.0.0.1 ${first.port} 1\nsentinel down-after-milliseconds group 500\nsentinel failover-timeout group 3000\n`,
);
const sentinel = spawn("redis-server", [file, "--sentinel"], { stdio: "ignore" });
process.on("exit", () => {
  sentinel.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
const admin = new RedisClient(second.url);
await until(async () => (await admin.send("INFO", ["replication"])).includes("master_link_status:up"));
// The sentinel has to learn of the replica.
const watcher = new RedisClient(`redis://127.0.0.1:${port}`);
await until(async () => (await outcome(watcher.send("SENTINEL", ["replicas", "group"]))).length === 1);

const nobody = await freePort();
const options = { sentinels: [{ host: "127.0.0.1", port: nobody }, `127.0.0.1:${port}`], name: "group", maxRetries: 1000 };
const client = new RedisClient(undefined, options);
say(await client.set("k", "before"), await client.get("k"));
await client.send("WAIT", ["1", "5000"]);
await first.stop();
// Commands wait for the new master, or are told that nobody knows whether they ran.
await until(async () => (await outcome(client.set("k2", "after"))) === "OK");
say(await client.get("k"), await client.get("k2"), (await client.send("ROLE", []))[0]);

say(await outcome(new RedisClient(undefined, { ...options, name: "other", maxRetries: 0 }).get("k")));
for (const wrong of [{ sentinels: [] }, { sentinels: ["a"] }, { sentinels: [5], name: "x" }]) {
  try {
    new RedisClient(undefined, wrong);
  } catch ({ name, code, message }) {
    say(name, code, message);
  }
}
process.exit();

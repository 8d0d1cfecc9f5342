// expected: written by hand
// RedisClient with a cluster of three servers: commands go to the server of their key, redirections are followed, also while slots move
// and when the client does not know that they have moved.
import { RedisClient } from "bun";
import { outcome, startRedis, until } from "./support/server.mjs";

const say = (...what) => console.log(...what);
const servers = [];
for (let i = 0; i < 3; i++) servers.push(await startRedis("cluster.out", ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"]));
const admins = servers.map(({ url }) => new RedisClient(url));
const ids = await Promise.all(admins.map((admin) => admin.send("CLUSTER", ["MYID"])));
const ranges = [[0, 5460], [5461, 10922], [10923, 16383]];
for (let i = 0; i < 3; i++) {
  await admins[i].send("CLUSTER", ["ADDSLOTSRANGE", ...ranges[i].map(String)]);
  if (i > 0) await admins[0].send("CLUSTER", ["MEET", "127.0.0.1", String(servers[i].port)]);
}
const isUp = async (admin) => {
  const info = await admin.send("CLUSTER", ["INFO"]);
  return info.includes("cluster_state:ok") && info.includes("cluster_known_nodes:3");
};
for (const admin of admins) await until(() => isUp(admin));

const client = new RedisClient(servers[0].url, { cluster: true });
say(client.connected, await client.set("k", 1), client.connected);
const keys = Array.from({ length: 300 }, (_, n) => `key ${n}`);
await Promise.all(keys.map((key) => client.set(key, key)));
say((await Promise.all(keys.map((key) => client.get(key)))).every((value, i) => value === keys[i]));
const sizes = await Promise.all(admins.map((admin) => admin.dbsize()));
say("spread:", sizes.every((size) => size > 50), sizes.reduce((sum, size) => sum + size) === 301);
say(await client.mset("{tag}a", 1, "{tag}b", 2), await client.mget("{tag}a", "{tag}b"), await outcome(client.mget("a", "b", "c")));
say(await client.send("EVAL", ["return redis.call('get', KEYS[1])", "1", "k"]), await client.xadd("stream", "1-1", "f", "v"), await client.xread("COUNT", 1, "STREAMS", "stream", "0") !== null);
say(await client.multi().set("{t}x", 1).incr("{t}x").exists("{t}x").exec(), await client.exists("k"), await client.getBuffer("k"), await client.ping());
say(await outcome(client.incr("key 1")));

// The slot of "k" moves from its server to another. While it moves, what is not there is asked for at the other.
const slot = String(await admins[0].send("CLUSTER", ["KEYSLOT", "k"]));
const from = ranges.findIndex(([first, last]) => first <= slot && slot <= last);
const to = (from + 1) % 3;
await admins[to].send("CLUSTER", ["SETSLOT", slot, "IMPORTING", ids[from]]);
await admins[from].send("CLUSTER", ["SETSLOT", slot, "MIGRATING", ids[to]]);
say("moving:", await client.get("k"), await client.set("{k}new", "there"), await client.get("{k}new"));
await admins[from].send("MIGRATE", ["127.0.0.1", String(servers[to].port), "k", "0", "5000"]);
say(await client.get("k"));
for (const i of [to, from, 3 - from - to]) await admins[i].send("CLUSTER", ["SETSLOT", slot, "NODE", ids[to]]);
say("moved:", await client.get("k"), await client.get("{k}new"), await client.set("k", 2), await client.get("k"));

// A server that ends and comes back: other slots go on, and its own are answered again.
await servers[to].stop();
await servers[to].start();
say("again:", (await Promise.all(keys.map((key) => outcome(client.set(key, "x"))))).every((value) => value === "OK"));
try {
  client.subscribe("channel", () => {});
} catch ({ code, message }) {
  say(code, message);
}
client.close();
say(await outcome(client.get("k")));
const list = new RedisClient(undefined, { cluster: [`127.0.0.1:1`, { host: "127.0.0.1", port: servers[1].port }] });
say(await list.set("k", 3), await list.get("k"));
process.exit();

// expected: written by hand
// RedisClient with a server that does not know HELLO, as before Redis 6: replies in RESP2 have the types of RESP3, messages are told from
// replies. The server is a real one behind a proxy that refuses HELLO.
import { RedisClient } from "bun";
import net from "node:net";
import { outcome, startRedis } from "./support/server.mjs";

const say = (...what) => console.log(...what);
const redis = await startRedis("resp2.out");
const refused = [];
let mode = "unknown";
const proxy = net.createServer((socket) => {
  const server = net.connect(redis.port, "127.0.0.1");
  let isFirst = true;
  socket.on("data", (chunk) => {
    if (isFirst) {
      isFirst = false;
      const end = chunk.indexOf("*", 1);
      const hello = end < 0 ? chunk : chunk.subarray(0, end);
      refused.push(hello.toString().split("\r\n").filter((_, i) => i % 2 === 0).slice(1, -1).join(" "));
      if (mode === "unknown") socket.write("-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n");
      else if (mode === "noproto") socket.write("-NOPROTO unsupported protocol version\r\n");
      else socket.write("*4\r\n$6\r\nserver\r\n$5\r\nredis\r\n$5\r\nproto\r\n:2\r\n");
      if (end < 0) return;
      chunk = chunk.subarray(end);
    }
    server.write(chunk);
  });
  server.pipe(socket);
  for (const one of [socket, server]) one.on("error", () => {}).on("close", () => (socket.destroy(), server.destroy()));
});
await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
const url = `redis://127.0.0.1:${proxy.address().port}`;

for (mode of ["unknown", "noproto", "stays"]) {
  const client = new RedisClient(url);
  say(mode, (await client.connect()) !== undefined, await client.set("k", mode), await client.get("k"));
  client.close();
}
mode = "unknown";
const client = new RedisClient(`${url}/2`);
await client.del("h", "z", "l", "s", "k");
say(await client.hset("h", { a: 1, b: "x" }), await client.hgetall("h"), await client.hgetall("none"), await client.hget("h", "none"));
say(await client.zadd("z", 1.5, "a", "inf", "b"), await client.zscore("z", "a"), await client.zscore("z", "b"), await client.zscore("z", "c"), await client.zincrby("z", 1, "a"), await client.zmscore("z", "a", "c"));
say(await client.zrange("z", 0, -1), await client.zrange("z", 0, -1, "WITHSCORES"));
say(await client.exists("h"), await client.exists("none"), await client.sadd("s", "a"), await client.sismember("s", "a"), await client.smembers("s"), await client.lpush("l", "message", "a"), await client.lrange("l", 0, -1));
say(await client.getBuffer("none"), await client.set("k", new Uint8Array([0, 255])), await client.getBuffer("k"), await outcome(client.incr("h")));
say(await client.send("CONFIG", ["GET", "maxmemory"]), await client.multi().set("m", 1).incr("m").exec());
say((await Promise.all(Array.from({ length: 1000 }, (_, n) => client.set(`n${n}`, String(n)).then(() => client.get(`n${n}`))))).every((value, n) => value === String(n)));

// Messages, with a list that looks like one asked for before them.
const got = [];
const { promise: three, resolve } = Promise.withResolvers();
const take = (...what) => got.push(what) === 3 && resolve();
const list = client.lrange("l", 0, -1);
await client.lpush("l", "news", "message");
const other = client.lrange("l", 0, 1);
say(await client.subscribe(["news", "other"], take), await client.psubscribe("n*", take), await list, await other);
const publisher = new RedisClient(redis.url);
say(await publisher.publish("news", "first"), await publisher.publish("other", "second"));
await three;
say(got);
await client.unsubscribe();
await client.punsubscribe();
say(await client.lrange("l", 0, 0), await client.get("m"));

// A password is told by AUTH.
await publisher.send("CONFIG", ["SET", "requirepass", "pass"]);
const known = new RedisClient(url.replace("//", "//:pass@"));
say(await known.get("k") !== undefined);
const wrong = new RedisClient(url.replace("//", "//someone:wr0ng@"));
const error = await wrong.get("k").then(() => undefined, (reason) => reason);
say(error.code, error.message.replace(/ or user is disabled/, ""), error.username, error.address === new URL(url).host, Bun.inspect(error).includes("wr0ng"));
for (const one of [client, publisher, known, wrong]) one.close();
proxy.close();
process.exit();

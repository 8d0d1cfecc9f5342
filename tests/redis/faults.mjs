// expected: written by hand
// RedisClient when the server ends: what was acknowledged is there, commands without a reply are rejected, and the client connects again
// by itself. Subscriptions that are refused, large values, and many commands in one turn.
import { RedisClient } from "bun";
import { outcome, startRedis } from "./support/server.mjs";

const say = (...what) => console.log(...what);
const redis = await startRedis("faults.out", ["--appendonly", "yes", "--appendfsync", "always"]);
const client = new RedisClient(redis.url);

// Twenty times the server is killed while commands are under way: none that was acknowledged is lost.
const acknowledged = new Set();
let rejected = 0;
let next = 0;
for (let round = 0; round < 20; round++) {
  const running = [];
  for (let i = 0; i < 50; i++) {
    const n = next++;
    running.push(client.set(`n${n}`, String(n)).then(() => acknowledged.add(n), () => rejected++));
    if (i === 25) await Promise.race(running);
  }
  await redis.stop();
  await redis.start();
  await Promise.all(running);
}
const values = await client.mget(...Array.from({ length: next }, (_, n) => `n${n}`));
say("lost:", [...acknowledged].filter((n) => values[n] !== String(n)).length, "told of all:", acknowledged.size + rejected === next, acknowledged.size >= 20);

// Values of many bytes, which come in pieces, and of every length around the edges of buffers.
for (const size of [0, 1, 4095, 4096, 65535, 65536, 1 << 20, (16 << 20) + 3]) {
  const value = Buffer.alloc(size, "0123456789abcdef");
  await client.set("large", value);
  const [text, bytes] = await Promise.all([client.get("large"), client.getBuffer("large")]);
  if (text !== value.toString() || !value.equals(bytes)) say("not the same:", size);
}
const texts = ["\u00e9", "\u{1F600}".repeat(50), "a\r\n$5\r\nb", "\u0000", "x".repeat(5000) + "\u00ff"];
for (const text of texts) await client.set(text, text);
say("texts:", (await Promise.all(texts.map((text) => client.get(text)))).every((value, i) => value === texts[i]));

// A hundred thousand commands in one turn are answered in their order.
const many = await Promise.all(Array.from({ length: 100_000 }, (_, n) => (n % 1000 === 7 ? outcome(client.incr("n1x")) : client.incrby("count", n % 3))));
say("many:", many.length, many.at(-1));
// A list of many elements, and maps within lists.
await client.del("list");
for (let i = 0; i < 100; i++) await client.rpush("list", ...Array.from({ length: 1000 }, (_, n) => `element ${i * 1000 + n}`));
const all = await client.lrange("list", 0, -1);
say("list:", all.length, all.every((element, n) => element === `element ${n}`));
say("function list:", await client.send("FUNCTION", ["LIST"]), await client.send("COMMAND", ["INFO", "get"]).then(([[name, arity]]) => [name, arity]));

// A subscription that the server refuses is an error of that call only.
await client.send("ACL", ["SETUSER", "reader", "on", ">pass", "~*", "+@all", "resetchannels", "&open"]);
const reader = new RedisClient(redis.url.replace("//", "//reader:pass@"));
const replies = [reader.get("count"), outcome(reader.subscribe("closed", () => {})), outcome(reader.subscribe("open", () => {}))];
say(await Promise.all(replies).then(([count, ...rest]) => [count === String(many.at(-1)), ...rest]));
await reader.unsubscribe();
say(await reader.get("n0"));

// The server says that it ends in the middle of a reply.
reader.close();
client.close();
process.exit();

// GET and SET with Bun.RedisClient (bao, Bun) or the package that CLIENT names (ioredis; Node): one after the other, 100 clients at once, and 1,000 in one turn.
// REDIS_URL names the server. Prints microseconds of wall time and of CPU for an operation.
import { redis } from "./clients.mjs";

const url = process.env.REDIS_URL ?? "redis://127.0.0.1:6379";
const value = "x".repeat(64);
const client = await redis(url);
await client.set("bench", value);

async function measure(name, count, run) {
  await run(Math.ceil(count / 10));
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await run(count);
  const time = ((performance.now() - begun) * 1000) / count;
  const { user, system } = process.cpuUsage(cpu);
  console.log(`${name.padEnd(22)} ${time.toFixed(2).padStart(8)} us ${((user + system) / count).toFixed(2).padStart(8)} us CPU`);
}

await measure("get alone", 20_000, async (count) => {
  for (let i = 0; i < count; i++) await client.get("bench");
});
await measure("set alone", 20_000, async (count) => {
  for (let i = 0; i < count; i++) await client.set("bench", value);
});
await measure("get, 1,000 in a turn", 200_000, async (count) => {
  for (let i = 0; i < count; i += 1000) await Promise.all(Array.from({ length: 1000 }, () => client.get("bench")));
});
await measure("set, 1,000 in a turn", 200_000, async (count) => {
  for (let i = 0; i < count; i += 1000) await Promise.all(Array.from({ length: 1000 }, () => client.set("bench", value)));
});
const clients = await Promise.all(
  Array.from({ length: 100 }, () => redis(url)),
);
await measure("get, 100 clients", 100_000, async (count) => {
  await Promise.all(
    clients.map(async (one) => {
      for (let i = 0; i < count / 100; i++) await one.get("bench");
    }),
  );
});
for (const one of clients) one.close();
client.close();

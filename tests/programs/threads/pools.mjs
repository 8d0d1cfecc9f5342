// piscina, tinypool, workerpool: the same program is the pool's worker and its user.
import { isMainThread, MessageChannel, threadId, workerData } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import Piscina from "piscina";
import { Tinypool } from "tinypool";
import workerpool from "workerpool";

const filename = fileURLToPath(import.meta.url);

export default function work({ kind, value, port }) {
  switch (kind) {
    case "square":
      return value * value;
    case "sum":
      return value.reduce((a, b) => a + b, 0);
    case "fail":
      throw new RangeError(`no ${value}`);
    case "data":
      return workerData.length > 0;
    case "port":
      port.postMessage(`through the port: ${value}`);
      return "sent";
    case "move":
      return Piscina.move(new Uint8Array(value).fill(7));
    case "slow":
      return new Promise((resolve) => setTimeout(resolve, value, "slept"));
  }
}
export const named = (text) => text.toUpperCase();

if (isMainThread) {
  for (const [name, Pool] of [["piscina", Piscina], ["tinypool", Tinypool]]) {
    const pool = new Pool({ filename, minThreads: 2, maxThreads: 2 });
    const squares = await Promise.all(Array.from({ length: 20 }, (_, value) => pool.run({ kind: "square", value })));
    console.log(name, squares.join());
    console.log(await pool.run({ kind: "sum", value: Float64Array.from([1, 2, 3.5]) }));
    console.log(await pool.run("hello", { name: "named" }));
    await pool.run({ kind: "fail", value: "way" }).catch((error) => console.log(error.name, error.message, error instanceof RangeError));
    const { port1, port2 } = new MessageChannel();
    const arrived = new Promise((resolve) => port1.once("message", resolve));
    console.log(await pool.run({ kind: "port", value: 5, port: port2 }, { transferList: [port2] }), await arrived);
    port1.close();
    if (name === "piscina") {
      const moved = await pool.run({ kind: "move", value: 10 });
      console.log(moved.length, moved[9]);
    }
    const controller = new AbortController();
    const aborted = pool.run({ kind: "slow", value: 100000 }, { signal: controller.signal }).catch((error) => error.name);
    controller.abort();
    console.log(await aborted);
    console.log(pool.threads.length, await pool.run({ kind: "slow", value: 5 }));
    await pool.destroy();
  }
  const pool = workerpool.pool({ maxWorkers: 2, workerType: "thread" });
  console.log("workerpool", await pool.exec((a, b) => a + b, [3, 4]));
  console.log((await Promise.all([1, 2, 3].map((n) => pool.exec((x) => x * 10, [n])))).join());
  await pool.exec(() => { throw new TypeError("offloaded"); }).catch((error) => console.log(error.name, error.message));
  const endless = pool.exec(() => { for (;;); });
  await endless.timeout(50).catch((error) => console.log(error.constructor.name));
  console.log(pool.stats().totalWorkers <= 2);
  await pool.terminate();
  console.log(threadId);
}

// The web's Worker with TypeScript, blob: URLs and errors, as Bun has it.
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";

const dir = mkdtempSync(join(tmpdir(), "bao-worker-"));
writeFileSync(join(dir, "w.ts"), `
interface M { n: number }
self.onmessage = (event: MessageEvent<M>) => {
  postMessage({ n: event.data.n * 2, name, global: typeof onmessage } satisfies object);
};
`);
const event = (target, type) => new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));
try {
  const worker = new Worker(new URL(`file://${dir}/w.ts`), { name: "doubler" });
  worker.postMessage({ n: 21 });
  await event(worker, "open");
  console.log((await event(worker, "message")).data);
  const closed = event(worker, "close");
  worker.terminate();
  console.log((await closed).code);
  const blob = new Worker(URL.createObjectURL(new Blob(["postMessage('from a blob'); close()"])));
  console.log((await event(blob, "message")).data);
  const missing = new Worker(join(dir, "nothing.ts"));
  const error = await event(missing, "error");
  console.log(error instanceof ErrorEvent, error.message.includes("nothing.ts"));
  // Many workers one after the other: what one held is freed.
  for (let index = 0; index < 20; index++) {
    const one = new Worker(URL.createObjectURL(new Blob([`postMessage("x".repeat(${index}).length)`])));
    // The end may come with the message.
    const closed = event(one, "close");
    if ((await event(one, "message")).data !== index) console.log("wrong", index);
    await closed;
  }
  console.log("end");
} finally {
  rmSync(dir, { recursive: true });
}

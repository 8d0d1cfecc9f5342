// Part of train.sh: what a server does without a socket: requests, JSON, URLs, streams, timers, an async context.
import { AsyncLocalStorage } from "node:async_hooks";

const encoder = new TextEncoder();
const storage = new AsyncLocalStorage();
let total = 0;

async function handle(i) {
  const request = new Request(`http://localhost/a?x=${i}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: i, name: `n${i}`, list: [1, 2, 3] }),
  });
  const body = await request.json();
  const url = new URL(request.url);
  const response = new Response(JSON.stringify({ ...body, q: url.searchParams.get("x") }), { headers: { "x-a": "b" } });
  total += (await response.text()).length + (storage.getStore() ?? 0);
}

async function streams() {
  const source = new ReadableStream({
    start(controller) {
      for (let i = 0; i < 20; i++) controller.enqueue(encoder.encode(`chunk${i}`));
      controller.close();
    },
  });
  const through = new TransformStream({ transform: (chunk, controller) => controller.enqueue(chunk) });
  for await (const chunk of source.pipeThrough(through)) total += chunk.length;
}

async function rounds(count) {
  for (let i = 0; i < count; i++) {
    await handle(i);
    if (i % 10 === 0) await streams();
    if (i % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

await rounds(3000);
await storage.run(1, () => rounds(1000));
console.log(total);

// Responses whose bodies came in pieces are collected once they are read: what waits for the ones that nobody reads does not
// hold the others, nor what was made of them.
import { heapStats } from "bun:jsc";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
using server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch() {
    let left = 4;
    return new Response(
      new ReadableStream({
        async pull(controller) {
          if (left-- === 0) return controller.close();
          await sleep(1);
          controller.enqueue(new Uint8Array(1000));
        },
      }),
    );
  },
});

const ways = {
  bytes: (response) => response.bytes(),
  text: (response) => response.text(),
  blob: (response) => response.blob(),
  async reader(response) {
    for await (const chunk of response.body) if (chunk.byteLength === 0) throw new Error("an empty chunk");
  },
  async cancelled(response) {
    await response.body.cancel();
  },
};
for (const [name, read] of Object.entries(ways)) {
  for (let i = 0; i < 60; i++) await read(await fetch(server.url));
  for (let i = 0; i < 3; i++) {
    Bun.gc(true);
    await sleep(5);
  }
  const { Response: responses = 0 } = heapStats().objectTypeCounts;
  console.log(name, responses < 20 ? "collected" : `${responses} responses are left of 60`);
}

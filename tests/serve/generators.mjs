// Bodies that are asynchronous generators, functions that make one, and iterables. Recorded from Bun 1.4.5.
const show = async (name, work) => {
  try {
    console.log(`${name}: ${await work()}`);
  } catch (error) {
    console.log(`${name}: ${error.name} ${error.message}`);
  }
};
await show("function", () => new Response(async function* () { yield "a"; yield new Uint8Array([98]); }).text());
await show("generator", () => new Response((async function* () { yield "a"; yield "b"; })()).text());
await show("iterable", () => new Response({ async *[Symbol.asyncIterator]() { yield "x"; yield "y"; } }).text());
await show("request", () => new Request("http://h", { method: "POST", body: async function* () { yield "q"; } }).text());
await show("type", () => String(new Response(async function* () {}).headers.get("content-type")));
await show("this", () => new Response(async function* () { yield typeof this; }).text());
await show("function that throws", () => new Response(async function* () { yield "a"; throw new Error("thrown"); }).text());

let ended = false;
const server = Bun.serve({ port: 0, async fetch(request) {
  const { pathname } = new URL(request.url);
  if (pathname === "/echo") {
    return new Response(async function* () {
      for await (const chunk of request.body) yield chunk;
      yield " echoed";
    });
  }
  if (pathname === "/endless") {
    return new Response(async function* () {
      try {
        for (;;) { yield "more"; await Bun.sleep(1); }
      } finally {
        ended = true;
      }
    });
  }
  return new Response(async function* () { yield "one "; await 1; yield "two"; });
} });
await show("served", async () => (await fetch(server.url)).text());
await show("echoed", async () => (await fetch(new URL("/echo", server.url), { method: "POST", body: async function* () { yield "up "; await Bun.sleep(2); yield "load"; } })).text());
const endless = await fetch(new URL("/endless", server.url));
const reader = endless.body.getReader();
await reader.read();
await reader.cancel();
for (let i = 0; i < 500 && !ended; i++) await Bun.sleep(5);
console.log("ended with its client:", ended);
await server.stop(true);

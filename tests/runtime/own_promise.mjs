// A program may put its own Promise in the place of the engine's (zone.js and polyfills do): built-in modules go on with the engine's.
// expected: written by hand
const { Promise } = globalThis;
globalThis.Promise = function () {
  throw new Error("the program's own");
};
const stream = new ReadableStream({
  start(controller) {
    controller.enqueue(new Uint8Array([104, 105]));
    controller.close();
  },
});
console.log(await new Response(stream).text());
console.log((await import("node:fs/promises")).readFile("/dev/null") instanceof Promise);
console.log(await new Blob(["a"]).text(), Buffer.from(await Bun.file("/dev/null").bytes()).length);
const { setTimeout: wait } = await import("node:timers/promises");
console.log(await wait(1, "waited"));
const { promisify } = await import("node:util");
console.log(await promisify((done) => done(null, "called"))());
const { Readable } = await import("node:stream");
for await (const chunk of Readable.from(["x"])) console.log(chunk);
const server = Bun.serve({ port: 0, fetch: () => new Response("served") });
console.log(await (await fetch(server.url)).text());
await server.stop(true);

// expected: recorded from bun 1.4.5. Handlers of a server and of a stream run in the async context in which they were given.
import { AsyncLocalStorage } from "node:async_hooks";

const storage = new AsyncLocalStorage();
const said = [];
const { server, stream } = storage.run("given", () => ({
  server: Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: { "/route": () => new Response(storage.getStore()) },
    fetch(request, server) {
      if (server.upgrade(request)) return;
      return new Response(storage.getStore());
    },
    websocket: {
      open: () => said.push(`open ${storage.getStore()}`),
      message(socket) {
        said.push(`message ${storage.getStore()}`);
        socket.close();
      },
      close: () => said.push(`close ${storage.getStore()}`),
    },
  }),
  stream: new ReadableStream({
    async pull(controller) {
      await null;
      controller.enqueue(storage.getStore());
    },
    cancel: () => said.push(`cancel ${storage.getStore()}`),
  }),
}));
for (const path of ["", "route"]) console.log(await (await fetch(`${server.url}${path}`)).text());
await new Promise((resolve) => {
  const socket = new WebSocket(server.url);
  socket.onopen = () => socket.send("x");
  socket.onclose = resolve;
});
const reader = stream.getReader();
console.log((await reader.read()).value, (await storage.run("reader", () => reader.read())).value);
await reader.cancel();
console.log(said.join("\n"));
await server.stop(true);

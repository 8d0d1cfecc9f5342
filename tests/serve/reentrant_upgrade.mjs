// Options of upgrade() whose getters upgrade the same request, or end the server: one connection becomes one socket. The output is Bun's.
let opened = 0;
const results = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request, server) {
    const name = new URL(request.url).pathname.slice(1);
    let once = false;
    const value = { data: { name }, headers: { "x-name": name } }[name];
    const outer = server.upgrade(request, {
      get [name]() {
        if (!once) {
          once = true;
          results.push(`inner ${server.upgrade(request)}`);
        }
        return value;
      },
    });
    results.push(`outer ${outer}`);
    if (!outer) return new Response("no upgrade");
  },
  websocket: { open() { opened++; }, message(socket, message) { socket.send(message); } },
});
for (const name of ["data", "headers"]) {
  opened = 0;
  results.length = 0;
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/${name}`);
  const echo = await new Promise((resolve) => {
    socket.onopen = () => socket.send("echo");
    socket.onmessage = ({ data }) => resolve(data);
    socket.onclose = () => resolve("closed");
  });
  console.log(name, results.join(), "opened", opened, echo, server.pendingWebSockets);
  socket.close();
}
await server.stop(true);

const stopped = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request, server) {
    console.log("stopped", server.upgrade(request, { get data() { server.stop(true); return 1; } }));
  },
  websocket: { open() { console.log("opened"); }, message() {} },
});
await new Promise((resolve) => { new WebSocket(`ws://127.0.0.1:${stopped.port}`).onclose = ({ code }) => { console.log(code); resolve(); }; });

// Headers of the request that a getter changes are those that came.
const changing = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request, server) {
    request.headers.get("sec-websocket-key");
    server.upgrade(request, {
      get data() {
        for (const name of ["key", "protocol", "extensions"]) request.headers.set(`sec-websocket-${name}`, "changed");
        return 1;
      },
    });
  },
  websocket: { open(socket) { socket.send("hello"); }, message() {} },
});
const client = new WebSocket(`ws://127.0.0.1:${changing.port}`, "chat");
console.log(await new Promise((resolve) => { client.onmessage = ({ data }) => resolve(data); client.onclose = ({ code }) => resolve(code); }), client.protocol);
client.close();
await changing.stop(true);

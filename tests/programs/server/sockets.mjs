import { WebSocket, WebSocketServer } from "ws";
import http from "node:http";
import { once } from "node:events";
import { createRequire } from "node:module";
const { listen } = createRequire(import.meta.url)("./lib/client.cjs");
const serverClosed = [];
const server = http.createServer(),
  wss = new WebSocketServer({
    server,
    path: "/ws",
    perMessageDeflate: { threshold: 100 },
    handleProtocols: (set) => [...set][0],
  });
const port = await listen(server);
wss.on("connection", (socket, req) => {
  console.log("server: open", req.url, socket.protocol);
  socket.on("message", (data, binary) => socket.send(binary ? Buffer.from(data).reverse() : `echo ${data}`, { binary }));
  socket.on("ping", (d) => console.log("server: ping", String(d)));
  socket.on("close", (code, reason) => serverClosed.push(`${code} ${reason}`));
});
const client = new WebSocket(`ws://127.0.0.1:${port}/ws?a=1`, ["p1", "p2"]);
await once(client, "open");
const ask = async (data) => {
  client.send(data);
  const [answer, binary] = await once(client, "message");
  return binary ? [...answer] : String(answer).slice(0, 40) + String(answer).length;
};
console.log(
  await ask("hello"),
  await ask(Buffer.from([1, 2, 3])),
  await ask("x".repeat(70000)),
  client.extensions,
  client.protocol,
);
client.ping("p");
await once(client, "pong");
const closed = once(client, "close");
client.close(4001, "bye");
const [code, reason] = await closed;
console.log(code, String(reason), client.readyState);
const refused = new WebSocket(`ws://127.0.0.1:${port}/other`);
await new Promise((done) => refused.on("error", (e) => done(console.log(e.message))));
const events = new WebSocket(`ws://127.0.0.1:${port}/ws`);
await new Promise((done) => {
  events.onopen = () => events.send("dom");
  events.onmessage = ({ data }) => {
    console.log("dom", data);
    events.terminate();
  };
  events.onclose = ({ code, wasClean }) => done(console.log(code, wasClean));
});
await new Promise((done) => wss.close(done));
server.close();
await once(server, "close");
console.log("ended", serverClosed);

import http from "node:http";
import { createRequire } from "node:module";
import { Server } from "socket.io";
import { io as connect } from "socket.io-client";
const { listen } = createRequire(import.meta.url)("./lib/client.cjs");
const server = http.createServer((req, res) => res.writeHead(404).end());
const io = new Server(server, { pingInterval: 1000, maxHttpBufferSize: 1e6, cors: { origin: "*" } });
io.use((socket, next) => (socket.handshake.auth.token === "bad" ? next(Object.assign(new Error("refused"), { data: { why: "token" } })) : next()));
io.on("connection", (socket) => {
  socket.on("echo", (...args) => args.pop()(...args));
  socket.on("join", async (room, done) => { await socket.join(room); done([...socket.rooms].includes(room)); });
  socket.on("say", (room, text) => io.to(room).emit("said", text));
  socket.on("others", (text) => socket.broadcast.emit("heard", text));
  socket.on("binary", (bytes, done) => done(Buffer.from(bytes).reverse(), { nested: Buffer.from("n") }));
  socket.on("never", () => {});
  socket.on("leave", () => socket.disconnect(true));
});
const admin = io.of("/admin");
admin.on("connection", (socket) => socket.emit("hello", socket.nsp.name));
const port = await listen(server);
const url = `http://127.0.0.1:${port}`;
const open = (options = {}, path = "") => new Promise((resolve, reject) => {
  const socket = connect(url + path, { forceNew: true, reconnection: false, ...options });
  socket.once("connect", () => resolve(socket)).once("connect_error", reject);
});
for (const transports of [["websocket"], ["polling"], ["polling", "websocket"]]) {
  const socket = await open({ transports });
  if (transports.length === 2) await new Promise((resolve) => (socket.io.engine.transport.name === "websocket" ? resolve() : socket.io.engine.once("upgrade", resolve)));
  console.log(transports.join(), socket.io.engine.transport.name, await socket.emitWithAck("echo", 1, "zwei", { drei: [3] }));
  const [bytes, more] = await new Promise((resolve) => socket.emit("binary", Buffer.from([1, 2, 3]), (...answer) => resolve(answer)));
  console.log([...bytes], Buffer.from(more.nested).toString());
  console.log((await socket.emitWithAck("echo", "x".repeat(100_000))).length);
  await socket.timeout(30).emitWithAck("never").catch((error) => console.log(error.message));
  socket.close();
}
{
  const clients = await Promise.all(Array.from({ length: 20 }, (_, i) => open({ transports: [i % 2 ? "websocket" : "polling"] })));
  console.log((await Promise.all(clients.slice(0, 10).map((client) => client.emitWithAck("join", "room")))).every(Boolean));
  const said = Promise.all(clients.slice(0, 10).map((client) => new Promise((resolve) => client.once("said", resolve))));
  clients[19].emit("say", "room", "hello room");
  console.log((await said).join() === Array(10).fill("hello room").join());
  const heard = Promise.all(clients.slice(1).map((client) => new Promise((resolve) => client.once("heard", resolve))));
  clients[0].on("heard", () => console.log("must not come"));
  clients[0].emit("others", "psst");
  console.log((await heard).length, (await io.fetchSockets()).length);
  const gone = new Promise((resolve) => clients[1].once("disconnect", resolve));
  clients[1].emit("leave");
  console.log(await gone);
  for (const client of clients) client.close();
}
{
  const socket = connect(`${url}/admin`, { forceNew: true, reconnection: false, transports: ["websocket"] });
  console.log(await new Promise((resolve) => socket.once("hello", resolve)));
  socket.close();
  await open({ auth: { token: "bad" } }).catch((error) => console.log(error.message, error.data));
  await open({}, "/nowhere").catch((error) => console.log(error.message));
}
await new Promise((resolve) => io.close(resolve));
console.log("closed");

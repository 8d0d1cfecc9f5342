// What is published reaches every subscriber once, in the order of what is sent beside it, and before a close in the same turn; a client
// that does not read is left out at its limit, and `drain` comes when it reads again. By hand.
import net from "node:net";

const clients = 20;
let slow;
const drained = Promise.withResolvers();
const server = Bun.serve({
  port: 0, hostname: "127.0.0.1",
  fetch: (request, server) => { server.upgrade(request, { data: { slow: request.url.endsWith("slow") } }); },
  websocket: {
    backpressureLimit: 1 << 20,
    open(socket) {
      socket.subscribe("all");
      if (socket.data.slow) slow = socket;
    },
    message(socket, message) {
      if (message === "order") {
        socket.send("first");
        server.publish("all", "second");
        socket.send("third");
        socket.cork(() => { socket.send("fourth"); server.publish("all", "fifth"); });
        socket.publish("all", "others only");
        server.publish("all", new Uint8Array([1, 2]));
      } else if (message === "bye") {
        server.publish("all", "last words");
        socket.close(1000, "bye");
        server.publish("all", "after it");
      }
    },
    drain(socket) { if (socket.data.slow) drained.resolve(); },
  },
});

const opened = (path) => new Promise((resolve) => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/${path}`);
  socket.binaryType = "arraybuffer";
  socket.seen = [];
  socket.onmessage = ({ data }) => socket.seen.push(typeof data === "string" ? data : [...new Uint8Array(data)].join());
  socket.onopen = () => resolve(socket);
});
const sockets = await Promise.all(Array.from({ length: clients }, () => opened("")));
const settle = async (count) => { for (let i = 0; i < 200 && sockets[1].seen.length < count; i++) await Bun.sleep(5); await Bun.sleep(30); };
console.log("subscribers", server.subscriberCount("all"), "nobody", server.publish("nothing", "x"), "bytes", server.publish("all", "é"));
await settle(1);
console.log(sockets.every((socket) => socket.seen.join() === "é"));
sockets[0].send("order");
await settle(5);
console.log(sockets[0].seen.join(" | "));
console.log(new Set(sockets.slice(1).map((socket) => socket.seen.join(" | "))));
const closed = new Promise((resolve) => { sockets[0].onclose = ({ code, reason }) => resolve(`${code} ${reason}`); });
sockets[0].send("bye");
console.log(await closed, sockets[0].seen.at(-1));
await settle(7);
console.log(sockets[1].seen.slice(-2).join(" | "), server.subscriberCount("all"));
// Messages larger than what is kept for the end of the turn, to all that are left.
for (const socket of sockets) socket.seen.length = 0;
const text = "x".repeat(50_000);
for (let i = 0; i < 10; i++) server.publish("all", `${i}${text}`);
await settle(10);
console.log(sockets.slice(1).every((socket) => socket.seen.map((message) => message[0]).join("") === "0123456789" && socket.seen[9].length === 50_001));
for (const socket of sockets) socket.close();
while (server.subscriberCount("all") > 0) await Bun.sleep(5);

// A client that does not read.
const raw = net.connect(server.port, "127.0.0.1");
raw.write("GET /slow HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
raw.pause();
while (slow === undefined) await Bun.sleep(5);
const results = new Set();
const large = "y".repeat(100_000);
for (let i = 0; i < 200; i++) { results.add(server.publish("all", large)); await Bun.sleep(0); }
console.log("waits", results.has(-1), "kept below the limit", slow.getBufferedAmount() > 500_000 && slow.getBufferedAmount() <= 1 << 20);
raw.resume();
await drained.promise;
console.log("drained", slow.getBufferedAmount() < 500_000);
raw.destroy();
await server.stop(true);

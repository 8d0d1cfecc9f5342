// expected: recorded from bun 1.4.5. Headers of the option `headers`: the key if it is one, protocols instead of the list, no line ends.
import { createServer } from "node:http";
import { createHash } from "node:crypto";

const server = createServer();
server.on("upgrade", (request, socket) => {
  const { "sec-websocket-key": key, "sec-websocket-protocol": protocol, "x-own": own } = request.headers;
  console.log(key.length, key === "AAECAwQFBgcICQoLDA0ODw==", protocol, own);
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n`);
  if (protocol) socket.write(`Sec-WebSocket-Protocol: ${protocol.split(",")[0]}\r\n`);
  socket.write("\r\n");
  socket.on("data", () => socket.end());
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `ws://127.0.0.1:${server.address().port}`;
for (const options of [
  { headers: { "Sec-WebSocket-Key": "AAECAwQFBgcICQoLDA0ODw==", "X-Own": "1" } },
  { headers: { "Sec-WebSocket-Key": "too short" } },
  { protocols: ["one", "two"] },
  { protocols: ["one", "two"], headers: { "Sec-WebSocket-Protocol": "three, four" } },
  { headers: { "Sec-WebSocket-Protocol": "" } },
  { protocols: ["one", "two"], headers: { "Sec-WebSocket-Protocol": " " } },
]) {
  const socket = new WebSocket(url, options);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  console.log("open", socket.protocol);
  socket.close();
}
try {
  new WebSocket(url, { headers: { "X-Own": "a\r\nb: c" } });
  console.log("taken");
} catch (error) {
  console.log(error.name);
}
server.close();
process.exit();

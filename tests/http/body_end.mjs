// A request's body whose last piece is all that its reader takes at once: the end is told when reading goes on, though no bytes are left.
import http from "node:http";
import net from "node:net";
import { EventEmitter, once } from "node:events";

const ready = new EventEmitter();
const server = http.createServer(async (request, response) => {
  // The body comes while nobody reads.
  await once(ready, "sent");
  let size = 0;
  for await (const chunk of request) size += chunk.length;
  response.end(`${size} bytes`);
});
await once(server.listen(0, "127.0.0.1"), "listening");
for (const size of [16384, 65536, 131072, 262144]) {
  const socket = net.connect(server.address().port, "127.0.0.1");
  socket.setNoDelay(true);
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`);
  await once(server, "request");
  for (let sent = 0; sent < size; sent += 65536) {
    socket.write(Buffer.alloc(Math.min(65536, size)));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  ready.emit("sent");
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  console.log(answer.slice(answer.indexOf("\r\n\r\n") + 4));
}
server.close();

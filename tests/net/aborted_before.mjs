// A signal that is aborted before a socket connects: nothing connects, and nothing is left of it.
import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";

let connections = 0;
const server = net.createServer((socket) => {
  connections++;
  socket.destroy();
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address();
for (const { connect } of [net, tls]) {
  for (const host of ["127.0.0.1", "localhost"]) {
    const socket = connect({ port, host, signal: AbortSignal.abort() });
    const error = await once(socket, "close").catch((reason) => reason);
    console.log(error.name, socket.destroyed, socket.connecting);
  }
}
// One that comes later shows that those before it would have come.
await once(net.connect(port, "127.0.0.1").resume(), "close");
console.log(connections);
server.close();

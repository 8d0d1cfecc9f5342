// expected: recorded from node 25.9.0
// A TLS socket on a connection that is destroyed before the handshake: it closes without an error of a write that never was to be. Who has
// called tls.connect() is told.
import http from "node:http";
import net from "node:net";
import tls from "node:tls";

const seen = [];
process.on("exit", () => console.log(seen.sort().join("\n")));

const server = http.createServer();
server.on("upgrade", (_request, socket) => {
  const secure = new tls.TLSSocket(socket);
  secure.on("error", (error) => seen.push(`server: ${error.message}`)).on("close", (failed) => seen.push(`server: closed, ${failed}`));
  server.close();
  socket.destroy();
});
server.listen(0, "127.0.0.1", () =>
  http
    .get({ port: server.address().port, host: "127.0.0.1", headers: { Connection: "Upgrade", Upgrade: "websocket" } })
    .on("error", (error) => seen.push(`request: ${error.code}`)),
);

const plain = net.createServer((socket) => socket.destroy());
plain.listen(0, "127.0.0.1", () => {
  const socket = net.connect(plain.address().port, "127.0.0.1", () => {
    const secure = tls.connect({ socket });
    secure
      .on("error", (error) => seen.push(`client: ${error.name} ${typeof error.code}`))
      .on("close", (failed) => seen.push(`client: closed, ${failed}`));
    socket.destroy();
    plain.close();
  });
});

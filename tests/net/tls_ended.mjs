// expected: recorded from node 25.9.0
// A client that ends its half of the connection within the handshake: the server lets it go at once, and says so.
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { once } from "node:events";
import certificate from "./support/certificate.js";

const { cert, key } = certificate;
for (const [name, server] of [["tls", tls.createServer({ cert, key })], ["https", https.createServer({ cert, key })]]) {
  server.on("tlsClientError", (error) => console.log(name, error.code, error.message));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = net.connect(server.address().port, "127.0.0.1");
  socket.resume().end(Buffer.from("16030100", "hex"));
  await once(socket, "close");
  console.log(name, "closed");
  await new Promise((resolve) => server.close(resolve));
}

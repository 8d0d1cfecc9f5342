// expected: Node 25.9 prints the same
// pauseOnConnect of a TLS server: a socket's data waits until somebody calls resume().
import tls from "node:tls";

import { cert, key } from "./support/certificate.js";

const server = tls.createServer({ key, cert, pauseOnConnect: true }, (socket) => {
  console.log("paused", socket.isPaused(), socket.readableFlowing);
  let resumed = false;
  let text = "";
  socket.on("data", (chunk) => (text += resumed ? chunk : "(too early)"));
  socket.on("end", () => {
    console.log(text);
    server.close();
  });
  setTimeout(() => {
    resumed = true;
    socket.resume();
  }, 50);
});
server.listen(0, "127.0.0.1", () => {
  const client = tls.connect({ port: server.address().port, host: "127.0.0.1", rejectUnauthorized: false });
  client.end("what the client says");
  client.resume();
});

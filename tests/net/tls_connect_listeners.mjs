// expected: recorded from node 25.9. A connection that waits in an Agent has no listener of "connect" left.
import https from "node:https";
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(`../http/support/${name}`, import.meta.url));
const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
const server = https.createServer({ key: read("key.pem"), cert: read("cert.pem") }, (request, response) => response.end("x"));
server.listen(0, "127.0.0.1", () => {
  agent.on("free", (socket) => {
    console.log("connect", socket.listenerCount("connect"), "secureConnect", socket.listenerCount("secureConnect"));
    setImmediate(() => {
      agent.destroy();
      server.close();
    });
  });
  https.get({ port: server.address().port, host: "127.0.0.1", agent }, (response) => response.resume());
});

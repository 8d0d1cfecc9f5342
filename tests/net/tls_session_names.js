// A session that was made with one name does not stand for another one: the name is checked of connections that resume a session, too
// (Node checks it of full handshakes only; Bun refuses as well). By hand.
const tls = require("node:tls");
const { cert, key } = require("./support/certificate.js");

function met(port, options) {
  return new Promise((resolve) => {
    let session;
    const socket = tls.connect({ port, host: "127.0.0.1", ca: cert, servername: "test.bao", ...options }, () => {
      console.log("secure", socket.authorized, socket.authorizationError, "resumed", socket.isSessionReused());
    });
    socket.on("session", (bytes) => { session ??= bytes; });
    socket.on("error", (error) => console.log(error.code));
    socket.on("close", () => resolve(session));
    socket.resume();
  });
}

async function main() {
  for (const maxVersion of ["TLSv1.2", "TLSv1.3"]) {
    const server = tls.createServer({ cert, key, maxVersion }, (socket) => socket.on("error", () => {}).end("bye"));
    server.on("tlsClientError", () => {});
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address();
    const session = await met(port, {});
    await met(port, { session });
    await met(port, { session, servername: "other.name" });
    await met(port, { session, servername: "other.name", rejectUnauthorized: false });
    await met(port, { session, servername: "other.name", checkServerIdentity: (name) => { console.log("asked for", name); } });
    server.close();
  }
}
main();

// expected: recorded from node 25.9.0
// getSession() of a connection that was resumed is the session that it was resumed by, until the server gives a new one.
const tls = require("node:tls");
const { cert, key } = require("./support/certificate.js");

function meet(port, version, session) {
  return new Promise((resolve) => {
    const seen = {};
    const socket = tls.connect({ port, host: "127.0.0.1", ca: cert, servername: "test.bao", session, maxVersion: version });
    socket.once("secureConnect", () => {
      seen.reused = socket.isSessionReused();
      seen.atOnce = socket.getSession();
    });
    socket.on("session", (bytes) => (seen.session = bytes));
    socket.on("data", () => {});
    socket.once("close", () => resolve(seen));
  });
}

(async () => {
  for (const version of ["TLSv1.2", "TLSv1.3"]) {
    const server = tls.createServer({ cert, key, maxVersion: version }, (socket) => socket.end("bye"));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address();
    const first = await meet(port, version);
    const second = await meet(port, version, first.session);
    console.log(version, first.reused, second.reused, "same at once", second.atOnce.equals(first.session));
    const third = await meet(port, version, second.session ?? first.session);
    console.log(version, third.reused, "same at once", third.atOnce.equals(second.session ?? first.session));
    await new Promise((resolve) => server.close(resolve));
  }
})();

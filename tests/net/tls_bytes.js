// bytesRead and bytesWritten of a TLS socket count plaintext; a handshake that fails while something waits to be written is
// that write's error.
const tls = require("node:tls");
const { cert, key } = require("./support/certificate.js");

const server = tls.createServer({ key, cert, maxVersion: "TLSv1.2" }, (socket) => {
  socket.on("data", () => {
    if (socket.bytesRead === 8) socket.write("12345");
  });
  socket.on("close", () => console.log("server", socket.bytesRead, socket.bytesWritten));
});
server.on("tlsClientError", () => {});

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  const socket = tls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
    console.log("secure", socket.bytesRead, socket.bytesWritten);
    socket.write("one");
    socket.write("three");
  });
  console.log("begun", socket.bytesWritten);
  socket.on("data", () => {
    if (socket.bytesRead === 5) socket.destroy();
  });
  socket.on("close", () => {
    console.log("client", socket.bytesRead, socket.bytesWritten);
    refused(port, false, () => refused(port, true, () => server.close()));
  });
});

function refused(port, writes, done) {
  const socket = tls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false, minVersion: "TLSv1.3" });
  if (writes) socket.write("hello");
  socket.on("error", (error) => {
    console.log(error.code, error.syscall, error.errno, /^write EPROTO .*protocol version/.test(error.message));
    done();
  });
}

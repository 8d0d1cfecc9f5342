// TLS over a stream that is no socket: what it gave before it closed itself is read, and it ends before it is destroyed.
const net = require("node:net");
const tls = require("node:tls");
const { Duplex } = require("node:stream");
const { cert, key } = require("./support/certificate.js");

const server = tls.createServer({ key, cert }, (socket) => {
  socket.on("data", (chunk) => socket.end(`${chunk}, world`));
  socket.on("error", () => {});
});

function over(port, closesItself, done) {
  const said = [];
  const raw = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => {
    const stream = new Duplex({
      read() {
        raw.resume();
      },
      write(chunk, encoding, callback) {
        raw.write(chunk, callback);
      },
      final(callback) {
        said.push("final");
        raw.end(callback);
      },
      destroy(error, callback) {
        raw.destroy();
        callback(error);
      },
      emitClose: true,
    });
    raw.on("data", (chunk) => stream.push(chunk) || raw.pause());
    raw.on("end", () => {
      stream.push(null);
      if (closesItself) stream.once("end", () => stream.destroy());
    });
    raw.on("error", (error) => stream.destroy(error));
    const socket = tls.connect({ socket: stream, rejectUnauthorized: false }, () => socket.write("hello"));
    let text = "";
    socket.on("data", (chunk) => (text += chunk));
    socket.on("end", () => {
      said.push(`end ${text}`);
      socket.end();
    });
    socket.on("error", (error) => said.push(error.code));
    stream.on("close", () => setImmediate(done, said));
  });
}

// Nobody reads what came: the stream's end is this one's.
function unread(port, done) {
  const raw = net.connect(port, "127.0.0.1", () => {
    const stream = new Duplex({
      read() {},
      write(chunk, encoding, callback) {
        raw.write(chunk, callback);
      },
    });
    raw.on("data", (chunk) => stream.push(chunk));
    const socket = tls.connect({ socket: stream, rejectUnauthorized: false }, () => {
      socket.write("hello");
      raw.once("data", () => setImmediate(() => stream.destroy()));
    });
    socket.on("close", () => {
      console.log("unread: closed");
      raw.destroy();
      done();
    });
  });
}

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  over(port, false, (said) => {
    console.log("kept open:", said.join(", "));
    over(port, true, (said) => {
      // Whether its half ended first is a race here.
      console.log("closes itself:", said.filter((word) => word !== "final").join(", "));
      unread(port, () => server.close());
    });
  });
});

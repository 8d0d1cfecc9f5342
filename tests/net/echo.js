// node:net: a server and clients over TCP and a unix socket; order of events, half-open connections, addresses. The
// output is Node's.
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");
const fs = require("node:fs");

const big = "x".repeat(1_000_000);

function tcp(next) {
  let failed;
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    let bytes = 0;
    socket.on("data", (chunk) => {
      bytes += chunk.length;
      socket.write(chunk);
    });
    socket.on("end", () => {
      console.log("server end", bytes, socket.writable);
      socket.end("bye");
    });
    socket.on("close", (hadError) => { failed = hadError; });
  });
  server.listen(0, "127.0.0.1", () => {
    const { port, family, address } = server.address();
    console.log(typeof port, family, address, server.listening);
    const client = net.connect({ port, host: "127.0.0.1" });
    console.log("connecting", client.connecting, client.readyState);
    client.setEncoding("utf8");
    let got = "";
    client.on("lookup", () => console.log("lookup"));
    client.on("connect", () => console.log("connect", client.remotePort === port, client.remoteFamily, client.readyState));
    client.on("ready", () => {
      console.log("ready");
      client.write("hello ");
      client.write(Buffer.from("wörld "));
      client.write("0aff", "hex");
      client.end(big, () => console.log("finished", client.bytesWritten));
    });
    client.on("data", (chunk) => { got += chunk; });
    client.on("end", () => console.log("client end", got.length, got.slice(0, 12), got.slice(-4)));
    client.on("close", (hadError) => {
      console.log("client close", hadError, client.bytesRead, client.destroyed);
      server.close(() => {
        console.log("closed", failed);
        next();
      });
    });
  });
}

function unix(next) {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "bao-net-")), "s");
  const server = net.createServer((socket) => socket.end("over a path"));
  server.listen(file, () => {
    console.log(server.address() === file);
    net.connect(file).on("data", (chunk) => console.log(String(chunk))).on("close", () => {
      server.close(() => {
        console.log("gone", fs.existsSync(file));
        fs.rmdirSync(path.dirname(file));
        next();
      });
    });
  });
}

function failures(next) {
  const taken = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = taken.address();
    net.createServer().on("error", (error) => {
      console.log(error.code, error.syscall, error.address, error.port === port, error.message.replace(port, "PORT"));
      taken.close(() => {
        const socket = net.connect(port, "127.0.0.1");
        socket.on("error", (error) => {
          console.log(error.code, error.syscall, error.address, error.message.replace(port, "PORT"));
        });
        socket.on("close", (hadError) => {
          console.log("close", hadError);
          next();
        });
      });
    }).listen(port, "127.0.0.1");
  });
  for (const call of [() => net.connect(70000), () => net.connect({}), () => new net.Socket({ fd: -1 }), () => net.createServer(1)]) {
    try {
      call();
    } catch (error) {
      console.log(error.name, error.code);
    }
  }
}

tcp(() => unix(() => failures(() => console.log("done"))));

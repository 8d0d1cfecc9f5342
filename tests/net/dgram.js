// node:dgram over loopback: bound and connected sockets, lists of buffers, errors. The output is Node's.
const dgram = require("node:dgram");

const server = dgram.createSocket("udp4");
let seen = 0;
server.on("message", (message, from) => {
  console.log(String(message), from.family, from.size, from.address);
  if (++seen === 1) server.send([Buffer.from("re"), "ply"], from.port, from.address);
  if (seen === 3) server.close(() => console.log("server closed"));
});
server.bind(0, "127.0.0.1", () => {
  const { port } = server.address();
  const client = dgram.createSocket("udp4");
  client.on("message", (message) => {
    console.log("client", String(message));
    client.connect(port, "127.0.0.1", () => {
      console.log(client.remoteAddress().port === port);
      client.send("connected", (error, bytes) => {
        console.log(error, bytes);
        client.disconnect();
        client.send(Buffer.from("0123456789"), 2, 5, port, "127.0.0.1", () => client.close());
      });
    });
  });
  client.send("hello", port, "127.0.0.1", (error, bytes) => console.log(error, bytes));
});
for (const call of [
  () => dgram.createSocket("udp5"), () => server.send("x", 70000), () => server.bind(1), () => server.send({}),
]) {
  try {
    call();
  } catch (error) {
    console.log(error.name, error.code);
  }
}

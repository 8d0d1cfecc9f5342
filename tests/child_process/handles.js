// Sockets and servers sent to a child. Recorded from Node.
const { fork } = require("node:child_process");
const { once } = require("node:events");
const net = require("node:net");

if (process.argv[2] === "child") {
  process.on("message", (message, handle) => {
    if (message === "server") {
      handle.on("connection", (socket) => socket.end("from the child's server"));
      process.send("listening");
    } else if (message === "socket") {
      handle.resume();
      handle.end("from the child");
    } else {
      process.send([message, handle === undefined]);
      process.disconnect();
    }
  });
  return;
}

const text = async (port) => {
  let all = "";
  for await (const chunk of net.connect(port, "127.0.0.1")) all += chunk;
  return all;
};

async function main() {
  const child = fork(__filename, ["child"]);
  const server = net.createServer((socket) => child.send("socket", socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  console.log(await text(port));
  console.log(await Promise.all([text(port), text(port), text(port)]));
  // The child's connections count until they are closed there.
  while ((await new Promise((resolve) => server.getConnections((error, count) => resolve(count)))) !== 0);
  server.close();
  await once(server, "close");

  const other = net.createServer(() => console.log("not here"));
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  const place = other.address().port;
  child.send("server", other);
  console.log(await once(child, "message"));
  other.close();
  console.log(await text(place));

  child.send("last", undefined);
  console.log((await once(child, "message"))[0]);
  child.kill();
  await once(child, "exit");
  console.log("done");
}
main();

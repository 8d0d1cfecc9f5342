// Recorded from Node 25.8.1: what the modules publish on diagnostics channels.
const channels = require("diagnostics_channel");
const log = [];
const follow = (name) => {
  for (const event of ["start", "end", "asyncStart", "asyncEnd", "error"]) {
    channels.subscribe(`tracing:${name}:${event}`, (message) => log.push(`${name} ${event} ${message.error?.code ?? ""} ${message.id ?? ""}`));
  }
};
for (const name of ["net.server.listen", "child_process.spawn", "module.require"]) follow(name);
channels.subscribe("udp.socket", ({ socket }) => log.push(`udp.socket ${socket.type}`));
require("dgram").createSocket("udp4").close();
try { require("./nothing-there.js"); } catch {}
const { spawn } = require("child_process");
spawn("/does/not/exist").on("error", () => {});
const net = require("net");
const server = net.createServer().listen({ port: 0, host: "127.0.0.1" }, () => {
  console.log(process._getActiveHandles().includes(server), process.getActiveResourcesInfo().includes("TCPServerWrap"));
  net.createServer().on("error", () => {
    server.close();
    console.log(log.join("\n"));
  }).listen(server.address().port, "127.0.0.1");
});

// SCHED_NONE: the workers accept from copies of one socket; unix sockets; an address in use. Recorded from Node.
const cluster = require("node:cluster");
const net = require("node:net");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { once } = require("node:events");
cluster.schedulingPolicy = cluster.SCHED_NONE;

if (cluster.isWorker) {
  const server = net.createServer((socket) => socket.end("shared"));
  server.on("error", (e) => {
    process.send([e.code, e.syscall]);
    process.disconnect();
  });
  server.listen(process.env.PLACE);
  return;
}

const ask = async (place) => {
  let all = "";
  for await (const chunk of net.connect(place)) all += chunk;
  return all;
};

async function main() {
  const first = cluster.fork({ PLACE: "0" });
  const [{ port }] = await once(first, "listening");
  console.log(await ask({ port, host: "127.0.0.1" }), await ask({ port, host: "127.0.0.1" }));
  const busy = cluster.fork({ PLACE: `${port}` });
  console.log((await once(busy, "message"))[0]);
  await once(busy, "exit");
  first.kill();
  await once(first, "exit");

  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "bao-cluster-"));
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const place = path.join(dir, "socket");
  const unix = cluster.fork({ PLACE: place });
  const [info] = await once(unix, "listening");
  console.log(info.addressType, info.port, await ask({ path: place }));
  unix.disconnect();
  console.log(await once(unix, "exit"));
  fs.rmSync(dir, { recursive: true });
}
main();

// Workers: events, messages, a shared port with either policy, disconnect. Recorded from Node.
const cluster = require("node:cluster");
const net = require("node:net");
const { once } = require("node:events");

if (cluster.isWorker) {
  process.on("message", (message) => {
    if (message === "id") cluster.worker.send({ id: cluster.worker.id, env: process.env.FOO, unique: process.env.NODE_UNIQUE_ID });
  });
  const server = net.createServer((socket) => socket.end(`${cluster.worker.id}`));
  server.listen(Number(process.env.PORT || 0), "127.0.0.1");
  return;
}

const ask = async (port) => {
  let all = "";
  for await (const chunk of net.connect(port, "127.0.0.1")) all += chunk;
  return all;
};

async function main() {
  console.log(cluster.isPrimary, cluster.isMaster, cluster.isWorker, cluster.SCHED_NONE, cluster.SCHED_RR, cluster.schedulingPolicy);
  cluster.setupPrimary({ args: ["x"] });
  console.log(cluster.settings.args, cluster.settings.exec === __filename, cluster.settings.silent);
  const log = [];
  for (const event of ["fork", "online", "listening", "disconnect", "exit"]) {
    cluster.on(event, (worker, ...rest) => log.push([event, event === "listening" ? [rest[0].address, rest[0].addressType] : rest]));
  }
  const first = cluster.fork({ FOO: "from env" });
  const [place] = await once(first, "listening");
  console.log(first.id, first.state, first.isConnected(), first.isDead(), Object.keys(cluster.workers));
  first.send("id");
  console.log((await once(first, "message"))[0]);
  const second = cluster.fork();
  const [samePlace] = await once(second, "listening");
  console.log(place.port === samePlace.port);
  const answers = [];
  for (let i = 0; i < 6; i++) answers.push(await ask(place.port));
  console.log(new Set(answers).size, answers.filter((id) => id === "1").length);

  first.disconnect();
  console.log(await once(first, "exit"), first.exitedAfterDisconnect, first.state);
  console.log(await ask(place.port));
  second.kill("SIGKILL");
  console.log(await once(second, "exit"), second.exitedAfterDisconnect);
  console.log(log.map(([event]) => event).sort().join());
  console.log(log.filter(([event]) => event === "listening" || event === "exit"));

  cluster.removeAllListeners();
  const third = cluster.fork();
  await once(third, "listening");
  await new Promise((resolve) => cluster.disconnect(resolve));
  console.log(Object.keys(cluster.workers));
}
main();

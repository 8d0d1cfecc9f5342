// throng: a master and its workers over node:cluster.
const throng = require("throng");
const cluster = require("node:cluster");

throng({
  workers: 2,
  lifetime: 0,
  grace: 1000,
  signals: ["SIGTERM"],
  master: () => {
    const said = [];
    for (const worker of Object.values(cluster.workers)) listen(worker);
    cluster.on("fork", listen);
    function listen(worker) {
      worker.on("message", (message) => {
        said.push(message);
        if (said.length === 2) process.kill(process.pid, "SIGTERM");
      });
    }
    process.on("exit", () => console.log(said.sort().join("\n")));
    console.log("master", cluster.isPrimary);
  },
  worker: (id, disconnect) => {
    process.send(`worker ${id} ${cluster.isWorker}`);
    process.once("SIGTERM", disconnect);
  },
});

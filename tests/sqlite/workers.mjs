// expected: written by hand
// Two threads write to one file, each with a connection of its own; a thread that is ended in a transaction leaves no lock.
import { Worker } from "node:worker_threads";
import { DatabaseSync } from "node:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
const folder = mkdtempSync(join(tmpdir(), "bao-sqlite-"));
const path = join(folder, "x.db");
const db = new DatabaseSync(path, { timeout: 30000 });
db.exec("pragma journal_mode = wal; create table t(worker, n)");
const program = `
  const { DatabaseSync } = require("node:sqlite");
  const { parentPort, workerData } = require("node:worker_threads");
  const db = new DatabaseSync(workerData.path, { timeout: 30000 });
  const insert = db.prepare("insert into t values(?, ?)");
  for (let i = 0; i < 200; i++) insert.run(workerData.id, i);
  if (workerData.stay) {
    db.exec("begin immediate");
    insert.run(workerData.id, 999);
    parentPort.postMessage("in transaction");
    for (;;);
  }
  parentPort.postMessage("done");
`;
const run = (id, stay) =>
  new Promise((resolve) => {
    const worker = new Worker(program, { eval: true, workerData: { path, id, stay } });
    worker.on("message", (message) => resolve([worker, message]));
  });
await Promise.all([run(1), run(2)]);
console.log(db.prepare("select worker, count(*) n from t group by worker").all().map((row) => `${row.worker}: ${row.n}`).join());
const [worker, message] = await run(3, true);
console.log(message);
await worker.terminate();
db.exec("insert into t values(4, 0)");
console.log(db.prepare("select count(*) n from t").get().n);
db.close();
rmSync(folder, { recursive: true });

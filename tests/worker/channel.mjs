// A worker has no process.send and no channel, also in a process that was forked; ava asks so whether it runs in a process.
import { fork } from "node:child_process";
import { Worker, isMainThread } from "node:worker_threads";
if (isMainThread) {
  console.log("main", typeof process.send);
  new Worker(new URL(import.meta.url)).on("exit", () => {
    if (process.send) process.disconnect();
    else fork(new URL(import.meta.url));
  });
} else {
  console.log("worker", typeof process.send, typeof process.disconnect, process.channel, process.connected, "send" in process);
}

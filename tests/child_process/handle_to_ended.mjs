// expected: recorded from node 25.9.0
// A connection given to a process that has just ended is no error of the one that gives it, while a plain message is: a cluster's primary
// must live on when a worker ends with connections on their way.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";

/** Waits, without the loop, until a process has ended and nobody has asked for its exit code. */
function untilZombie(pid) {
  for (let i = 0; i < 100_000; i++) {
    if (/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
  throw new Error("the process does not end");
}

const server = createServer().listen(0, "127.0.0.1");
await once(server, "listening");

/** Gives something to a process that has ended; prints what is said of it. */
async function give(name, withHandle, withCallback) {
  const client = connect(server.address().port, "127.0.0.1");
  client.on("error", () => {});
  client.resume();
  const [connection] = await once(server, "connection");
  const child = spawn("/bin/true", { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const seen = [];
  child.on("error", (error) => seen.push(`error ${error.message}`));
  untilZombie(child.pid);
  const callback = withCallback ? (error) => seen.push(`callback ${error === null ? null : error.message}`) : undefined;
  child.send("take it", withHandle ? connection : undefined, callback);
  // events.once() would reject with the error.
  await new Promise((resolve) => child.on("close", resolve));
  console.log(`${name}:`, seen.join(", ") || "nothing");
  client.destroy();
  connection.destroy();
}

await give("handle, callback", true, true);
await give("handle", true, false);
await give("message, callback", false, true);
await give("message", false, false);
server.close();

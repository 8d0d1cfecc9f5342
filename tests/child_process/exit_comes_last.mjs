// expected: recorded from node 25.9.0
// What a process wrote before its end comes before 'exit', also where both are there when the loop looks: the program keeps the loop from
// looking until the process has ended.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

if (process.argv[2] === "child") {
  process.send("a");
  process.send("b", () => process.exit(2));
  await new Promise(() => {});
}

/** Waits, without the loop, until a process has ended and nobody has asked for its exit code. */
function untilZombie(pid) {
  for (let i = 0; i < 100_000; i++) {
    if (/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
  throw new Error("the process does not end");
}

/** Runs a script of the shell; says what came before its end. */
async function shell(name, script, streams) {
  const child = spawn("/bin/sh", ["-c", script]);
  const seen = [];
  for (const stream of streams) child[stream].on("data", (data) => seen.push(`${stream} ${data.length}`));
  child.on("exit", (code) => seen.push(`exit ${code}`));
  untilZombie(child.pid);
  await once(child, "close");
  console.log(name, seen.join(", "));
}

for (let i = 0; i < 3; i++) await shell("one line:", "echo hello", ["stdout"]);
await shell("errors:", "echo hello >&2; exit 3", ["stderr"]);
// More than one read takes: only whether there was an end before the last of it.
{
  const child = spawn("/bin/sh", ["-c", "head -c 60000 /dev/zero"]);
  let size = 0;
  child.stdout.on("data", (data) => (size += data.length));
  const before = new Promise((resolve) => child.on("exit", () => resolve(size)));
  untilZombie(child.pid);
  console.log("much:", await before);
}

// Several at once, the first of which ends last.
{
  const seen = [];
  const children = [1, 2, 3].map((n) => {
    const child = spawn("/bin/sh", ["-c", `echo ${n}`]);
    child.stdout.on("data", (data) => seen.push(`data ${String(data).trim()}`));
    child.on("exit", () => seen.push("exit"));
    return child;
  });
  for (const child of children) untilZombie(child.pid);
  await Promise.all(children.map((child) => once(child, "close")));
  console.log("several:", seen.slice(0, 3).sort().join(", "), "then", seen.slice(3).join(", "));
}

// Messages.
{
  const child = fork(import.meta.filename, ["child"]);
  const seen = [];
  child.on("message", (message) => seen.push(message));
  child.on("exit", (code) => seen.push(`exit ${code}`));
  untilZombie(child.pid);
  await once(child, "close");
  console.log("messages:", seen.join(", "));
}

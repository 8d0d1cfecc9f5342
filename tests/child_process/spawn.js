// spawn(): streams, events and their order, exit codes, signals, errors of the start. Recorded from Node.
const { spawn, ChildProcess } = require("node:child_process");
const { once } = require("node:events");

/** All that a child tells, with one list of events. */
function watch(name, child) {
  const log = [];
  child.on("spawn", () => log.push("spawn"));
  child.on("error", (e) => log.push(`error ${e.code} ${e.errno} ${e.syscall} ${e.path} ${JSON.stringify(e.spawnargs)} ${e.message}`));
  child.on("exit", (code, signal) => log.push(`exit ${code} ${signal}`));
  const text = { stdout: "", stderr: "" };
  for (const key of ["stdout", "stderr"]) child[key]?.setEncoding("utf8").on("data", (chunk) => (text[key] += chunk));
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      log.push(`close ${code} ${signal}`);
      console.log(name, log, text, child.exitCode, child.signalCode, child.killed, child.connected);
      resolve(child);
    });
  });
}

async function main() {
  const first = spawn("sh", ["-c", "cat; echo error >&2; exit 3"]);
  console.log(first instanceof ChildProcess, typeof first.pid, first.spawnfile, first.spawnargs, first.stdio.length);
  console.log(first.stdin.writable, first.stdin.readable, first.stdout.readable, first.stderr.readable, first.stdio[1] === first.stdout);
  first.stdin.end("input");
  await watch("plain", first);

  const big = spawn("cat");
  let size = 0;
  big.stdout.on("data", (chunk) => (size += chunk.length));
  big.stdin.write(Buffer.alloc(3_000_000, "x"), () => console.log("written"));
  big.stdin.end(Buffer.alloc(1_000_000, "y"));
  await once(big, "close");
  console.log("big", size);

  const sleeper = spawn("sleep", ["60"]);
  console.log(sleeper.kill(), sleeper.killed);
  await watch("killed", sleeper);
  console.log(sleeper.kill(), sleeper.kill(0));
  await watch("SIGKILL", Object.assign(spawn("sleep", ["60"]), {}).once("spawn", function() { this.kill("SIGKILL"); }));
  await watch("number", spawn("sleep", ["60"]).once("spawn", function() { this.kill(1); }));
  await watch("timeout", spawn("sleep", ["60"], { timeout: 20, killSignal: "SIGINT" }));

  const gone = spawn("no-such-program", ["a", "b"]);
  console.log(gone.pid, gone.stdin.writable);
  await watch("ENOENT", gone);
  await watch("cwd", spawn("echo", { cwd: "/no/such/folder" }));
  await watch("EACCES", spawn("/etc/passwd"));

  await watch("shell", spawn("echo $VALUE; echo $0", { shell: true, env: { VALUE: "from env", PATH: process.env.PATH } }));
  await watch("argv0", spawn("sh", ["-c", "echo $0"], { argv0: "other" }));
  await watch("cwd", spawn("pwd", { cwd: "/usr" }));
  await watch("URL", spawn("pwd", { cwd: new URL("file:///usr") }));
  await watch("env", spawn("/usr/bin/env", { env: { A: 1, B: undefined, C: null, __proto__: { D: "inherited" } } }));
  await watch("detached", spawn("sh", ["-c", "test $(ps -o sid= -p $$) = $$ && echo leader"], { detached: true }));

  const controller = new AbortController();
  const aborted = spawn("sleep", ["60"], { signal: controller.signal });
  aborted.on("error", (e) => console.log(e.name, e.code, e.message, e.cause));
  controller.abort("why");
  console.log(await new Promise((resolve) => aborted.on("exit", (...args) => resolve(args))));
  const before = spawn("sleep", ["60"], { signal: AbortSignal.abort() });
  before.on("error", (e) => console.log("before", e.name));
  await new Promise((resolve) => before.on("exit", resolve));

  {
    const disposed = spawn("sleep", ["60"]);
    disposed[Symbol.dispose]?.() ?? disposed.kill();
    console.log(await once(disposed, "exit"), disposed.killed);
  }

  // The output of a child that nobody listens to does not hold back 'close'.
  const ignored = spawn("sh", ["-c", "echo not read"]);
  console.log(await once(ignored, "close"));

  const endless = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
  endless.stdin.on("error", (e) => console.log("EPIPE", e.code, e.syscall));
  endless.kill("SIGKILL");
  await once(endless, "close");

  const unreferenced = spawn("sleep", ["60"], { stdio: "ignore", detached: true });
  unreferenced.unref();
  process.on("exit", () => unreferenced.kill());
}
main();

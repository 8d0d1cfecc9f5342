// exec(), execFile() and their promises. Recorded from Node.
const { exec, execFile } = require("node:child_process");
const { promisify } = require("node:util");

const run = promisify(exec);
const runFile = promisify(execFile);
const show = (name) => (error, stdout, stderr) => {
  console.log(name, error && [error.name, error.message, error.code, error.killed, error.signal, error.cmd], stdout, stderr);
};
const done = (start) => new Promise((resolve) => start((...results) => resolve(results)));

async function main() {
  show("exec")(...(await done((cb) => exec("echo out; echo err >&2", cb))));
  show("code")(...(await done((cb) => exec("echo out; echo err >&2; exit 7", cb))));
  show("signal")(...(await done((cb) => exec("kill -9 $$", cb))));
  show("not found")(...(await done((cb) => exec("exit 127", { shell: "/bin/bash" }, cb))));
  show("env")(...(await done((cb) => exec("echo $A", { env: { A: "value" } }, cb))));
  show("file")(...(await done((cb) => execFile("sh", ["-c", "echo $0 $1", "a b", "c"], cb))));
  show("buffer")(...(await done((cb) => execFile("echo", ["é"], { encoding: "buffer" }, cb))));
  show("latin1")(...(await done((cb) => execFile("printf", ["\\351"], { encoding: "latin1" }, cb))));
  show("hex")(...(await done((cb) => execFile("echo", ["hex"], { encoding: "hex" }, cb))));
  show("ENOENT")(...(await done((cb) => execFile("no-such-program", ["x"], cb))));
  show("timeout")(...(await done((cb) => exec("sleep 60", { timeout: 20, shell: "/bin/bash" }, cb))));
  show("SIGKILL")(...(await done((cb) => execFile("sleep", ["60"], { timeout: 20, killSignal: "SIGKILL" }, cb))));
  show("maxBuffer")(...(await done((cb) => execFile("sh", ["-c", "printf 1234567890; sleep 1"], { maxBuffer: 5 }, cb))));
  show("maxBuffer stderr")(...(await done((cb) => execFile("sh", ["-c", "printf ü1234567890 >&2; sleep 1"], { maxBuffer: 5 }, cb))));
  show("maxBuffer reached")(...(await done((cb) => execFile("printf", ["12345"], { maxBuffer: 5 }, cb))));
  show("split")(...(await done((cb) => exec("printf '\\303'; sleep 0.05; printf '\\251'", cb))));

  console.log(await run("echo promise"));
  const rejected = await run("echo o; echo e >&2; exit 2").catch((e) => e);
  console.log(rejected.code, rejected.stdout, rejected.stderr, rejected.cmd);
  const promise = runFile("echo", ["child"]);
  console.log(promise.child.spawnfile);
  console.log((await promise).stdout);
  const controller = new AbortController();
  const aborted = run("sleep 60", { signal: controller.signal });
  controller.abort();
  console.log(await aborted.catch((e) => [e.name, e.code, e.message, e.cmd]));
  console.log(await run("sleep 60", { signal: AbortSignal.abort("reason") }).catch((e) => [e.name, e.cause]));

  const child = exec("echo listened");
  child.stdout.on("data", (text) => console.log(typeof text, text));
  await new Promise((resolve) => child.on("close", resolve));
  for (const attempt of [() => exec(), () => exec(1), () => execFile(), () => execFile("a", 1), () => execFile("ls", [], "x"),
    () => exec("ls", { timeout: -1 }), () => exec("ls", { maxBuffer: -1 }), () => exec("ls", { killSignal: "x" }),
    () => exec("ls\0"), () => execFile("ls", ["a\0"]), () => execFile("")]) {
    try {
      attempt();
    } catch (e) {
      console.log(e.name, e.code);
    }
  }
}
main();

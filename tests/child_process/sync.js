// spawnSync(), execSync(), execFileSync(). Recorded from Node.
const { spawnSync, execSync, execFileSync } = require("node:child_process");

const show = (name, { pid, error, ...rest }) => {
  console.log(name, typeof pid, error && [error.message, error.code, error.errno, error.path, error.spawnargs], rest);
};

show("plain", spawnSync("sh", ["-c", "echo out; echo err >&2; exit 5"]));
show("utf8", spawnSync("cat", { input: "text é", encoding: "utf8" }));
show("bytes", spawnSync("cat", { input: new Uint8Array([104, 105]) }));
show("signal", spawnSync("sh", ["-c", "kill -TERM $$"]));
show("ENOENT", spawnSync("no-such-program", ["x"]));
show("cwd", spawnSync("pwd", { cwd: "/no/such/folder" }));
show("timeout", spawnSync("sleep", ["60"], { timeout: 30 }));
show("killSignal", spawnSync("sleep", ["60"], { timeout: 30, killSignal: "SIGKILL" }));
show("maxBuffer", { ...spawnSync("sh", ["-c", "echo 1234567890; sleep 5"], { maxBuffer: 5 }), pid: 1, stdout: 0, output: 0 });
show("argv0", spawnSync("sh", ["-c", "echo $0"], { argv0: "name", encoding: "utf8" }));
show("shell", spawnSync("echo $0 $A", { shell: "/bin/sh", env: { A: "1" }, encoding: "utf8" }));
show("ignore", spawnSync("echo", ["x"], { stdio: "ignore" }));
show("inherit", spawnSync("echo", ["inherited"], { stdio: "inherit" }));
const big = spawnSync("cat", { input: Buffer.alloc(5_000_000, "z"), maxBuffer: Infinity });
console.log(big.stdout.length, big.status, big.error);
const unread = spawnSync("true", { input: Buffer.alloc(4_000_000) });
console.log(unread.status, unread.error === undefined || unread.error.code);

console.log(execSync("echo one").toString(), execSync("echo $X", { env: { X: "two" }, encoding: "utf8" }));
console.log(execFileSync("echo", ["three"], { encoding: "utf8" }), execFileSync("cat", { input: "four" }).toString());
console.log(execSync("echo x", { stdio: "ignore" }));
for (const attempt of [
  () => execSync("echo out; echo err >&2; exit 3", { stdio: "pipe" }),
  () => execFileSync("sh", ["-c", "exit 4"]),
  () => execFileSync("no-such-program"),
  () => execSync("sleep 60", { timeout: 30, shell: "/bin/bash" }),
]) {
  try {
    attempt();
  } catch (e) {
    console.log(e.message, e.code, e.status, e.signal, e.stdout && String(e.stdout), e.stderr && String(e.stderr), Object.keys(e));
  }
}
for (const options of [{ cwd: 1 }, { detached: 1 }, { uid: "x" }, { gid: "x" }, { shell: 1 }, { argv0: 1 }, { windowsHide: 1 },
  { maxBuffer: -1 }, { timeout: -1 }, { killSignal: "nope" }, { input: 1 }, { killSignal: {} }, 1]) {
  try {
    spawnSync("true", options);
    console.log("no error", options);
  } catch (e) {
    console.log(e.name, e.code);
  }
}

// Bun.spawnSync(). Recorded from Bun 1.4.5.
const say = (name, { pid, stdout, stderr, resourceUsage, ...rest }) => {
  console.log(name, typeof pid, JSON.stringify([stdout && String(stdout), stderr && String(stderr)]), typeof resourceUsage.maxRSS, JSON.stringify(rest));
};
say("plain", Bun.spawnSync(["sh", "-c", "echo out; echo err >&2; exit 2"]));
say("object", Bun.spawnSync({ cmd: ["cat"], stdin: new TextEncoder().encode("input") }));
say("blob", Bun.spawnSync(["cat"], { stdin: new Blob(["a blob"]) }));
say("empty", Bun.spawnSync(["cat"], { stdin: "pipe" }));
say("signal", Bun.spawnSync(["sh", "-c", "kill -9 $$"]));
say("timeout", Bun.spawnSync({ cmd: ["sleep", "60"], timeout: 30 }));
say("ignore", Bun.spawnSync(["echo", "1"], { stdout: "ignore", stderr: "inherit" }));
say("env", Bun.spawnSync(["sh", "-c", "echo $A; pwd"], { env: { A: "1" }, cwd: "/usr" }));
say("file", Bun.spawnSync(["head", "-n", "1"], { stdin: Bun.file(import.meta.path) }));
const large = Bun.spawnSync(["head", "-c", "3000000", "/dev/zero"]);
console.log(large.stdout.length, large.stdout instanceof Buffer, large.success);
const limited = Bun.spawnSync({ cmd: ["sh", "-c", "head -c 100000 /dev/zero; sleep 60"], maxBuffer: 1000 });
console.log(limited.exitedDueToMaxBuffer, limited.signalCode, limited.exitCode);
for (const attempt of [
  () => Bun.spawnSync(["no-such-program"]), () => Bun.spawnSync([]), () => Bun.spawnSync(["ls"], { stdin: new ReadableStream() }), () => Bun.spawnSync(["ls"], { cwd: "/no/such" }),
]) {
  try {
    attempt();
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
}

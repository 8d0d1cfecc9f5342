// Bun.spawn(). Recorded from Bun 1.4.5.
import { mkdtempSync, rmSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dir = mkdtempSync(join(tmpdir(), "bao-spawn-"));
const say = (...values) => console.log(values.map((value) => (typeof value === "bigint" ? `${value}n` : JSON.stringify(value) ?? String(value))).join(" "));

let p = Bun.spawn(["sh", "-c", "cat; echo err >&2; exit 3"], { stdin: "pipe", stderr: "pipe" });
say(typeof p.pid, p.exitCode, p.signalCode, p.killed, p.connected, p.stdio, p.readable === p.stdout, p.writable === p.stdin, p.resourceUsage());
say(p.stdout instanceof ReadableStream, p.stdout.constructor === ReadableStream, Object.prototype.toString.call(p));
say(p.stdin.write("some "), p.stdin.write(new TextEncoder().encode("input")), p.stdin.flush(), await p.stdin.end());
say(await p.stdout.text(), await p.stderr.text(), await p.exited, p.exitCode, p.signalCode, p.killed);
const usage = p.resourceUsage();
say(Object.keys(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(usage))).includes("cpuTime"), typeof usage.maxRSS, typeof usage.cpuTime.total, typeof usage.contextSwitches.voluntary);

p = Bun.spawn({ cmd: ["sleep", "60"] });
say(p.stdin, typeof p.stdout, p.stderr);
p.kill();
say(p.killed, await p.exited, p.exitCode, p.signalCode, p.killed);
p = Bun.spawn(["sleep", "60"], { timeout: 20, killSignal: "SIGKILL" });
say(await p.exited, p.signalCode);
const controller = new AbortController();
p = Bun.spawn(["sleep", "60"], { signal: controller.signal });
controller.abort();
say(await p.exited, p.signalCode);
p = Bun.spawn(["yes"], { maxBuffer: 1000 });
say(await p.exited, p.signalCode);
p = Bun.spawn(["sleep", "60"], { stdout: "ignore" });
p.kill("SIGINT");
say(await p.exited, p.stdout);
{
  await using q = Bun.spawn(["sleep", "60"]);
  p = q;
}
say(p.signalCode);
const ended = await new Promise((resolve) => {
  const q = Bun.spawn(["sh", "-c", "exit 9"], { onExit: (self, ...rest) => resolve([self === q, ...rest]) });
});
say(ended);

say(await Bun.spawn(["echo", '{"a":[1]}']).stdout.json());
say([...(await Bun.spawn(["printf", "\\001\\002"]).stdout.bytes())]);
say((await Bun.spawn(["echo", "blob"]).stdout.blob()).size);
let text = "";
for await (const chunk of Bun.spawn(["sh", "-c", "echo a; sleep 0.02; echo b"]).stdout) text += new TextDecoder().decode(chunk);
say(text);
const reader = Bun.spawn(["echo", "x"]).stdout.getReader();
say((await reader.read()).value.length, (await reader.read()).done);

// Output that nobody reads does not stop the process.
p = Bun.spawn(["head", "-c", "1000000", "/dev/zero"]);
say(await p.exited, (await p.stdout.bytes()).length);
p = Bun.spawn(["cat"], { stdin: "pipe" });
p.stdin.write("x".repeat(300_000));
say(await p.stdin.end(), (await p.stdout.bytes()).length);

say(await Bun.spawn(["cat"], { stdin: new Uint8Array([104, 105]) }).stdout.text());
say(await Bun.spawn(["cat"], { stdin: new Blob(["a ", "blob"]) }).stdout.text());
const stream = new ReadableStream({
  async start(c) {
    c.enqueue("text ");
    await 1;
    c.enqueue(new TextEncoder().encode("and bytes"));
    c.close();
  },
});
say(await Bun.spawn(["cat"], { stdin: stream }).stdout.text());
writeFileSync(join(dir, "in"), "from a file");
say(await Bun.spawn(["cat"], { stdin: Bun.file(join(dir, "in")) }).stdout.text());
p = Bun.spawn(["sh", "-c", "echo to a file"], { stdout: Bun.file(join(dir, "out")) });
say(await p.exited, p.stdout, readFileSync(join(dir, "out"), "utf8"));
p = Bun.spawn(["sh", "-c", "echo on three >&3"], { stdio: ["ignore", "pipe", "inherit", "pipe"] });
say(p.stdio.length, typeof p.stdio[3], await p.exited);

say(await Bun.spawn(["env"], { env: { A: 1, B: undefined } }).stdout.text());
say(await Bun.spawn(["pwd"], { cwd: "/usr" }).stdout.text());
say(await Bun.spawn({ cmd: ["sh", "-c", "echo $0"], argv0: "name" }).stdout.text());

const child = "process.on('message', (m) => { process.send({ got: m }); process.disconnect(); })";
for (const serialization of ["json", "advanced"]) {
  let q;
  const message = await new Promise((resolve) => {
    q = Bun.spawn([process.execPath, "-e", child], {
      serialization,
      ipc: (m, self) => resolve([m, self === q]),
      stdio: ["ignore", "inherit", "inherit"],
    });
    say(q.connected, q.send({ list: [1, "é"] }));
  });
  say(message, await q.exited, q.connected);
  try {
    q.send(1);
  } catch (e) {
    say(e.name, e.code, e.message);
  }
}

for (const attempt of [
  () => Bun.spawn(["no-such-program"]), () => Bun.spawn(["./no/such"]), () => Bun.spawn(["ls"], { cwd: "/no/such" }), () => Bun.spawn(["/etc/passwd"]),
  () => Bun.spawn([]), () => Bun.spawn(), () => Bun.spawn("ls"), () => Bun.spawn(["ls"], { stdin: "foo" }), () => Bun.spawn(["ls"], { stdio: "inherit" }),
  () => Bun.spawn(["ls"], { killSignal: "FOO" }), () => Bun.spawn(["ls"], { env: 1 }), () => Bun.spawn(["ls"], { onExit: 1 }),
  () => Bun.spawn(["ls"], { stdout: new Blob(["a"]) }), () => p.kill("SIGFOO"), () => p.kill(500), () => p.send(1),
]) {
  try {
    attempt();
  } catch (e) {
    say(e.name, e.code, e.message, e.path, e.syscall, e.errno);
  }
}
rmSync(dir, { recursive: true });

// expected: recorded from Node 25.9
// SIGUSR1 starts the inspector: in a program that waits, in one that computes, and not in one that listens to the signal itself.
import { spawn } from "node:child_process";

function start(flags, code) {
  const child = spawn(process.execPath, ["--inspect-port=0", ...flags, "-e", code], { stdio: ["ignore", "pipe", "pipe"] });
  child.text = "";
  child.changed = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      child.text += chunk;
      child.changed();
    });
  }
  child.until = (pattern) =>
    new Promise((resolve) => {
      child.changed = () => pattern.test(child.text) && resolve();
      child.changed();
    });
  child.ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(signal ?? code)));
  return child;
}

const listening = /Debugger listening on ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]+\n/;

for (const [name, code] of [
  ["waits", `setInterval(() => {}, 1e6); console.log("ready");`],
  ["waits for a socket", `require("net").createServer().listen(0, "127.0.0.1", () => console.log("ready"));`],
  ["computes", `require("fs").writeSync(1, "ready\\n"); for (;;);`],
]) {
  const child = start([], code);
  await child.until(/ready/);
  child.kill("SIGUSR1");
  await child.until(listening);
  // A second one changes nothing.
  child.kill("SIGUSR1");
  child.kill("SIGTERM");
  console.log(name, await child.ended, child.text.match(/Debugger listening/g).length);
}

const own = start([], `process.on("SIGUSR1", () => { console.log("own"); process.exit(); }); setInterval(() => {}, 1e6); console.log("ready");`);
await own.until(/ready/);
own.kill("SIGUSR1");
console.log(await own.ended, JSON.stringify(own.text));

const disabled = start(["--disable-sigusr1"], `setInterval(() => {}, 1e6); console.log("ready");`);
await disabled.until(/ready/);
disabled.kill("SIGUSR1");
disabled.kill("SIGTERM");
console.log(await disabled.ended, JSON.stringify(disabled.text));

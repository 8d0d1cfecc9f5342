// Channels whose other end misbehaves: it floods, closes, is killed inside of a message, sends half of one or none at all.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "ipc-"));
let files = 0;
function start(code, options) {
  const file = join(folder, `${files++}.cjs`);
  writeFileSync(file, code);
  return fork(file, [], { stdio: ["ignore", "inherit", "inherit", "ipc"], ...options });
}
/** What a child does to its parent, in order. */
async function watch(child) {
  const seen = [];
  for (const event of ["disconnect", "error"]) child.on(event, () => seen.push(event));
  child.on("exit", (code, signal) => seen.push(signal ?? code));
  await once(child, "close");
  return seen.sort().join();
}

for (const serialization of ["json", "advanced"]) {
  console.log(serialization);
  {
    // A flood, then the end: nothing is lost.
    const child = start(`
      let left = 20000;
      for (let i = 0; i < 20000; i++) process.send({ i, text: 'x'.repeat(i % 100) }, () => { if (--left === 0) process.disconnect(); });`, { serialization });
    let next = 0;
    child.on("message", ({ i, text }) => { if (i === next && text.length === i % 100) next++; });
    console.log("flood", await watch(child), next);
  }
  {
    // A flood to a child that closes after the first message.
    const child = start("process.once('message', () => { process.disconnect(); });", { serialization });
    let sent = 0;
    let failed = 0;
    child.on("error", () => {});
    const over = watch(child);
    for (let i = 0; i < 2000; i++) {
      child.send({ i, text: "y".repeat(1000) }, (error) => { error ? failed++ : sent++; });
    }
    await over;
    // Callbacks of what was refused at the end.
    await new Promise((resolve) => setTimeout(resolve, 10));
    console.log("closed", sent > 0, sent + failed);
    child.send("late", (error) => console.log(error.code));
    console.log(child.connected, child.channel);
  }
  {
    // Half a message, then the end.
    const start2 = serialization === "json" ? "Buffer.from('{\"half\":')" : "Buffer.from([0, 0, 1, 0, 255, 15])";
    const child = start(`require('fs').writeSync(Number(process.env.NODE_CHANNEL_FD ?? 3), ${start2}); process.exit(4)`, { serialization });
    let messages = 0;
    child.on("message", () => messages++);
    console.log("half", await watch(child), messages);
  }
  {
    // Killed inside of a large message.
    const child = start("process.send('ready'); setInterval(() => process.send('z'.repeat(1 << 20)), 1)", { serialization });
    let whole = true;
    child.on("message", (message) => {
      whole &&= message === "ready" || message.length === 1 << 20;
      if (message !== "ready") child.kill("SIGKILL");
    });
    console.log("killed", await watch(child), whole);
  }
  {
    // The parent hangs up inside of its listener, while more messages are there.
    const child = start("process.on('error', () => {}); for (let i = 0; i < 100; i++) process.send(i); process.on('disconnect', () => process.exit(5))", { serialization });
    let heard = 0;
    child.on("message", () => { if (++heard === 1) child.disconnect(); });
    console.log("hung up", await watch(child), heard >= 1);
  }
}
rmSync(folder, { recursive: true });

// A server that runs out of descriptors (EMFILE) turns new connections away instead of turning in circles, and is well again when there
// are some. Both Bun.serve and node:http, in a process with a limit.
import { spawn } from "node:child_process";
import net from "node:net";

if (process.argv[2] === "server") {
  const { default: http } = await import("node:http");
  // What they need once, while there are descriptors.
  const one = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: () => new Response("ok") });
  const two = http.createServer((request, response) => response.end("ok")).listen(0, "127.0.0.1", () => {
    console.log(JSON.stringify([one.port, two.address().port]));
  });
  process.stdin.on("data", () => console.log(JSON.stringify(process.cpuUsage())));
} else {
  const child = spawn("/bin/sh", ["-c", 'ulimit -n 64; exec "$0" "$1" server', process.execPath, import.meta.filename], { stdio: ["pipe", "pipe", "inherit"] });
  const line = () => new Promise((resolve) => child.stdout.once("data", (bytes) => resolve(JSON.parse(bytes))));
  const ports = await line();
  const ask = (port, keep) => new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.write(`GET / HTTP/1.1\r\nHost: h\r\n${keep ? "" : "Connection: close\r\n"}\r\n`));
    const done = (how) => { resolve([how, socket]); if (!keep) socket.destroy(); };
    socket.on("data", () => done("answered"));
    socket.on("error", () => done("refused"));
    socket.on("close", () => done("refused"));
  });
  for (const [i, port] of ports.entries()) {
    const results = await Promise.all(Array.from({ length: 150 }, () => ask(port, true)));
    const answered = results.filter(([how]) => how === "answered").length;
    console.log(["Bun.serve", "node:http"][i], answered > 20, answered < 64, results.length - answered > 80);
    // Full, it sleeps.
    child.stdin.write("x");
    const before = await line();
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.stdin.write("x");
    const after = await line();
    console.log("idle:", after.user + after.system - before.user - before.system < 150_000);
    for (const [, socket] of results) socket.destroy();
    let again;
    for (let attempt = 0; attempt < 100; attempt++) {
      [again] = await ask(port, false);
      if (again === "answered") break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    console.log("again:", again);
  }
  child.kill();
}

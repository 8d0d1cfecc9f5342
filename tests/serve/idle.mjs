// Many connections that do nothing: each costs little, and the server answers as before. The limit on open files is raised by a shell,
// as 2,000 need more than the usual 1,024.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import net from "node:net";

const COUNT = 2000;
const raised = (role, ...args) => spawn("/bin/sh", ["-c", 'ulimit -n 4096 2>/dev/null || ulimit -n $(ulimit -H -n); exec "$0" "$@"', process.execPath, import.meta.filename, role, ...args],
  { stdio: ["pipe", "pipe", "inherit"] });
const line = (child) => new Promise((resolve) => child.stdout.once("data", (bytes) => resolve(`${bytes}`.trim())));

if (process.argv[2] === "server") {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: () => new Response("ok") });
  console.log(server.port);
  const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "latin1"))[1]);
  process.stdin.on("data", () => { Bun.gc(true); console.log(resident()); });
} else if (process.argv[2] === "client") {
  let open = 0;
  for (let i = 0; i < COUNT; i++) {
    await new Promise((resolve, reject) => net.connect(Number(process.argv[3]), "127.0.0.1", resolve).on("error", reject));
    open++;
  }
  console.log(open);
} else {
  const server = raised("server");
  const port = await line(server);
  await (await fetch(`http://127.0.0.1:${port}/`)).text();
  server.stdin.write("x");
  const before = Number(await line(server));
  const client = raised("client", port);
  console.log(await line(client), "connections");
  console.log(await (await fetch(`http://127.0.0.1:${port}/`)).text());
  server.stdin.write("x");
  const each = (Number(await line(server)) - before) * 1024 / COUNT;
  if (process.env.SHOW) console.log(Math.round(each), "bytes each");
  console.log("at most 4 KiB each:", each < 4096);
  client.kill();
  server.kill();
}

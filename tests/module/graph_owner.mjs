// expected: recorded from bun 1.4.5
// What code in the context of a Bun.ModuleGraph opens belongs to the graph: `dispose` closes it, and nobody hears of it.
import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";
import dgram from "node:dgram";
import { mkdtempSync, readFileSync, rmSync, watch, watchFile, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { Database } from "bun:sqlite";

const dir = mkdtempSync(join(tmpdir(), "graph-"));
const show = (...values) => console.log(...values);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const heard = [];
const hear = (what) => () => void heard.push(what);
const refused = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1", () => (socket.destroy(), resolve(false)));
    socket.on("error", () => resolve(true));
  });

// A server of the program, which never answers.
const silent = net.createServer(() => {}).listen(0, "127.0.0.1");
await new Promise((resolve) => silent.on("listening", resolve));
const { port } = silent.address();

const graph = new Bun.ModuleGraph({ onError: (error) => heard.push(`error ${error.message}`) });
const asHost = AsyncLocalStorage.snapshot();
const opened = await graph.run(async () => {
  setTimeout(hear("timeout"), 20);
  setInterval(hear("interval"), 5);
  setTimeout(() => asHost(hear("timeout of the program")), 20);
  const serve = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hi") });
  const listen = Bun.listen({ port: 0, hostname: "127.0.0.1", socket: { data() {}, close: hear("listen close") } });
  const server = net.createServer((socket) => socket.on("close", hear("accepted close")));
  server.on("close", hear("server close"));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.on("listening", resolve));
  const socket = net.connect(port, "127.0.0.1");
  for (const event of ["close", "end", "error"]) socket.on(event, hear(`socket ${event}`));
  await new Promise((resolve) => socket.on("connect", resolve));
  const bunSocket = await Bun.connect({ port, hostname: "127.0.0.1", socket: { data() {}, close: hear("connect close") } });
  const udp = dgram.createSocket("udp4");
  udp.on("close", hear("udp close"));
  udp.bind(0, "127.0.0.1");
  await new Promise((resolve) => udp.on("listening", resolve));
  fetch(`http://127.0.0.1:${port}/`).then(hear("response"), hear("fetch failed"));
  const agent = new http.Agent();
  const request = http.get({ port, host: "127.0.0.1", agent });
  for (const event of ["close", "error"]) request.on(event, hear(`request ${event}`));
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}/`);
  webSocket.onclose = hear("websocket close");
  webSocket.onerror = hear("websocket error");
  const child = spawn("sleep", ["100"], { stdio: ["pipe", "pipe", "pipe"] });
  for (const event of ["exit", "close"]) child.on(event, hear(`child ${event}`));
  const process = Bun.spawn(["sleep", "100"], { onExit: hear("onExit") });
  process.exited.then(hear("exited"));
  Bun.$`sleep 100`.quiet().then(hear("shell"), hear("shell failed"));
  const worker = new Worker("setInterval(() => {}, 1000)", { eval: true });
  worker.on("exit", hear("worker exit"));
  await new Promise((resolve) => worker.on("online", resolve));
  const watcher = watch(dir, hear("watch"));
  watcher.on("close", hear("watcher close"));
  watchFile(join(dir, "watched"), { interval: 10 }, hear("watchFile"));
  const database = new Database(join(dir, "a.db"));
  const writer = Bun.file(join(dir, "written")).writer({ highWaterMark: 1000 });
  writer.write("dropped");
  const inner = new Bun.ModuleGraph();
  inner.run(() => setInterval(hear("inner"), 5));
  readFile(import.meta.filename).then(hear("readFile"));
  process.kill; // what is held does not go
  return { serve, listen, server, socket, bunSocket, udp, child, process, database, inner, ports: [serve.port, listen.port, server.address().port] };
});
const { ports, child, process: subprocess, database, inner } = opened;
const pids = [child.pid, subprocess.pid];
heard.length = 0;
graph.dispose();
const shared = setTimeout(() => {}, 0);
clearTimeout(shared);
writeFileSync(join(dir, "watched"), "changed");
await sleep(150);
show("heard", heard);
show("refused", await Promise.all(ports.map(refused)));
show("processes", pids.map((pid) => isAlive(pid)));
try {
  database.run("select 1");
} catch (error) {
  show(error.message);
}
try {
  inner.run(() => {});
} catch (error) {
  show(error.code);
}
show("written", JSON.stringify(readFileSync(join(dir, "written"), "utf8")));

// The program's own go on.
const again = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("of the program") });
show(await (await fetch(again.url)).text());
await again.stop(true);
const own = watch(dir, () => {
  own.close();
  show("watched");
  silent.close();
  rmSync(dir, { recursive: true });
});
writeFileSync(join(dir, "another"), "");

function isAlive(pid) {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

// A Redis server for one test: on loopback and a free port, without files, ended with the test.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { freePort, until } from "../../sql/support/server.mjs";

export { freePort, until };

/** A port whose server can have another one 10,000 above it, as those of clusters do. */
async function clusterPort() {
  return until(async () => {
    const port = await freePort();
    if (port > 55535) return undefined;
    const server = net.createServer();
    const isFree = await new Promise((done) => server.on("error", () => done(false)).listen(port + 10000, "127.0.0.1", () => done(true)));
    if (isFree) await new Promise((done) => server.close(done));
    return isFree ? port : undefined;
  });
}

const answers = (port) =>
  new Promise((done) => {
    const socket = net.connect(port, "127.0.0.1", () => socket.end("PING\r\n"));
    socket.on("data", () => (socket.destroy(), done(true)));
    socket.on("error", () => done(false));
    socket.on("close", () => done(false));
  });

/** Starts a server; without Redis says so on standard error and ends the test with what it should print. */
export async function startRedis(out, args = []) {
  if (spawnSync("redis-server", ["--version"], { stdio: "ignore" }).status !== 0) {
    console.error("skipped: redis-server is not installed");
    process.stdout.write(readFileSync(out));
    process.exit(0);
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), "bao-redis-"));
  const port = args.includes("--cluster-enabled") ? await clusterPort() : await freePort();
  let child;
  const start = async () => {
    const given = ["--port", port, "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--loglevel", "warning", ...args];
    child = spawn("redis-server", given.map(String), { stdio: "ignore" });
    await until(() => answers(port));
  };
  const stop = (signal = "SIGKILL") =>
    new Promise((done) => {
      child.once("exit", done);
      child.kill(signal);
    });
  process.on("exit", () => {
    child?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return { port, url: `redis://127.0.0.1:${port}`, start, stop };
}

export const outcome = (promise) =>
  Promise.resolve(promise).then(
    (value) => value,
    (error) => `${error.name} ${error.code}: ${error.message}`,
  );

// The program of the soak: tasks that run side by side, each again and again with a pause, and check every answer.
//
//     bao --hot program.mjs       (started by soak.py, which changes reloaded.mjs beside it again and again)
//
// It prints a line of JSON every REPORT seconds: what each task has done, errors, live objects. Under --hot the file is evaluated anew
// after each change; the tasks are started once and live on.

import { AsyncLocalStorage } from "node:async_hooks";
import { execFile } from "node:child_process";
import { createHash, pbkdf2 } from "node:crypto";
import { createReadStream, createWriteStream, readdirSync, readFileSync, watch } from "node:fs";
import { appendFile, mkdtemp, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { createGunzip, createGzip, gunzip, gzip } from "node:zlib";

import { version } from "./reloaded.mjs";

const REPORT = Number(process.env.REPORT ?? 5);
const PAUSE = Number(process.env.PAUSE ?? 100);
const support = new URL(process.env.CERTIFICATES ?? "../../tests/http/support/", import.meta.url);

globalThis.soak ??= start();
globalThis.soak.versions.add(version);

function check(condition, what) {
  if (!condition) throw new Error(`wrong: ${what}`);
}

function start() {
  const state = { done: {}, errors: [], failed: 0, versions: new Set(), collected: 0, registered: 0, again: 0 };
  const failed = (name, error) => {
    state.failed++;
    if (state.errors.length < 20) state.errors.push(`${name}: ${error?.stack ?? error}`);
  };
  process.on("uncaughtException", (error) => failed("uncaught", error));
  process.on("unhandledRejection", (error) => failed("unhandled", error));
  for (const task of tasks()) {
    state.done[task.name] = 0;
    void (async () => {
      let run;
      try {
        run = await task(state);
      } catch (error) {
        return failed(task.name, error);
      }
      for (let round = 0; ; round++) {
        try {
          await run(round, state);
          state.done[task.name]++;
        } catch (error) {
          failed(task.name, error);
        }
        await sleep(PAUSE);
      }
    })();
  }
  setInterval(() => {
    const { rss, heapUsed, external } = process.memoryUsage();
    const line = {
      seconds: Math.round(performance.now() / 100) / 10,
      rss,
      heapUsed,
      external,
      descriptors: readdirSync("/proc/self/fd").length,
      threads: readdirSync("/proc/self/task").length,
      done: state.done,
      versions: state.versions.size,
      registered: state.registered,
      collected: state.collected,
      failed: state.failed,
      again: state.again,
      errors: state.errors.splice(0),
    };
    console.log(JSON.stringify(line));
  }, REPORT * 1000);
  return state;
}

/** Each is called once and gives the function of a round. */
function tasks() {
  return [fetchToItself, nodeHttp, webSockets, tlsReconnects, workers, timers, files, processes, computation, weakReferences];
}

async function fetchToItself() {
  const body = "line of text\n".repeat(2000);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: { "/json": () => Response.json({ a: [1, 2, 3] }), "/file": new Response(Bun.file(new URL(import.meta.url))) },
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/echo") return new Response(await request.arrayBuffer());
      if (pathname === "/through") return new Response(request.body);
      let left = 16;
      return new Response(
        new ReadableStream({
          async pull(controller) {
            if (left-- === 0) return controller.close();
            if (left % 4 === 0) await sleep(1);
            controller.enqueue(new TextEncoder().encode(body));
          },
        }),
      );
    },
  });
  const own = readFileSync(new URL(import.meta.url), "utf8").length;
  const at = (path, init) => fetch(new URL(path, server.url), init);
  return async () => {
    await Promise.all([
      at("/json").then(async (response) => check((await response.json()).a[2] === 3, "json")),
      at("/file").then(async (response) => check((await response.text()).length === own, "file")),
      at("/stream").then(async (response) => check((await response.bytes()).length === body.length * 16, "stream")),
      at("/echo", { method: "POST", body }).then(async (response) => check((await response.text()) === body, "echo")),
      at("/through", { method: "POST", body }).then(async (response) => check((await response.text()) === body, "through")),
      // One that is given up in the middle.
      (async () => {
        const abort = new AbortController();
        const response = await at("/stream", { signal: abort.signal });
        await response.body.getReader().read();
        abort.abort();
      })(),
    ]);
  };
}

async function nodeHttp(state) {
  const server = http.createServer((request, response) => {
    response.setHeader("x-path", request.url);
    request.pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const keeping = new http.Agent({ keepAlive: true, maxSockets: 4 });
  // A server may close a kept connection while a request is on its way, here when the machine keeps the program waiting for seconds.
  // Node's manual (https://nodejs.org/api/http.html#requestreusedsocket) asks programs to send such a request again. One that waited
  // for a connection of the agent does not have `reusedSocket`.
  const ask = async (agent, text) => {
    for (let tries = 1; ; tries++) {
      try {
        return await askOnce(agent, text);
      } catch (error) {
        if (agent === false || error.code !== "ECONNRESET" || tries === 5) throw error;
        state.again++;
      }
    }
  };
  const askOnce = (agent, text) =>
    new Promise((resolve, reject) => {
      const request = http.request({ port: server.address().port, host: "127.0.0.1", method: "PUT", agent }, async (response) => {
        try {
          let all = "";
          for await (const chunk of response.setEncoding("utf8")) all += chunk;
          resolve(all);
        } catch (error) {
          reject(error);
        }
      });
      request.on("error", reject);
      request.end(text);
    });
  return async (round) => {
    const texts = Array.from({ length: 8 }, (_, i) => `request ${round} ${i} `.repeat(100));
    const answers = await Promise.all(texts.map((text, i) => ask(i % 4 === 0 ? false : keeping, text)));
    check(
      answers.every((answer, i) => answer === texts[i]),
      "an answer of node:http",
    );
  };
}

async function webSockets() {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, server) => (server.upgrade(request) ? undefined : new Response("no", { status: 400 })),
    websocket: {
      perMessageDeflate: true,
      open: (socket) => socket.subscribe("all"),
      message(socket, message) {
        if (message === "all") socket.publish("all", "to all");
        else socket.send(message);
      },
    },
  });
  return async (round) => {
    const clients = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const client = new WebSocket(`ws://127.0.0.1:${server.port}/`);
        client.binaryType = "arraybuffer";
        client.heard = [];
        client.addEventListener("message", ({ data }) => {
          client.heard.push(data);
          client.told?.();
        });
        await new Promise((resolve, reject) => {
          client.onopen = resolve;
          client.onerror = reject;
        });
        return client;
      }),
    );
    const heard = (client, count) =>
      new Promise((resolve) => (client.told = () => client.heard.length >= count && resolve())).finally(() => (client.told = undefined));
    await Promise.all(
      clients.map(async (client, i) => {
        const all = heard(client, 10);
        for (let n = 0; n < 10; n++) client.send(n % 2 ? new Uint8Array(1000 + i) : `text ${n} `.repeat(50));
        await all;
        check(client.heard[9].byteLength === 1000 + i, "the last message");
      }),
    );
    const published = clients.slice(1).map((client) => heard(client, 11));
    clients[0].send("all");
    await Promise.all(published);
    const ended = clients.map((client) => new Promise((resolve) => (client.onclose = resolve)));
    for (const [i, client] of clients.entries()) (i + round) % 3 === 0 ? client.terminate() : client.close();
    await Promise.all(ended);
  };
}

async function tlsReconnects() {
  const key = readFileSync(new URL("key.pem", support));
  const cert = readFileSync(new URL("cert.pem", support));
  const secure = https.createServer({ key, cert }, (request, response) => response.end("secure"));
  await new Promise((resolve) => secure.listen(0, "127.0.0.1", resolve));
  const echo = tls.createServer({ key, cert }, (socket) => socket.pipe(socket));
  await new Promise((resolve) => echo.listen(0, "127.0.0.1", resolve));
  let session;
  const connect = () =>
    new Promise((resolve, reject) => {
      const socket = tls.connect({ port: echo.address().port, host: "127.0.0.1", rejectUnauthorized: false, session }, () => socket.write("to and fro"));
      socket.on("session", (given) => (session = given));
      socket.on("error", reject);
      socket.once("data", (data) => {
        socket.end();
        socket.on("close", () => resolve(data.toString()));
      });
    });
  return async () => {
    check((await connect()) === "to and fro", "the echo");
    const response = await fetch(`https://127.0.0.1:${secure.address().port}/`, { tls: { rejectUnauthorized: false }, keepalive: false });
    check((await response.text()) === "secure", "https");
  };
}

async function workers() {
  const code = `
    const { parentPort, workerData } = require("node:worker_threads");
    const timer = setInterval(() => {}, 1000);
    parentPort.on("message", ({ bytes, port, text }) => {
      if (text === "end") { clearInterval(timer); parentPort.close(); return; }
      bytes[0]++;
      port.postMessage({ text: text + workerData, bytes }, [bytes.buffer]);
      port.close();
    });`;
  return async (round) => {
    const worker = new Worker(code, { eval: true, workerData: `/${round}` });
    const exit = new Promise((resolve, reject) => {
      worker.on("exit", resolve);
      worker.on("error", reject);
    });
    for (let i = 0; i < 5; i++) {
      const { port1, port2 } = new MessageChannel();
      const bytes = new Uint8Array(100_000);
      const answer = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
      worker.postMessage({ bytes, port: port2, text: `message ${i}` }, [bytes.buffer, port2]);
      const { text, bytes: back } = await answer;
      check(text === `message ${i}/${round}` && back[0] === 1, "a worker's answer");
      port1.close();
    }
    if (round % 2) await worker.terminate();
    else worker.postMessage({ text: "end" });
    await exit;
    await sleep(400);
  };
}

async function timers() {
  return async () => {
    let fired = 0;
    const handles = Array.from({ length: 4000 }, (_, i) => setTimeout(() => fired++, i % 50));
    for (let i = 0; i < handles.length; i += 2) clearTimeout(handles[i]);
    let ticks = 0;
    const ticked = new Promise((resolve) => {
      const interval = setInterval(() => {
        if (++ticks < 5) return;
        clearInterval(interval);
        resolve();
      }, 2);
    });
    const signal = AbortSignal.timeout(60);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await ticked;
    await sleep(20);
    check(fired === 2000 && ticks === 5, `timers: ${fired} fired, ${ticks} ticks`);
  };
}

async function files() {
  return async (round) => {
    const folder = await mkdtemp(join(tmpdir(), "soak-"));
    try {
      const watcher = watch(folder, () => {});
      const text = `round ${round}\n`.repeat(5000);
      await writeFile(join(folder, "a"), text);
      await appendFile(join(folder, "a"), "end");
      await rename(join(folder, "a"), join(folder, "b"));
      await pipeline(createReadStream(join(folder, "b")), createGzip(), createWriteStream(join(folder, "b.gz")));
      await pipeline(createReadStream(join(folder, "b.gz")), createGunzip(), createWriteStream(join(folder, "c")));
      check((await readFile(join(folder, "c"), "utf8")) === `${text}end`, "a file after gzip and gunzip");
      check((await Bun.file(join(folder, "b")).text()).length === text.length + 3, "Bun.file");
      check((await readdir(folder)).length === 3, "the folder");
      watcher.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  };
}

async function processes() {
  const run = promisify(execFile);
  return async (round) => {
    const child = Bun.spawn(["cat"], { stdin: "pipe", stdout: "pipe" });
    child.stdin.write(`round ${round}`);
    child.stdin.end();
    check((await new Response(child.stdout).text()) === `round ${round}` && (await child.exited) === 0, "cat");
    check((await run("echo", ["x"])).stdout === "x\n", "echo");
    await sleep(300);
  };
}

async function computation() {
  const derive = promisify(pbkdf2);
  const storage = new AsyncLocalStorage();
  const data = Buffer.from("some data ".repeat(20_000));
  const digest = createHash("sha256").update(data).digest("hex");
  return async (round) => {
    await storage.run(round, async () => {
      const back = await promisify(gunzip)(await promisify(gzip)(data));
      check(createHash("sha256").update(back).digest("hex") === digest, "the digest after gzip and gunzip");
      check((await derive("secret", "salt", 1000, 32, "sha256")).length === 32, "pbkdf2");
      const copy = structuredClone({ map: new Map([[round, data]]), when: new Date(round), round });
      check(copy.map.get(round).length === data.length && storage.getStore() === round, "the copy");
      const many = await Promise.all(Array.from({ length: 500 }, async (_, i) => (await null, JSON.parse(JSON.stringify({ i })).i)));
      check(many.length === 500 && many[499] === 499, "promises");
    });
  };
}

async function weakReferences() {
  let state;
  const registry = new FinalizationRegistry(() => state.collected++);
  return async (round, given) => {
    state = given;
    for (let i = 0; i < 100; i++) {
      const object = { round, padding: new Array(50).fill(i) };
      registry.register(object, i);
      state.registered++;
    }
  };
}

// An exception in the server's own code ends a connection, never the process: a built-in function throws at every step of an exchange,
// and the server goes on. Nothing is left behind. Every ninth step, with STRIDE=1 each. By hand.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import http2 from "node:http2";
import net from "node:net";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";

const stride = Number(process.env.STRIDE ?? 9);
const only = process.argv[2];
const file = `${tmpdir()}/bao-faults-${process.pid}`;
const child = spawn(process.execPath, [new URL("support/faults_server.mjs", import.meta.url).pathname, file], {
  stdio: ["pipe", "pipe", process.env.FAULTS_LOG ? "inherit" : "ignore"],
});
const exited = new Promise((resolve) => child.on("exit", (code, signal) => resolve(`exit ${code ?? signal}`)));
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
const [port, secondPort] = JSON.parse((await lines.next()).value);

/** Sends each part when something has come for the one before; what has come until it is silent or over. */
function talk(parts, quiet = 6) {
  return new Promise((resolve) => {
    let out = "";
    let next = 0;
    let timer;
    const socket = net.connect(port, "127.0.0.1");
    const end = () => { clearTimeout(timer); socket.destroy(); resolve(out); };
    const go = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (next >= parts.length) end();
        else { socket.write(parts[next++], "latin1"); go(); }
      }, next === 0 ? 0 : quiet);
    };
    socket.on("connect", go);
    socket.on("data", (chunk) => { out += chunk.toString("latin1", 0, 4000); go(); });
    socket.on("error", () => {});
    socket.on("close", end);
  });
}

const get = (path, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const post = (path, body, more = "") => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
const frame = (first, text) => String.fromCharCode(first, 0x80 | text.length, 0, 0, 0, 0) + text;
const upgrade = get("/upgrade", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
const scenarios = {
  text: [get("/text")],
  "headers, HEAD": [get("/headers").replace("GET", "HEAD"), get("/headers")],
  post: [post("/post", "abc")],
  "body in two": [post("/post", "abcdef").slice(0, -3), "def"],
  chunks: ["POST /pipe HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "3\r\ndef\r\n0\r\n\r\n"],
  "100-continue": [post("/post", "abc", "Expect: 100-continue\r\n").slice(0, -3), "abc"],
  generator: [get("/generator")],
  large: [get("/large")],
  files: [get("/file"), get("/file", "Range: bytes=5-300000\r\n"), get("/slice")],
  routes: [get("/static"), get("/stored"), get("/p/1", "Cookie: a=b\r\n")],
  "late, HTTP/1.0": [get("/late").replace("1.1", "1.0")],
  "throws, nothing": [get("/throws"), get("/nothing")],
  pipelined: [get("/late") + get("/text") + get("/late")],
  moved: [get("/a/../text#x")],
  refused: ["GET / HTTP/1.1\r\n\r\n"],
  "too large": [post("/post", "x".repeat(2 << 20))],
  websocket: [upgrade, frame(0x81, "hello"), frame(0x89, "ping"), frame(0x81, "bye")],
  "websocket, broken": [upgrade, frame(0xf1, "x")],
};

const alive = async () => {
  // The fault may strike this one.
  for (let i = 0; i < 2; i++) {
    const answer = /\{.*\}/.exec(await talk([get("/state", "Connection: close\r\n")], 2000));
    if (answer !== null) return JSON.parse(answer[0]).fired;
  }
  return undefined;
};

async function steps(name, exchange) {
  if (only !== undefined && name !== only) return;
  for (let at = 1; ; at += stride) {
    await exchange(at);
    const fired = await Promise.race([alive(), exited]);
    if (typeof fired !== "boolean") {
      console.log(name, "step", at, fired ?? "no answer");
      process.exit(1);
    }
    if (!fired) {
      console.log(name, at > 5 ? "ok" : `only ${at} steps`);
      return;
    }
  }
}

for (const [name, parts] of Object.entries(scenarios)) await steps(name, (at) => talk([get("/arm", `Fault: ${at}\r\n`), ...parts]));

/** Requests on one connection of HTTP/2; what came is of no interest. */
function exchange2(at, requests) {
  return new Promise((resolve) => {
    const client = http2.connect(`http://127.0.0.1:${secondPort}`);
    let timer;
    const end = () => { clearTimeout(timer); client.destroy(); resolve(); };
    const go = (rest) => {
      if (rest.length === 0 || client.destroyed) return end();
      const [headers, ...body] = rest[0];
      const stream = client.request(headers);
      clearTimeout(timer);
      timer = setTimeout(() => stream.destroy(), 40);
      stream.on("error", () => {}).on("close", () => go(rest.slice(1))).resume();
      for (const piece of body) stream.write(piece);
      stream.end();
    };
    client.on("error", () => {}).on("close", end);
    go([[{ ":path": "/arm", fault: String(at) }], ...requests]);
  });
}
const scenarios2 = {
  "h2 text": [[{ ":path": "/text" }]],
  "h2 post": [[{ ":path": "/post", ":method": "POST" }, "abc", "def"]],
  "h2 pipe": [[{ ":path": "/pipe", ":method": "POST" }, "abc", "def"]],
  "h2 generator": [[{ ":path": "/generator" }]],
  "h2 large": [[{ ":path": "/large" }]],
  "h2 files": [[{ ":path": "/file" }]],
  "h2 throws": [[{ ":path": "/throws" }], [{ ":path": "*" }]],
};
for (const [name, requests] of Object.entries(scenarios2)) await steps(name, (at) => exchange2(at, requests));
child.stdin.end();
if (only === undefined) console.log((await lines.next()).value, await exited);
rmSync(file);
process.exit();

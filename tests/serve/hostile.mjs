// Requests that no client of good will sends: what Bun.serve answers, and that it goes on. Statuses and closing are as those of node:http,
// whose parser it shares.
import net from "node:net";
import { settled } from "./support/settled.mjs";

const server = Bun.serve({
  port: 0, hostname: "127.0.0.1", development: false, maxRequestBodySize: 1000, idleTimeout: 0,
  async fetch(request) {
    return new Response(`${request.method} ${(await request.text()).length}`);
  },
});

/** What has no answer before the rest of it has come. */
let isSilent = false;

/** The status lines that come back, and whether the server has hung up. */
function send(...parts) {
  return new Promise((resolve) => {
    let out = "";
    let done = false;
    const socket = net.connect(server.port, "127.0.0.1");
    // Nothing waits in the system for an acknowledgement.
    socket.setNoDelay();
    const finish = (how) => {
      if (done) return;
      done = true;
      socket.destroy();
      resolve(`${[...out.matchAll(/HTTP\/1\.1 (\d+)/g)].map((m) => m[1]).join()} ${how}`);
    };
    socket.on("data", (chunk) => { out += chunk.toString("latin1"); });
    socket.on("error", () => {});
    socket.on("close", () => finish("closed"));
    (async () => {
      for (const part of parts) {
        if (done) return;
        socket.write(part);
        await new Promise((r) => setTimeout(r, 5));
      }
      await settled(server.port, () => out, () => done, isSilent);
      finish("open");
    })();
  });
}

const host = "Host: h\r\n";
const cases = {
  "good": [`GET / HTTP/1.1\r\n${host}\r\n`],
  "byte by byte": [...`GET / HTTP/1.1\r\n${host}\r\n`],
  "two at once": [`GET / HTTP/1.1\r\n${host}\r\nGET / HTTP/1.1\r\n${host}\r\n`],
  "body in parts": [`POST / HTTP/1.1\r\n${host}Content-Length: 6\r\n\r\nabc`, "def"],
  "chunks in parts": [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n3\r\nab`, "c\r", "\n0", "\r\n", "\r\n"],
  "no request": ["\0\0\0\0\r\n\r\n"],
  "tls": [Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3])],
  "http/2 preface": ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  "unknown version": [`GET / HTTP/9.9\r\n${host}\r\n`],
  "bare lf": ["GET / HTTP/1.1\nHost: h\n\n"],
  "space before colon": ["GET / HTTP/1.1\r\nHost : h\r\n\r\n"],
  "folded header": [`GET / HTTP/1.1\r\n${host}A: 1\r\n 2\r\n\r\n`],
  "nul in a header": [`GET / HTTP/1.1\r\n${host}A: 1\0\r\n\r\n`],
  "both lengths": [`POST / HTTP/1.1\r\n${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  "both lengths, other order": [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`],
  "two lengths": [`POST / HTTP/1.1\r\n${host}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`],
  "signed length": [`POST / HTTP/1.1\r\n${host}Content-Length: +3\r\n\r\nabc`],
  "hex length": [`POST / HTTP/1.1\r\n${host}Content-Length: 0x3\r\n\r\nabc`],
  "unknown coding": [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
  "bad chunk size": [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`],
  "chunk size with a sign": [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n-1\r\n`],
  "huge chunk size": [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n`],
  "chunk too long": [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n`],
  "length over the limit": [`POST / HTTP/1.1\r\n${host}Content-Length: 1001\r\n\r\n`],
  "body over the limit": [`POST / HTTP/1.1\r\n${host}Content-Length: 1001\r\n\r\n${"x".repeat(1001)}`],
  "chunks over the limit": [`POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`, `3e9\r\n${"x".repeat(1001)}\r\n0\r\n\r\n`],
  "long path": [`GET /${"x".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
  "long header": [`GET / HTTP/1.1\r\n${host}A: ${"x".repeat(20_000)}\r\n\r\n`],
  "many headers": [`GET / HTTP/1.1\r\n${host}${"A: b\r\n".repeat(5000)}\r\n`],
  "many requests at once": [`GET / HTTP/1.1\r\n${host}\r\n`.repeat(40)],
  "good, then nonsense": [`GET / HTTP/1.1\r\n${host}\r\nnonsense\r\n\r\n`],
  "no host": ["GET / HTTP/1.1\r\n\r\n"],
  "half of a head": [`GET / HTTP/1.1\r\nHos`],
  "half of a body": [`POST / HTTP/1.1\r\n${host}Content-Length: 6\r\n\r\nabc`],
};
for (const [name, parts] of Object.entries(cases)) {
  isSilent = name.startsWith("half of");
  console.log(`${name}: ${await send(...parts)}`);
}
isSilent = false;

// Hundreds that come and go in the middle of something.
await Promise.all(Array.from({ length: 300 }, (_, i) => new Promise((resolve) => {
  const socket = net.connect(server.port, "127.0.0.1", () => {
    socket.write(`POST / HTTP/1.1\r\n${host}Content-Length: 100\r\n\r\n${"x".repeat(i % 100)}`);
    if (i % 2) socket.resetAndDestroy();
    else socket.destroy();
  });
  socket.on("error", () => {});
  socket.on("close", resolve);
})));
console.log(await send(`GET / HTTP/1.1\r\n${host}\r\n`), server.pendingRequests);
await server.stop(true);

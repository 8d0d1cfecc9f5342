// Clients that are slow, go half or all at once: Bun.serve does not wait for them for ever, and does not lose its way.
import net from "node:net";

let aborted = 0;
let big = 0;
const server = Bun.serve({
  port: 0, hostname: "127.0.0.1", idleTimeout: 1, development: false,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/wait") {
      request.signal.addEventListener("abort", () => { aborted++; });
      await new Promise(() => {});
    }
    if (pathname === "/stream") {
      return new Response(new ReadableStream({
        async pull(controller) { big++; controller.enqueue(new Uint8Array(1 << 16)); await 1; },
        cancel() { aborted++; },
      }));
    }
    try {
      return new Response(`${(await request.arrayBuffer()).byteLength} bytes`);
    } catch (error) {
      aborted++;
      throw error;
    }
  },
  error(error) { return new Response(error.name, { status: 500 }); },
});

/** Connects, has `work` write, and tells what came until the connection was closed. */
function talk(work) {
  return new Promise((resolve) => {
    let got = "";
    const socket = net.connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("data", (bytes) => { got += bytes.toString("latin1"); });
    socket.on("error", () => {});
    let over = false;
    const finish = () => {
      if (over) return;
      over = true;
      socket.destroy();
      resolve(got.split("\r\n")[0] || "nothing");
    };
    socket.on("end", finish);
    socket.on("close", finish);
    socket.on("connect", () => work(socket));
  });
}
const trickle = (socket, text) => {
  const timer = setInterval(() => {
    if (socket.destroyed || text === "") clearInterval(timer);
    else socket.write(text[0]);
    text = text.slice(1);
  }, 50);
  socket.on("close", () => clearInterval(timer));
};
const settled = async (check) => { for (let i = 0; i < 1000 && !check(); i++) await new Promise((resolve) => setTimeout(resolve, 5)); };

// All wait for the timeout at the same time.
const waiting = {
  "nothing at all": (socket) => socket,
  "a request line": (socket) => socket.write("GET / HTTP/1.1\r\n"),
  "a head, byte by byte": (socket) => trickle(socket, `GET / HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(1000)}`),
  "half of a body": (socket) => socket.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc"),
  "a chunk without its end": (socket) => socket.write("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc"),
  "silence after an answer": (socket) => socket.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
};
const results = await Promise.all(Object.entries(waiting).map(async ([name, work]) => `${name}: ${await talk(work)}`));
console.log(results.join("\n"));

// A client that reads nothing: what is made for it is bounded, and it is left in the end.
await new Promise((resolve) => {
  const socket = net.connect({ port: server.port, host: "127.0.0.1", onread: { buffer: Buffer.alloc(1), callback: () => false } });
  socket.on("error", () => {});
  socket.write("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  settled(() => server.pendingRequests === 0 && big > 0).then(() => { socket.destroy(); resolve(); });
});
console.log("a client that reads nothing:", big < 1000, server.pendingRequests);

// Gone in the middle.
aborted = 0;
console.log("reset mid-body:", await talk((socket) => { socket.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc"); setTimeout(() => socket.resetAndDestroy(), 20); }));
await settled(() => aborted === 1);
console.log("gone mid-body:", await talk((socket) => { socket.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc"); setTimeout(() => socket.destroy(), 20); }));
await settled(() => aborted === 2);
console.log("half closed mid-body:", await talk((socket) => { socket.end("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc"); }));
await settled(() => aborted === 3);
console.log("half closed while it waits:", await talk((socket) => { socket.end("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n"); }));
await settled(() => aborted === 4);
console.log("half closed in a stream:", await talk((socket) => { socket.write("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n"); socket.once("data", () => socket.end()); }));
await settled(() => aborted === 5);
console.log(aborted, server.pendingRequests);
console.log("good:", await talk((socket) => socket.write("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")));
await server.stop(true);

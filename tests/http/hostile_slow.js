// Clients of node:http that are slow, go half or all at once. Recorded from Node 25.8.1.
const http = require("node:http");
const net = require("node:net");

let aborted = 0;
let made = 0;
const errors = [];
const server = http.createServer({ headersTimeout: 600, requestTimeout: 900, keepAliveTimeout: 300, connectionsCheckingInterval: 100 }, (request, response) => {
  request.on("aborted", () => { aborted++; });
  response.on("close", () => { if (!response.writableFinished) aborted++; });
  if (request.url === "/wait") return;
  if (request.url === "/stream") {
    const { Readable } = require("node:stream");
    Readable.from((function* () { for (;;) { made++; yield Buffer.alloc(1 << 16); } })()).pipe(response);
    return;
  }
  let length = 0;
  request.on("data", (chunk) => { length += chunk.length; });
  request.on("error", (error) => errors.push(error.code));
  request.on("end", () => response.end(`${length} bytes`));
});
server.on("clientError", (error, socket) => {
  if (socket.writable && !error.message.includes("reset")) socket.end(`HTTP/1.1 ${error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? "408 Request Timeout" : "400 Bad Request"}\r\nConnection: close\r\n\r\n`);
  else socket.destroy();
});

function talk(work) {
  return new Promise((resolve) => {
    let got = "";
    const socket = net.connect({ port: server.address().port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("data", (bytes) => { got += bytes.toString("latin1"); });
    socket.on("error", () => {});
    let over = false;
    const finish = () => {
      if (over) return;
      over = true;
      socket.destroy();
      const lines = got.split("\r\n");
      resolve(`${lines[0] || "nothing"} ${lines.at(-1).length < 30 ? lines.at(-1) : ""}`.trim());
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

server.listen(0, "127.0.0.1", async () => {
  const waiting = {
    "a request line": (socket) => socket.write("GET / HTTP/1.1\r\n"),
    "a head, byte by byte": (socket) => trickle(socket, `GET / HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(1000)}`),
    "half of a body": (socket) => socket.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc"),
    "a body, byte by byte": (socket) => trickle(socket, `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n${"x".repeat(900)}`),
    "a chunk without its end": (socket) => socket.write("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc"),
    "silence after an answer": (socket) => socket.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
  };
  const results = await Promise.all(Object.entries(waiting).map(async ([name, work]) => `${name}: ${await talk(work)}`));
  console.log(results.join("\n"));

  {
    const socket = net.connect(server.address().port, "127.0.0.1", () => socket.write("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n"));
    socket.pause();
    socket.on("error", () => {});
    await settled(() => made > 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    console.log("a client that reads nothing:", made < 1000);
    socket.destroy();
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  aborted = 0;
  console.log("reset mid-body:", await talk((socket) => { socket.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc"); setTimeout(() => socket.resetAndDestroy(), 20); }));
  await new Promise((resolve) => setTimeout(resolve, 100));
  console.log(aborted);
  console.log("half closed mid-body:", await talk((socket) => { socket.end("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc"); }));
  console.log("half closed with a whole request:", await talk((socket) => { socket.end("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"); }));
  console.log("good:", await talk((socket) => socket.write("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")));
  console.log(errors.join());
  server.closeAllConnections();
  server.close();
});

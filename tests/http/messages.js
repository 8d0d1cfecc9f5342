// node:http: requests and responses of all shapes over one process; keep-alive, chunks, trailers, 100-continue,
// pipelining, upgrade, abort. The output is Node's.
const http = require("node:http");
const net = require("node:net");

const seen = [];
const server = http.createServer((req, res) => {
  let body = "";
  req.setEncoding("utf8");
  req.on("data", (chunk) => { body += chunk; });
  req.on("end", () => {
    if (req.url === "/chunks") {
      res.writeHead(200, "Fine", { "X-List": ["a", "b"], Trailer: "X-Sum" });
      res.write("one ");
      res.write(Buffer.from("two "));
      res.addTrailers({ "X-Sum": "42" });
      res.end("three");
    } else if (req.url === "/empty") {
      res.statusCode = 204;
      res.end();
    } else if (req.url === "/head") {
      res.setHeader("Content-Length", 1000);
      res.end();
    } else {
      res.setHeader("Content-Type", "application/json");
      res.end(JSON.stringify({ method: req.method, url: req.url, body, list: req.headers["x-list"], cookie: req.headers.cookie, trailers: req.trailers }));
    }
  });
});
server.on("checkContinue", (req, res) => {
  console.log("checkContinue");
  res.writeContinue();
  server.emit("request", req, res);
});
server.on("upgrade", (req, socket, head) => {
  console.log("upgrade", req.headers.upgrade, String(head));
  socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
  socket.pipe(socket);
});
server.on("connection", () => seen.push("connection"));

function request(options, body) {
  return new Promise((resolve, reject) => {
    const req = http.request({ port: server.address().port, host: "127.0.0.1", ...options }, (res) => {
      let text = "";
      res.setEncoding("utf8");
      res.on("data", (chunk) => { text += chunk; });
      res.on("end", () => {
        const { date, ...headers } = res.headers;
        console.log(res.statusCode, res.statusMessage, headers, text, res.trailers, date !== undefined, req.reusedSocket);
        resolve();
      });
    });
    req.on("continue", () => {
      console.log("continue");
      req.end(body);
    });
    req.on("error", reject);
    if (options.headers?.Expect) req.flushHeaders();
    else if (Array.isArray(body)) {
      for (const part of body) req.write(part);
      if (options.trailers) req.addTrailers(options.trailers);
      req.end();
    } else {
      req.end(body);
    }
  });
}

function raw(text, then) {
  return new Promise((resolve) => {
    const socket = net.connect(server.address().port, "127.0.0.1");
    let got = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      got += chunk;
      then?.(got, socket);
    });
    socket.on("close", () => {
      console.log(got.replace(/Date: .*\r\n/g, "").replaceAll("\r\n", "|"));
      resolve();
    });
    socket.write(text);
  });
}

server.listen(0, "127.0.0.1", async () => {
  const agent = new http.Agent({ keepAlive: true });
  await request({ agent, path: "/get?x=1", headers: { "X-List": ["a", "b"], Cookie: ["a=1", "b=2"] } });
  await request({ agent, path: "/post", method: "POST" }, "a body");
  await request({ agent, path: "/put", method: "PUT", headers: { Trailer: "X-T" }, trailers: { "X-T": "v" } }, ["in ", "parts"]);
  await request({ agent, path: "/chunks" });
  await request({ agent, path: "/empty" });
  await request({ agent, path: "/head", method: "HEAD" });
  await request({ agent, path: "/expect", method: "POST", headers: { Expect: "100-continue" } }, "after");
  agent.destroy();
  await request({ agent: false, path: "/last", headers: { Connection: "close" } });
  console.log(seen.length);

  // Answers come in the order of the requests.
  await raw("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhiGET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await raw("GET /old HTTP/1.0\r\n\r\n");
  await raw("GET /nohost HTTP/1.1\r\n\r\n");
  await raw("GET /up HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n", (got, socket) => {
    if (got.endsWith("\r\n\r\n")) socket.write("ping");
    if (got.endsWith("ping")) socket.end();
  });

  const aborted = http.get({ port: server.address().port, host: "127.0.0.1", path: "/abort" });
  aborted.on("error", (error) => console.log(error.code, error.message));
  aborted.on("close", () => {
    console.log("close", aborted.destroyed);
    server.close(() => console.log("server closed"));
    server.closeAllConnections();
  });
  aborted.destroy();
});

for (const call of [
  () => http.request({ path: "/a b" }), () => http.request({ method: "A B" }), () => http.request({ protocol: "ftp:" }),
  () => http.request({ headers: { "a b": 1 } }), () => http.request({ headers: { a: "\n" } }), () => http.validateHeaderName("\u00e9"),
]) {
  try {
    call().on("error", () => {});
  } catch (error) {
    console.log(error.name, error.code);
  }
}

// The order of events of a server's and a client's exchange, as in Node.
const http = require("node:http");
const log = (text) => console.log(text);

const server = http.createServer((req, res) => {
  log("request");
  req.on("data", (chunk) => log(`req data ${chunk}`));
  req.on("end", () => {
    log("req end");
    process.nextTick(() => log("tick"));
    Promise.resolve().then(() => log("microtask"));
    res.on("finish", () => log("res finish"));
    res.on("close", () => log("res close"));
    res.on("prefinish", () => log("res prefinish"));
    res.end("body", () => log("res end callback"));
  });
  req.on("close", () => log("req close"));
});
server.on("connection", () => log("connection"));
server.on("close", () => log("server close"));
server.listen(0, "127.0.0.1", () => {
  const req = http.request({ port: server.address().port, host: "127.0.0.1", method: "POST", agent: false }, (res) => {
    log("client response");
    res.on("data", (chunk) => log(`client data ${chunk}`));
    res.on("end", () => log("client end"));
    res.on("close", () => {
      log("client res close");
      server.close();
    });
  });
  req.on("socket", () => log("client socket"));
  req.on("finish", () => log("client finish"));
  req.end("hello");
});

// The compatibility API of node:http2, over TLS with ALPN and with HTTP/1.1 beside it. Recorded from Node 25.8.1.
const http2 = require("node:http2");
const https = require("node:https");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const keys = join(__dirname, "support");
const server = http2.createSecureServer({
  key: readFileSync(join(keys, "key.pem")), cert: readFileSync(join(keys, "cert.pem")), allowHTTP1: true,
}, (req, res) => {
  let size = 0;
  req.on("data", (chunk) => size += chunk.length);
  req.on("end", () => {
    res.setHeader("x-version", req.httpVersion);
    res.appendHeader("x-many", "1");
    res.appendHeader("x-many", "2");
    res.statusCode = req.url === "/missing" ? 404 : 200;
    if (req.httpVersion === "2.0") res.setTrailer("x-trailer", "t");
    res.write(`${req.method} ${req.url} `);
    res.end(`${size} ${req.headers["x-test"] ?? ""}`);
  });
});

server.listen(0, async () => {
  const { port } = server.address();
  const client = http2.connect(`https://localhost:${port}`, { rejectUnauthorized: false });
  const ask = (headers, body) => new Promise((resolve) => {
    const request = client.request(headers);
    const result = { body: "" };
    request.on("response", (fields) => {
      result.status = fields[":status"];
      result.version = fields["x-version"];
      result.many = fields["x-many"];
    });
    request.on("trailers", (fields) => result.trailer = fields["x-trailer"]);
    request.setEncoding("utf8");
    request.on("data", (chunk) => result.body += chunk);
    request.on("close", () => resolve(result));
    request.end(body);
  });
  console.log(await ask({ ":path": "/a", "x-test": "yes" }));
  console.log(await ask({ ":path": "/missing", ":method": "POST" }, "x".repeat(200_000)));
  console.log(client.alpnProtocol, client.encrypted, client.originSet.length);
  client.close();

  https.get({ port, rejectUnauthorized: false, agent: false, path: "/old" }, (res) => {
    let body = "";
    res.setEncoding("utf8");
    res.on("data", (chunk) => body += chunk);
    res.on("end", () => {
      console.log(res.statusCode, res.headers["x-version"], res.headers["x-many"], body);
      server.close();
    });
  }).on("error", (error) => console.log(error.message));
});

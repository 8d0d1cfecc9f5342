// expected: recorded from Node 25.9
// ServerResponse.prototype.writeHeader is writeHead, and warns once.
import http from "node:http";

process.on("warning", ({ name, code, message }) => console.log(name, code, message));
const server = http.createServer((request, response) => {
  response.writeHeader(201, "Made", { a: "b" });
  response.end();
});
server.listen(0, "127.0.0.1", async () => {
  for (let i = 0; i < 2; i++) {
    await new Promise((done) => {
      http.get({ port: server.address().port, host: "127.0.0.1", agent: false }, (response) => {
        console.log(response.statusCode, response.statusMessage, response.headers.a);
        response.resume().on("end", done);
      });
    });
  }
  server.close();
});

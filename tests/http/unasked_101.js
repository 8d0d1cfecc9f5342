// expected: recorded from node 25.9. A 101 without an Upgrade is a response like another one: it has an end.
const http = require("node:http");

const server = http.createServer((request, response) => {
  response.statusCode = 101;
  response.end();
});
server.listen(0, "127.0.0.1", () => {
  const request = http.get({ port: server.address().port, host: "127.0.0.1" }, (response) => {
    console.log("response", response.statusCode);
    response.on("end", () => console.log("end"));
    response.on("close", () => {
      console.log("close");
      server.close();
    });
    response.resume();
  });
  for (const name of ["information", "upgrade", "error"]) request.on(name, () => console.log("request", name));
});

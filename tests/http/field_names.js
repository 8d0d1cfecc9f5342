// Fields of a request that are named as members of Object.prototype, `__proto__` among them. The output is Node's.
const http = require("node:http");
const net = require("node:net");

const server = http.createServer((request, response) => {
  const { headers, headersDistinct, rawHeaders } = request;
  request.resume().on("end", () => {
    for (const object of [headers, headersDistinct, request.trailers, request.trailersDistinct])
      console.log(Object.keys(object).join(), Object.getPrototypeOf(object) === Object.prototype, JSON.stringify(object.__proto__ ?? null));
    console.log(rawHeaders.join("|"), headers.constructor, typeof headers.toString);
    response.end();
    server.close();
  });
}).listen(0, "127.0.0.1", () => {
  const socket = net.connect(server.address().port, "127.0.0.1");
  socket.end("POST / HTTP/1.1\r\nHost: x\r\n__proto__: a\r\n__PROTO__: b\r\nconstructor: c\r\nTransfer-Encoding: chunked\r\nTrailer: __proto__\r\n\r\n0\r\n__proto__: t\r\nvalueOf: v\r\n\r\n");
  socket.resume();
});

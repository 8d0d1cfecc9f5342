// A request body through pipeline() whose source is destroyed while the answer comes back: both ends hear of it, and the process lives on.
// expected: recorded from node 20
"use strict";
const { Readable, pipeline } = require("stream");
const http2 = require("http2");

const server = http2.createServer((request, response) => {
  pipeline(request, response, (error) => console.log("server", error.code));
});
server.listen(0, "127.0.0.1", () => {
  const client = http2.connect(`http://127.0.0.1:${server.address().port}`);
  const request = client.request({ ":method": "POST" });
  const source = new Readable({
    read() {
      source.push("hello");
    },
  });
  pipeline(source, request, (error) => {
    console.log("client", error.code);
    server.close();
    client.close();
  });
  let left = 10;
  request.on("data", () => --left === 0 && source.destroy());
});

// expected: recorded from node 25.9. A stream that is open when the server says GOAWAY gets its answer.
import http2 from "node:http2";

const server = http2.createServer();
let session;
server.on("session", (each) => (session = each));
server.on("stream", (stream) => {
  session.goaway();
  // The client closes its session at that, and says so.
  session.on("goaway", () => {
    setImmediate(() => {
      stream.respond({ ":status": 200 });
      stream.end("Hello");
    });
  });
});
server.listen(0, "127.0.0.1", () => {
  const client = http2.connect(`http://127.0.0.1:${server.address().port}`);
  client.on("close", () => {
    console.log("session closed");
    server.close();
  });
  const request = client.request({ ":path": "/" });
  let body = "";
  request.setEncoding("utf8");
  request.on("response", (headers) => console.log("response", headers[":status"]));
  request.on("data", (text) => (body += text));
  request.on("end", () => console.log("end", body));
  request.on("close", () => console.log("close"));
});

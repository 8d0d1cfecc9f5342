// A request that is aborted in the listener of its response still gets the end of a response that has come whole.
import http from "node:http";

const server = http.createServer((request) => {
  request.socket.end("HTTP/1.1 401 No\r\nConnection: close\r\nContent-Length: 3\r\n\r\nfoo");
});
server.listen(0, "127.0.0.1", () => {
  const request = http.request({ port: server.address().port, host: "127.0.0.1" });
  request.on("response", (response) => {
    console.log("response", response.statusCode);
    for (const name of ["end", "close", "aborted", "error"]) {
      response.on(name, () => console.log("response", name, response.complete));
    }
    request.abort();
    server.close();
  });
  request.on("error", (error) => console.log("request error", error.message));
  request.on("abort", () => console.log("abort"));
  request.on("close", () => console.log("request close"));
  request.end();
});

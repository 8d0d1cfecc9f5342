// expected: recorded from node 25.9.0 (with the package ws 8.21)
// Which values of perMessageDeflate a client offers compression with: the package ws takes an undefined one for off.
import { createServer } from "node:http";
import WebSocket from "ws";
const server = createServer();
server.on("upgrade", (request, socket) => {
  console.log(request.url, "sec-websocket-extensions" in request.headers);
  socket.destroy();
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `ws://127.0.0.1:${server.address().port}`;
const cases = [[{}], [{ perMessageDeflate: true }], [{ perMessageDeflate: {} }], [{ perMessageDeflate: false }], [{ perMessageDeflate: undefined }], [{ perMessageDeflate: null }], []];
for (const [index, options] of cases.entries()) {
  const client = new WebSocket(`${url}/${index}`, ...options);
  await new Promise((resolve) => client.on("error", resolve));
}
server.close();

// expected: recorded from bun 1.4.5
// Methods that Bun.serve takes, from fetch and from a raw request; CardDAV's is none of Node's.
import http from "node:http";
import { connect } from "node:net";

const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => new Response(request.method) });
for (const method of ["MKADDRESSBOOK", "MKCALENDAR", "REPORT", "M-SEARCH", "PURGE"]) {
  console.log(await (await fetch(server.url, { method })).text());
  const raw = await new Promise((resolve) => {
    const socket = connect(server.port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => (text += chunk));
    socket.on("close", () => resolve(text));
    socket.write(`${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
  console.log(raw.split("\r\n")[0], raw.split("\r\n\r\n")[1]);
}
console.log(http.METHODS.includes("MKADDRESSBOOK"), http.METHODS.includes("MKCALENDAR"));
server.stop();

// expected: recorded from bun 1.4.5. A WebSocket over a unix socket: ws+unix://PATH, behind a colon the target of the request.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "ws-"));
const unix = join(folder, "socket");
const server = Bun.serve({
  unix,
  fetch(request, server) {
    const { pathname, search } = new URL(request.url);
    if (server.upgrade(request, { data: `${request.headers.get("host")} ${pathname}${search}` })) return;
    return new Response("no", { status: 400 });
  },
  websocket: {
    open: (socket) => socket.send(socket.data),
    message: (socket, message) => socket.send(`echo ${message}`),
  },
});

function talk(url) {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    const said = [];
    socket.onopen = () => socket.send("hello");
    socket.onmessage = ({ data }) => said.push(data) === 2 && socket.close();
    socket.onerror = () => said.push("error");
    socket.onclose = ({ code }) => resolve([...said, code]);
  });
}

console.log(JSON.stringify(await talk(`ws+unix://${unix}`)));
console.log(JSON.stringify(await talk(`ws+unix://${unix}:/api/stream?x=1`)));
console.log(JSON.stringify(await talk(`ws+unix://${folder}/nobody`)));
try {
  new WebSocket("ws+unix://");
} catch (error) {
  console.log(error.name);
}
server.stop(true);
rmSync(folder, { recursive: true });

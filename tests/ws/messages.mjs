// The built-in `ws`: messages of every kind over both ends, with and without compression, close codes, pings, the events of both kinds.
import { once } from "node:events";
import http from "node:http";
import WebSocket, { WebSocketServer, createWebSocketStream } from "ws";

const say = (...what) => console.log(...what);

for (const perMessageDeflate of [false, { threshold: 16 }]) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate });
  await once(server, "listening");
  const { promise: closed, resolve } = Promise.withResolvers();
  server.on("connection", (socket, request) => {
    say("connection", request.url, server.clients.size, socket.extensions);
    socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
    socket.on("ping", (data) => say("server got ping", String(data)));
    socket.on("close", (code, reason) => resolve(`server close ${code} ${reason}`));
  });
  const url = `ws://127.0.0.1:${server.address().port}/path?query`;
  const socket = new WebSocket(url);
  await once(socket, "open");
  say(socket.readyState === WebSocket.OPEN, socket.protocol === "", socket.url === url);
  for (const data of ["", "text", "häß €", "x".repeat(70000), Buffer.from([1, 2, 3]), new Uint8Array(300), new Float32Array([1.5])]) {
    socket.send(data, (error) => error && say("error", error));
    const [reply, isBinary] = await once(socket, "message");
    say(isBinary, Buffer.isBuffer(reply), reply.length, JSON.stringify(String(reply).slice(0, 8)));
  }
  for (const type of ["arraybuffer", "fragments", "blob", "nodebuffer"]) {
    socket.binaryType = type;
    socket.send(Buffer.from("abc"));
    const [reply] = await once(socket, "message");
    say(type, reply.constructor.name, reply.size ?? reply.byteLength ?? reply.length);
  }
  socket.send("one ", { fin: false });
  socket.send("two", { fin: true });
  say(String((await once(socket, "message"))[0]));
  socket.ping("hello");
  say("pong", String((await once(socket, "pong"))[0]));
  socket.onmessage = ({ data, type, target }) => say("onmessage", type, data, target === socket);
  socket.send("to a property");
  await once(socket, "message");
  socket.addEventListener("close", ({ code, reason, wasClean }) => say("close event", code, reason, wasClean), { once: true });
  socket.close(4001, "done");
  await once(socket, "close");
  server.close();
  await once(server, "close");
  say(await closed);
}

// A server of its own: paths, subprotocols, verification, refusals.
const web = http.createServer();
const server = new WebSocketServer({ noServer: true, handleProtocols: (all) => [...all].at(-1) });
web.on("upgrade", (request, socket, head) => {
  if (request.url !== "/chat") return socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  server.handleUpgrade(request, socket, head, (peer) => {
    peer.send(`protocol ${peer.protocol}`);
    createWebSocketStream(peer, { encoding: "utf8" }).on("data", (text) => peer.close(1000, text));
  });
});
await new Promise((done) => web.listen(0, "127.0.0.1", done));
const base = `ws://127.0.0.1:${web.address().port}`;
const refused = new WebSocket(`${base}/other`);
const [error] = await once(refused, "error");
say(error.message, refused.readyState === WebSocket.CLOSING || refused.readyState === WebSocket.CLOSED);
const chat = new WebSocket(`${base}/chat`, ["first", "second"], { headers: { "X-Own": "1" } });
chat.on("message", (data) => (say(String(data)), chat.send("bye")));
say((await once(chat, "close")).map(String));
web.close();

for (const wrong of ["http//", "ftp://x", "ws://h/#part"]) {
  try {
    say(new WebSocket(wrong));
  } catch (fault) {
    say(fault.name, fault.message);
  }
}

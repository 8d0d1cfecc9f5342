// Requests over HTTP/2 whose body ends with trailers; a body that nobody reads; frames that are not meant for a server. By hand.
import http2 from "node:http2";
import net from "node:net";
import { settled } from "./support/settled.mjs";

const server = Bun.serve({
  port: 0, hostname: "127.0.0.1", http2: true, idleTimeout: 0,
  fetch: async (request) => new Response(request.url.endsWith("unread") ? "unread" : `got ${await request.text()}`),
});
const client = http2.connect(`http://127.0.0.1:${server.port}`);
client.on("error", () => {});
const ask = (path, send) => new Promise((resolve) => {
  const stream = client.request({ ":path": path, ":method": "POST" }, { waitForTrailers: true });
  let text = "";
  const timer = setTimeout(() => { text += "no answer"; stream.destroy(); }, 60_000);
  stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "1" }));
  stream.on("data", (chunk) => { text += chunk; });
  stream.on("error", (error) => { text += ` ${error.code}`; });
  stream.on("close", () => { clearTimeout(timer); resolve(`${text} ${stream.rstCode}`); });
  send(stream);
});
console.log(await ask("/", (stream) => stream.end("abc")));
console.log(await ask("/", (stream) => { stream.write("abc"); setTimeout(() => stream.end("def"), 20); }));
console.log(await ask("/unread", (stream) => {
  stream.write("abc");
  // Told to stop with the first bytes that come after the answer.
  stream.on("response", () => setTimeout(() => stream.write("def"), 20));
}));
client.close();

/** What comes for raw bytes: types of frames with their codes, and how it ends. */
const raw = (bytes) => new Promise((resolve) => {
  let input = Buffer.alloc(0);
  let isOver = false;
  const socket = net.connect(server.port, "127.0.0.1", async () => {
    socket.write(bytes);
    await settled(server.port, () => socket.bytesRead, () => isOver, true);
    socket.destroy();
    done("open");
  });
  const done = (how) => {
    if (isOver) return;
    isOver = true;
    const seen = [];
    for (let at = 0; at + 9 <= input.length && input[at] === 0;) {
      const length = input.readUIntBE(at, 3);
      const type = input[at + 3];
      const payload = input.subarray(at + 9, at + 9 + length);
      if (type === 3) seen.push(`RST_STREAM ${payload.readUInt32BE(0)}`);
      else if (type === 7) seen.push(`GOAWAY ${payload.readUInt32BE(4)}`);
      else if (type === 6) seen.push("PING");
      at += 9 + length;
    }
    resolve(`${input.toString("latin1", 0, 4) === "HTTP" ? "HTTP " : ""}${seen.join(", ")} ${how}`);
  };
  socket.on("data", (chunk) => { input = Buffer.concat([input, chunk]); });
  socket.on("error", () => {});
  socket.on("close", () => done("closed"));
});
const frame = (type, flags, stream, payload) => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
};
const hello = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, [])]);
const get = (id) => frame(1, 5, id, [0x82, 0x86, 0x84, 0x01, 1, 0x78]);
const talk = (...frames) => raw(Buffer.concat([hello, ...frames]));
console.log("PING with ACK:", await talk(frame(6, 1, 0, "12345678"), frame(6, 0, 0, "12345678")));
console.log("lower stream:", await talk(get(5), get(3)));
console.log("ended stream:", await talk(get(1), get(1)));
console.log("neither:", await raw("INVALID CONNECTION PREFACE\r\n\r\n"));
console.log("HTTP/1:", await raw("GET / HTTP/1.1\r\n\r\n"));
await server.stop(true);

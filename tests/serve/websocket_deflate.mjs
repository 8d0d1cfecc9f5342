// permessage-deflate of Bun.serve: what it answers to offers of clients (RFC 7692), and messages through windows that are kept. As Bun 1.4.5.
import { connect } from "node:net";
import { deflateRawSync, inflateRawSync, constants } from "node:zlib";

const serve = (perMessageDeflate) => Bun.serve({
  port: 0, hostname: "127.0.0.1", fetch: (request, server) => void server.upgrade(request),
  websocket: { perMessageDeflate, message: (socket, message) => void socket.send(message, true) },
});
const handshake = (server, offer) => new Promise((done) => {
  const socket = connect(server.port, "127.0.0.1");
  let head = Buffer.alloc(0);
  socket.on("data", function first(data) {
    head = Buffer.concat([head, data]);
    if (!head.includes("\r\n\r\n")) return;
    socket.off("data", first);
    done([socket, /extensions: (.*)\r/i.exec(head.toString("latin1"))?.[1] ?? "none"]);
  });
  socket.write("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
    `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Extensions: ${offer}\r\n\r\n`);
});

const offers = ["", "client_max_window_bits", "client_max_window_bits=10", "server_max_window_bits=10", "server_max_window_bits=9, permessage-deflate", "server_max_window_bits=15",
  "server_no_context_takeover", "client_no_context_takeover", "unknown=1", "client_max_window_bits; client_max_window_bits", 'server_max_window_bits="11"'];
for (const option of [true, {}, { compress: true }, { decompress: "disable" }, { compress: "dedicated" }, { decompress: "dedicated" }, { compress: "3KB" },
  { compress: "64KB", decompress: "8KB" }]) {
  const server = serve(option);
  for (const offer of offers) {
    const [socket, answer] = await handshake(server, `permessage-deflate${offer && "; "}${offer}`);
    socket.destroy();
    console.log(JSON.stringify(option), "|", offer, "|", answer);
  }
  await server.stop(true);
}
for (const option of [{ compress: "xyz" }, { decompress: 3 }]) {
  try {
    serve(option).stop(true);
  } catch (error) {
    console.log(error.name, error.message);
  }
}

// The same message twice: with a window that is kept the second one is short.
const text = Array.from({ length: 200 }, (_, i) => `${i * 7919 % 1000}`).join(" ");
for (const option of [true, { compress: "dedicated", decompress: "dedicated" }, { compress: "4KB", decompress: "4KB" }]) {
  const server = serve(option);
  const [socket, answer] = await handshake(server, "permessage-deflate; client_max_window_bits");
  const frames = [];
  let pending = Buffer.alloc(0);
  let more;
  socket.on("data", (data) => {
    pending = Buffer.concat([pending, data]);
    for (;;) {
      if (pending.length < 4) break;
      const long = pending[1] === 126;
      const length = long ? pending.readUInt16BE(2) : pending[1];
      const start = long ? 4 : 2;
      if (pending.length < start + length) break;
      frames.push([pending[0], pending.subarray(start, start + length)]);
      pending = pending.subarray(start + length);
    }
    if (frames.length >= 2) more();
  });
  const both = new Promise((done) => more = done);
  for (let i = 0; i < 2; i++) {
    const payload = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH, windowBits: 10 }).subarray(0, -4);
    const head = Buffer.alloc(8);
    head[0] = 0xc1;
    head[1] = 0x80 | 126;
    head.writeUInt16BE(payload.length, 2);
    socket.write(Buffer.concat([head, payload]));
  }
  await both;
  const tail = Buffer.from([0, 0, 255, 255]);
  const [first, second] = frames.map((frame) => frame[1]);
  const all = answer.includes("server_no_context") ? [first, tail, first, tail] : [first, tail, second, tail];
  const back = inflateRawSync(Buffer.concat(all), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  console.log(answer, "|", frames.map((frame) => frame[0].toString(16)).join(), second.length * 4 < first.length ? "the second is short" : "the second is as long", back === text + text);
  socket.destroy();
  await server.stop(true);
}

// Frames that no client of good will sends (RFC 6455, RFC 7692): what a server of Bun.serve says when it hangs up, and that it goes on.
import net from "node:net";
import zlib from "node:zlib";
import { settled } from "./support/settled.mjs";

const events = [];
const server = Bun.serve({
  port: 0, hostname: "127.0.0.1",
  fetch(request, server) { return server.upgrade(request) ? undefined : new Response("no", { status: 400 }); },
  websocket: {
    maxPayloadLength: 1 << 20, perMessageDeflate: true,
    message(ws, message) { events.push(`message ${typeof message} ${message.length}`); },
    close(ws, code, reason) { events.push(`close ${code} ${reason}`); },
  },
});

const FIN = 0x80, RSV1 = 0x40, CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9;
/** A frame of a client. */
function frame(first, payload = "", { masked = true, size, wide = 0 } = {}) {
  const bytes = Buffer.from(payload);
  const length = size ?? bytes.length;
  let head;
  if (wide === 8 || length > 65535) {
    head = Buffer.alloc(10);
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  } else if (wide === 2 || length > 125) {
    head = Buffer.alloc(4);
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head = Buffer.from([0, length]);
  }
  head[0] = first;
  if (!masked) return Buffer.concat([head, bytes]);
  head[1] |= 0x80;
  const key = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, key, bytes.map((byte, i) => byte ^ key[i & 3])]);
}

/** What comes back: the close frame, or that the connection is closed or stays open. */
function send(parts, deflate = false) {
  return new Promise((resolve) => {
    events.length = 0;
    let got = Buffer.alloc(0);
    let upgraded = false;
    const socket = net.connect(server.port, "127.0.0.1");
    // Nothing waits in the system for an acknowledgement.
    socket.setNoDelay();
    let over = false;
    const finish = (how) => {
      if (over) return;
      over = true;
      socket.destroy();
      // The server learns of it in its own time.
      const told = () => {
        if (!events.some((event) => event.startsWith("close"))) return setTimeout(told, 5);
        resolve(`${how}; ${events.join("; ")}`);
      };
      told();
    };
    socket.on("error", () => {});
    socket.on("close", () => finish("closed without a word"));
    socket.on("data", (bytes) => {
      got = Buffer.concat([got, bytes]);
      if (!upgraded) {
        const end = got.indexOf("\r\n\r\n");
        if (end < 0) return;
        upgraded = true;
        got = got.subarray(end + 4);
        for (const part of parts) socket.write(part);
        const state = () => [socket.writableLength, socket.bytesRead, events.length].join();
        void settled(server.port, state, () => over, true).then(() => finish("open"));
      }
      while (got.length >= 2) {
        const length = got[1] & 127;
        if (got.length < 2 + length) return;
        const [first, payload] = [got[0], got.subarray(2, 2 + length)];
        got = got.subarray(2 + length);
        if ((first & 15) === CLOSE) return finish(`close frame ${payload.length < 2 ? "empty" : payload.readUInt16BE(0)}`);
      }
    });
    socket.write(`GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${
      deflate ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : ""}\r\n`);
  });
}

const bad = Buffer.from([0x48, 0xc3, 0x28]);
const half = Buffer.from("é");
const raw = (data) => zlib.deflateRawSync(data, { finishFlush: zlib.constants.Z_SYNC_FLUSH }).subarray(0, -4);
const cases = {
  "good": [[frame(FIN | TEXT, "hällo")]],
  "good, byte by byte": [[...frame(FIN | TEXT, "hällo")].map((byte) => Buffer.from([byte]))],
  "good, in fragments with a ping between": [[frame(TEXT, "a"), frame(FIN | PING, "p"), frame(CONTINUATION, "b"), frame(FIN | CONTINUATION, "c")]],
  "a character in two fragments": [[frame(TEXT, half.subarray(0, 1)), frame(FIN | CONTINUATION, half.subarray(1))]],
  "no UTF-8": [[frame(FIN | TEXT, bad)]],
  "no UTF-8 in fragments": [[frame(TEXT, bad.subarray(0, 2)), frame(FIN | CONTINUATION, bad.subarray(2))]],
  "a surrogate": [[frame(FIN | TEXT, Buffer.from([0xed, 0xa0, 0x80]))]],
  "half of a character": [[frame(FIN | TEXT, half.subarray(0, 1))]],
  "fragmented ping": [[frame(PING, "a")]],
  "fragmented close": [[frame(CLOSE, "")]],
  "ping of 126 bytes": [[frame(FIN | PING, "x".repeat(126))]],
  "not masked": [[frame(FIN | TEXT, "a", { masked: false })]],
  "reserved bit 1": [[frame(FIN | RSV1 | TEXT, "a")]],
  "reserved bit 2": [[frame(FIN | 0x20 | TEXT, "a")]],
  "reserved bit 3": [[frame(FIN | 0x10 | BINARY, "a")]],
  "reserved opcode 3": [[frame(FIN | 3, "a")]],
  "reserved opcode 11": [[frame(FIN | 11, "a")]],
  "continuation of nothing": [[frame(FIN | CONTINUATION, "a")]],
  "text inside of a message": [[frame(TEXT, "a"), frame(FIN | TEXT, "b")]],
  "too large": [[frame(FIN | BINARY, "", { size: (1 << 20) + 1 })]],
  "too large in fragments": [[frame(BINARY, Buffer.alloc(1 << 19)), frame(CONTINUATION, Buffer.alloc(1 << 19)), frame(FIN | CONTINUATION, "a")]],
  "length with the highest bit": [[Buffer.from([FIN | BINARY, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4])]],
  "close": [[frame(FIN | CLOSE, Buffer.from([3, 232]))]],
  "close without a code": [[frame(FIN | CLOSE, "")]],
  "close with half of a code": [[frame(FIN | CLOSE, Buffer.from([3]))]],
  "close 1005": [[frame(FIN | CLOSE, Buffer.from([3, 237]))]],
  "close 999": [[frame(FIN | CLOSE, Buffer.from([3, 231]))]],
  "close 5000": [[frame(FIN | CLOSE, Buffer.from([19, 136]))]],
  "close with no UTF-8": [[frame(FIN | CLOSE, Buffer.concat([Buffer.from([3, 232]), bad]))]],
  "a message after close": [[frame(FIN | CLOSE, Buffer.from([3, 232])), frame(FIN | TEXT, "late")]],
  "200,000 empty fragments": [[frame(TEXT, "a"), Buffer.concat(Array(200_000).fill(frame(CONTINUATION, ""))), frame(FIN | CONTINUATION, "b")]],
  "compressed": [[frame(FIN | RSV1 | TEXT, raw("hello ".repeat(100)))], true],
  "compressed in fragments": [[frame(RSV1 | TEXT, raw("hello").subarray(0, 3)), frame(FIN | CONTINUATION, raw("hello").subarray(3))], true],
  "compressed continuation": [[frame(TEXT, "a"), frame(FIN | RSV1 | CONTINUATION, "b")], true],
  "compressed ping": [[frame(FIN | RSV1 | PING, "a")], true],
  "compressed, no UTF-8": [[frame(FIN | RSV1 | TEXT, raw(bad))], true],
  "compressed nonsense": [[frame(FIN | RSV1 | TEXT, Buffer.from([0xff, 0xff, 0xff, 0xff]))], true],
  "a bomb of 64 MB": [[frame(FIN | RSV1 | BINARY, raw(Buffer.alloc(64 << 20)))], true],
  "a bomb in fragments": [[frame(RSV1 | BINARY, raw(Buffer.alloc(64 << 20)).subarray(0, 30_000)), frame(FIN | CONTINUATION, raw(Buffer.alloc(64 << 20)).subarray(30_000))], true],
};
for (const [name, [parts, deflate]] of Object.entries(cases)) console.log(`${name}: ${await send(parts, deflate)}`);
console.log(server.pendingWebSockets);
await server.stop(true);

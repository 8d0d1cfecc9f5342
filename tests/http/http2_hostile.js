// Peers of a server that do not keep to HTTP/2: each gets a GOAWAY, or its stream is reset, and is disconnected; the server goes on.
// Codes as of Node 25.8.1; what Node answers only when the peer has hung up is answered here at once.
const http2 = require("node:http2");
const net = require("node:net");

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
function frame(type, flags, stream, payload = Buffer.alloc(0)) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
const SETTINGS = frame(4, 0, 0);
// :method GET, :scheme http, :path /, :authority a
const GET = Buffer.from([0x82, 0x86, 0x84, 0x41, 0x01, 0x61]);
const repeat = (count, make) => Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));

const attacks = {
  "too large a frame": frame(1, 4, 1, Buffer.alloc(20_000)),
  "data on no stream": frame(0, 0, 1, Buffer.from("x")),
  "headers on stream 0": frame(1, 5, 0, GET),
  "an even stream": frame(1, 5, 2, GET),
  "broken compression": frame(1, 5, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff])),
  "a header bomb": frame(1, 5, 1, Buffer.concat([GET, Buffer.alloc(12_000, 0x90)])),
  "continuation flood": Buffer.concat([frame(1, 1, 1, GET), repeat(40, () => frame(9, 0, 1, Buffer.alloc(16_000, 0x90)))]),
  "continuation of another": Buffer.concat([frame(1, 1, 1, GET), frame(9, 4, 3)]),
  "rapid resets": repeat(3000, (i) => Buffer.concat([frame(1, 5, i * 2 + 1, GET), frame(3, 0, i * 2 + 1, Buffer.from([0, 0, 0, 8]))])),
  "a window of zero": frame(8, 0, 0, Buffer.from([0, 0, 0, 0])),
  "too large a window": frame(8, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff])),
  "too large an initial window": frame(4, 0, 0, Buffer.from([0, 4, 0xff, 0xff, 0xff, 0xff])),
  "settings of five bytes": frame(4, 0, 0, Buffer.alloc(5)),
  "settings that nobody sent, agreed to": repeat(3, () => frame(4, 1, 0)),
  "a promise": frame(5, 4, 1, Buffer.concat([Buffer.from([0, 0, 0, 2]), GET])),
  "padding beyond the frame": frame(1, 0xd, 1, Buffer.concat([Buffer.from([200]), GET])),
  "connection header": frame(1, 5, 1, Buffer.concat([GET, Buffer.from("\0\x0aconnection\x05close", "latin1")])),
  "no path": frame(1, 5, 1, Buffer.from([0x82, 0x86, 0x41, 0x01, 0x61])),
};

const server = http2.createServer((req, res) => res.end("ok"));
server.on("sessionError", () => {});
server.listen(0, async () => {
  const { port } = server.address();
  for (const [name, bytes] of Object.entries(attacks)) {
    const result = await new Promise((resolve) => {
      const socket = net.connect(port);
      let got = Buffer.alloc(0);
      let said = "";
      socket.write(PREFACE);
      socket.write(SETTINGS);
      socket.write(bytes);
      const finish = () => {
        socket.destroy();
        resolve(said || "closed");
      };
      socket.on("data", (chunk) => {
        got = Buffer.concat([got, chunk]);
        while (got.length >= 9 && got.length >= 9 + got.readUIntBE(0, 3)) {
          const length = got.readUIntBE(0, 3);
          const payload = got.subarray(9, 9 + length);
          if (got[3] === 7 && !said.includes("GOAWAY")) said += `GOAWAY ${payload.readUInt32BE(4)}`;
          if (got[3] === 3 && said === "" && name !== "rapid resets") said = `RST_STREAM ${payload.readUInt32BE(0)}`;
          got = got.subarray(9 + length);
        }
        if (said !== "") finish();
      });
      socket.on("close", finish);
      socket.on("error", () => {});
    });
    console.log(`${name}: ${result}`);
  }
  const client = http2.connect(`http://localhost:${port}`);
  const request = client.request();
  request.setEncoding("utf8");
  request.on("data", (text) => console.log("still", text));
  request.on("end", () => {
    client.close();
    server.close();
  });
});

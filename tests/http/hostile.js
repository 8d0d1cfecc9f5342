// What a server must refuse: shapes used for request smuggling (RFC 9112, 11.2), malformed and oversized heads, all in
// one piece and byte by byte. The codes are llhttp's, as Node reports them.
const http = require("node:http");
const net = require("node:net");

const cases = {
  "both lengths": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "both lengths, other order": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
  "two lengths": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
  "list of lengths": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\n",
  "signed length": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\n",
  "huge length": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
  "space before colon": "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
  "bare LF": "GET / HTTP/1.1\r\nHost: x\nX: y\r\n\r\n",
  "bare CR": "GET / HTTP/1.1\r\nHost: x\rX: y\r\n\r\n",
  "NUL in value": "GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n",
  "empty name": "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n",
  "no colon": "GET / HTTP/1.1\r\nHost: x\r\nabc\r\n\r\n",
  "bad method": "G@T / HTTP/1.1\r\nHost: x\r\n\r\n",
  "lower case method": "get / HTTP/1.1\r\nHost: x\r\n\r\n",
  "TLS hello": "\x16\x03\x01\x02\x00\x01",
  "bad version": "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
  "oversized head": `GET / HTTP/1.1\r\nHost: x\r\nA: ${"x".repeat(20000)}\r\n\r\n`,
  "bad chunk size": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  "chunk size too long": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n11111111111111111\r\n",
};

const server = http.createServer((req, res) => {
  req.resume();
  req.on("end", () => res.end("ok"));
});
let current;
server.on("clientError", (error, socket) => {
  current ??= error.code;
  socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
});

function send(text, piece) {
  return new Promise((resolve) => {
    current = undefined;
    const socket = net.connect(server.address().port, "127.0.0.1");
    let got = "";
    socket.on("data", (chunk) => { got += chunk; });
    socket.on("error", () => {});
    socket.on("close", () => resolve(`${current} ${got.split("\r\n")[0]}`));
    const bytes = Buffer.from(text, "latin1");
    socket.setNoDelay(true);
    if (piece === undefined) {
      socket.write(bytes);
      return;
    }
    let at = 0;
    const next = () => {
      if (socket.destroyed || at >= bytes.length) return;
      socket.write(bytes.subarray(at, at += piece));
      setImmediate(next);
    };
    socket.on("connect", next);
  });
}

server.listen(0, "127.0.0.1", async () => {
  for (const [name, text] of Object.entries(cases)) {
    console.log(name, "-", await send(text));
    const again = await send(text, name === "oversized head" ? 1000 : 1);
    if (!again.startsWith(String(current))) console.log("  in pieces:", again);
  }
  server.close();
});

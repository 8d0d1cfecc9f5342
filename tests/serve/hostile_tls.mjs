// What is no TLS, or none that can be spoken, on the ports of Bun.serve and node:https: it is told or hung up on, and others are served.
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import support from "../net/support/certificate.js";
const { key, cert } = support;

const one = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 1, development: false, tls: { key, cert }, fetch: () => new Response("ok") });
const errors = [];
const two = https.createServer({ key, cert, handshakeTimeout: 1000 }, (request, response) => response.end("ok"));
two.on("tlsClientError", (error) => errors.push(error.code));
await new Promise((resolve) => two.listen(0, "127.0.0.1", resolve));

/** How a connection ends that sends these bytes. */
const send = (port, bytes, end) => new Promise((resolve) => {
  let got = 0;
  let alert = "";
  const socket = net.connect(port, "127.0.0.1", () => {
    if (bytes.length > 0) socket.write(bytes);
    if (end === "reset") setTimeout(() => socket.resetAndDestroy(), 10);
  });
  socket.on("data", (data) => {
    if (got === 0 && data[0] === 21) alert = " with an alert";
    got += data.length;
  });
  socket.on("error", () => {});
  socket.on("close", () => resolve(`hung up${alert}`));
});
/** A ClientHello as a client of good will writes it. */
const hello = await new Promise((resolve) => {
  const server = net.createServer((socket) => socket.once("data", (data) => { resolve(data); socket.destroy(); server.close(); }));
  server.listen(0, "127.0.0.1", () => tls.connect({ port: server.address().port, host: "127.0.0.1", servername: "test.bao", ca: cert }).on("error", () => {}));
});
const cases = {
  "plain HTTP": [Buffer.from("GET / HTTP/1.1\r\nHost: h\r\n\r\n")],
  "nonsense": [Buffer.alloc(100, 0xff)],
  "zeros": [Buffer.alloc(5000)],
  "an oversized record": [Buffer.from([22, 3, 1, 0xff, 0xff, 1, 0, 0])],
  "application data": [Buffer.from([23, 3, 3, 0, 5, 1, 2, 3, 4, 5])],
  "an alert": [Buffer.from([21, 3, 3, 0, 2, 2, 40])],
  "SSLv2": [Buffer.from([0x80, 0x2e, 1, 0, 2, 0, 0x15, 0, 0, 0, 0x10, ...Array(37).fill(0)])],
  "half of a hello": [hello.subarray(0, 100)],
  "nothing": [Buffer.alloc(0)],
  "a hello, then plain text": [Buffer.concat([hello, Buffer.from("GET / HTTP/1.1\r\n\r\n")])],
  "a hello, then a reset": [hello, "reset"],
};
for (const [name, port] of [["Bun.serve", one.port], ["node:https", two.address().port]]) {
  const results = await Promise.all(Object.entries(cases).map(async ([title, [bytes, end]]) => `${title}: ${await send(port, bytes, end)}`));
  console.log(`# ${name}\n${results.join("\n")}`);
  // Old versions are refused.
  await new Promise((resolve) => {
    const socket = tls.connect({ port, host: "127.0.0.1", servername: "test.bao", ca: cert, minVersion: "TLSv1.2", maxVersion: "TLSv1.2" }, () => {
      console.log("TLS 1.2:", socket.getProtocol());
      socket.destroy();
      resolve();
    });
  });
  const response = await fetch(`https://127.0.0.1:${port}/`, { tls: { ca: cert } });
  console.log("good:", response.status, await response.text());
}
console.log(errors.length > 5);
two.closeAllConnections();
two.close();
await one.stop(true);

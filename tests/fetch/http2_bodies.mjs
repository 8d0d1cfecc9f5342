// fetch over HTTP/2: requests whose bodies are empty (the head goes out once, and the stream ends), responses with trailers.
// Recorded from Bun.
import http2 from "node:http2";
import certificate from "../net/support/certificate.js";

const { cert, key } = certificate;
const server = http2.createSecureServer({ cert, key });
server.on("stream", (stream, headers) => {
  let size = 0;
  stream.on("data", (bytes) => { size += bytes.length; });
  stream.on("end", () => {
    stream.on("wantTrailers", () => stream.sendTrailers({ "x-trailer": "1" }));
    stream.respond({ ":status": 200 }, { waitForTrailers: headers["x-trailers"] !== undefined });
    stream.end(`${headers[":method"]} ${headers[":path"]} ${size}`);
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const bodies = () => ({
  closed: new ReadableStream({ start: (controller) => controller.close() }),
  soon: new ReadableStream({ async pull(controller) { await undefined; controller.close(); } }),
  later: new ReadableStream({ async pull(controller) { await new Promise((resolve) => setTimeout(resolve, 10)); controller.close(); } }),
  text: "",
  bytes: new Uint8Array(0),
  empty_chunks: new ReadableStream({ start(controller) { controller.enqueue(new Uint8Array(0)); controller.close(); } }),
  filled: new ReadableStream({ start(controller) { controller.enqueue(new Uint8Array(3)); controller.close(); } }),
});
for (const headers of [{}, { "x-trailers": "1" }]) for (const [name, body] of Object.entries(bodies())) {
  const init = { headers, method: "POST", body, duplex: "half", protocol: "http2", tls: { rejectUnauthorized: false } };
  console.log(await fetch(`https://127.0.0.1:${server.address().port}/${name}`, init).then((response) => response.text(), (error) => error.message));
}
process.exit();

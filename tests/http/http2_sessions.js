// node:http2 over cleartext: what both sides see of requests, bodies, pushes, trailers, pings and settings. Recorded from Node 25.8.1.
const http2 = require("node:http2");

const server = http2.createServer({ settings: { maxConcurrentStreams: 50 } });
const lines = [];
const say = (...parts) => lines.push(parts.map((part) => typeof part === "string" ? part : JSON.stringify(part)).join(" "));

server.on("session", (session) => session.once("remoteSettings", (settings) => say("server: push allowed", settings.enablePush)));
server.on("stream", (stream, headers, flags) => {
  stream.on("error", (error) => say("server:", error.code));
  const path = headers[":path"];
  say("server:", headers[":method"], path, "flags", flags);
  switch (path) {
    case "/echo":
      stream.respond({ ":status": 200, "x-method": headers[":method"] });
      stream.pipe(stream);
      break;
    case "/trailers":
      stream.respond({ "set-cookie": ["a=1", "b=2"] }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ sum: "42" }));
      stream.end("with trailers");
      break;
    case "/push":
      stream.pushStream({ ":path": "/pushed" }, (error, pushed) => {
        pushed.respond({ ":status": 203 });
        pushed.end("pushed body");
      });
      stream.respond();
      stream.end("main body");
      break;
    case "/early":
      stream.additionalHeaders({ ":status": 103, link: "</a.css>; rel=preload" });
      stream.respond({ ":status": 204 });
      break;
    case "/reset":
      stream.close(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
      break;
    case "/large": {
      stream.respond({ "content-length": 1_000_000 });
      const chunk = Buffer.alloc(100_000, "x");
      for (let i = 0; i < 10; i++) stream.write(chunk);
      stream.end();
    }
  }
});

const once = (emitter, event) => new Promise((resolve) => emitter.once(event, (...args) => resolve(args)));
async function text(stream) {
  let all = "";
  stream.setEncoding("utf8");
  for await (const chunk of stream) all += chunk;
  return all;
}

server.listen(0, async () => {
  const client = http2.connect(`http://localhost:${server.address().port}`);
  client.on("stream", async (pushed, headers) => {
    say("client: promise of", headers[":path"]);
    const [response] = await once(pushed, "push");
    say("client: pushed", response[":status"], await text(pushed));
  });
  await once(client, "remoteSettings");
  say("client: streams", client.remoteSettings.maxConcurrentStreams, "alpn", client.alpnProtocol, "encrypted", client.encrypted);

  const echo = client.request({ ":path": "/echo", ":method": "POST" });
  echo.write("one ");
  echo.end("two");
  let [headers] = await once(echo, "response");
  say("client:", headers[":status"], headers["x-method"], await text(echo), "rst", echo.rstCode);

  const trailers = client.request({ ":path": "/trailers" });
  trailers.on("trailers", (fields) => say("client: trailers", fields.sum));
  [headers] = await once(trailers, "response");
  say("client:", headers["set-cookie"], await text(trailers));

  const push = client.request({ ":path": "/push" });
  say("client:", await text(push));

  const early = client.request({ ":path": "/early" });
  early.on("headers", (fields) => say("client: interim", fields[":status"], fields.link));
  [headers] = await once(early, "response");
  say("client:", headers[":status"], "ended", await text(early));

  const reset = client.request({ ":path": "/reset" });
  const [error] = await once(reset, "error");
  say("client:", error.code, error.message, reset.rstCode);

  const large = client.request({ ":path": "/large" });
  say("client: large", (await text(large)).length);

  const head = client.request({ ":path": "/echo", ":method": "HEAD" });
  const [fields, flags] = await once(head, "response");
  say("client: HEAD", fields[":status"], flags);
  head.resume();

  const many = await Promise.all(Array.from({ length: 120 }, async (_, i) => {
    const request = client.request({ ":path": "/echo", ":method": "PUT" });
    request.end(`body ${i}`);
    return text(request);
  }));
  say("client: many", many.every((body, i) => body === `body ${i}`));

  const [, duration, payload] = await new Promise((resolve) => client.ping(Buffer.from("12345678"), (...args) => resolve(args)));
  say("client: ping", typeof duration, payload.toString());
  client.settings({ initialWindowSize: 100_000 }, (failure, settings) => {
    say("client: settings", failure, settings.initialWindowSize);
    client.close();
    server.close();
  });
  await once(client, "close");
  say("client: closed", client.destroyed);
  // The two sides may run at different paces.
  for (const side of ["server:", "client:"]) for (const line of lines) if (line.startsWith(side)) console.log(line);
});

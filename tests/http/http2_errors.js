// Errors of node:http2: classes, codes and messages. Recorded from Node 25.8.1.
const http2 = require("node:http2");

function show(name, fn) {
  try {
    fn();
    console.log(name, "no error");
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
}

show("options", () => http2.createServer("x"));
show("settings", () => http2.getPackedSettings({ maxFrameSize: 1 }));
show("settings push", () => http2.getPackedSettings({ enablePush: 1 }));
show("unpacked", () => http2.getUnpackedSettings(Buffer.alloc(5)));
show("unpacked type", () => http2.getUnpackedSettings("x"));
show("protocol", () => http2.connect("ftp://localhost"));
show("authority", () => http2.connect(1));

const server = http2.createServer();
server.on("stream", (stream) => {
  show("status", () => stream.respond({ ":status": 99 }));
  show("pseudo", () => stream.respond({ ":path": "/" }));
  show("connection", () => stream.respond({ connection: "close" }));
  show("single", () => stream.respond({ "content-type": ["a", "b"] }));
  show("token", () => stream.respond({ "a b": "c" }));
  show("info", () => stream.additionalHeaders({ ":status": 200 }));
  show("101", () => stream.additionalHeaders({ ":status": 101 }));
  show("trailers", () => stream.sendTrailers({}));
  stream.respond();
  show("twice", () => stream.respond());
  show("late info", () => stream.additionalHeaders({ ":status": 100 }));
  show("push", () => stream.pushStream({}));
  show("file", () => stream.respondWithFile("x"));
  stream.end();
});
server.listen(0, () => {
  const client = http2.connect(`http://localhost:${server.address().port}`);
  show("request", () => client.request("x"));
  show("method", () => client.request({ ":method": "CONNECT" }));
  show("connect path", () => client.request({ ":method": "CONNECT", ":authority": "a", ":path": "/" }));
  show("te", () => client.request({ te: "gzip" }));
  show("endStream", () => client.request({}, { endStream: 1 }));
  show("ping", () => client.ping(Buffer.alloc(7), () => {}));
  show("ping callback", () => client.ping());
  show("goaway", () => client.goaway("x"));
  show("socket", () => client.socket.write("x"));
  show("window", () => client.setLocalWindowSize(-1));
  const request = client.request();
  request.resume();
  request.on("close", () => {
    show("closed", () => request.sendTrailers({}));
    client.close();
    show("after close", () => client.request());
    server.close();
  });
});

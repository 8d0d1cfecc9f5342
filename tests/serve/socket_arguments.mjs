// What methods of a server's WebSocket refuse. The output is Bun's.
const attempt = (name, action) => {
  try {
    console.log(name, action());
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};
const { promise, resolve } = Promise.withResolvers();
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request, server) { server.upgrade(request); },
  websocket: {
    message() {},
    open(socket) {
      for (const method of ["subscribe", "unsubscribe", "isSubscribed"]) {
        for (const topic of ["", 1, undefined, null, {}, [], "x"]) attempt(`${method} ${JSON.stringify(topic)}`, () => socket[method](topic));
        attempt(method, () => socket[method]());
      }
      for (const method of ["send", "sendText"]) for (const flag of ["x", 1, null, undefined, {}, true, 0]) attempt(`${method} ${JSON.stringify(flag)}`, () => socket[method]("a", flag));
      attempt("sendBinary flag", () => socket.sendBinary(new Uint8Array(1), "x"));
      for (const method of ["publish", "publishText"]) {
        for (const flag of ["x", 1, null, undefined, true]) attempt(`${method} ${JSON.stringify(flag)}`, () => socket[method]("x", "a", flag));
        attempt(`${method} of a number`, () => socket[method](1, "a"));
        attempt(`${method} of nothing`, () => socket[method]("x"));
        attempt(method, () => socket[method]());
      }
      attempt("publish without topic", () => socket.publish("", "a"));
      attempt("publishBinary flag", () => socket.publishBinary("x", new Uint8Array(1), "x"));
      attempt("send", () => socket.send());
      attempt("send null", () => socket.send(null));
      attempt("sendText 1", () => socket.sendText(1));
      attempt("sendBinary text", () => socket.sendBinary("a"));
      resolve();
    },
  },
});
const socket = new WebSocket(`ws://127.0.0.1:${server.port}`);
await promise;
socket.close();
for (const value of [1, "x", true, false, null, {}, Symbol("s"), [], "disable"]) {
  attempt(`perMessageDeflate ${typeof value === "symbol" ? "symbol" : JSON.stringify(value)}`, () => {
    Bun.serve({ port: 0, fetch() {}, websocket: { message() {}, perMessageDeflate: value } }).stop();
  });
}
await server.stop(true);

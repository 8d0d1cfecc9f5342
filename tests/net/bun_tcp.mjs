// Bun.listen and Bun.connect over TCP and unix sockets. What the two sides of a connection see is told for each side, as they take
// turns in no certain order. Recorded with Bun 1.4.5, except for `write(buffer, offset)`, which takes the rest as documented.
const sides = new Map();
const log = (side, ...what) => {
  if (!sides.has(side)) sides.set(side, []);
  sides.get(side).push(what.map((value) => typeof value === "string" ? value : JSON.stringify(value) ?? "undefined").join(" "));
};
const flush = (title) => {
  console.log(`# ${title}`);
  for (const [side, lines] of [...sides].sort()) for (const line of lines) console.log(`${side}: ${line}`);
  sides.clear();
};
process.on("uncaughtException", (error) => log("uncaught", error.message));
process.on("unhandledRejection", (error) => log("unhandled", error.message));
const soon = (check) => new Promise((resolve) => {
  const until = Date.now() + 5000;
  (function look() {
    if (check() || Date.now() > until) resolve();
    else setTimeout(look, 5);
  })();
});

const all = (side, more = {}) => ({
  data(socket, bytes) { log(side, "data", bytes.constructor.name, `${bytes}`); },
  close(socket, error) { log(side, "close", error?.code, socket.readyState, socket.write("x")); },
  end() { log(side, "end"); },
  ...more,
});

/** A server and a client until both are closed. */
async function pair(title, server, client, options = {}) {
  let closed = 0;
  const counted = (handlers) => ({ ...handlers, close(socket, error) { closed++; handlers.close?.call(socket, socket, error); } });
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: counted({ data() {}, ...server }), ...options });
  const socket = await Bun.connect({ hostname: "127.0.0.1", port: listener.port, socket: counted({ data() {}, ...client }), ...options });
  await soon(() => closed === 2);
  listener.stop(true);
  flush(title);
  return socket;
}

await pair("echo", all("server", {
  open(socket) { log("server", "open", socket.readyState, socket.remoteFamily, socket.remoteAddress, socket.localAddress, socket.data, this === socket); },
  data(socket, bytes) { log("server", "data", `${bytes}`); socket.write(`echo ${bytes}`); },
}), all("client", {
  open(socket) { log("client", "open", socket.data, socket.write("hällo"), socket.bytesWritten); },
  data(socket, bytes) { log("client", "data", `${bytes}`); log("client", "end gives", socket.end("bye")); },
}), { data: { some: "data" } });

await pair("end writes, then closes", all("server", { open(socket) { log("server", socket.end("all of it"), socket.readyState); } }), all("client"));

{
  let got = 0;
  let sent = 0;
  let drains = 0;
  const big = new Uint8Array(8 << 20).fill(120);
  const more = (socket) => {
    while (sent < big.length) {
      const count = socket.write(big.subarray(sent));
      if (count <= 0) return;
      sent += count;
    }
  };
  await pair("back pressure", {
    open(socket) { socket.pause(); setTimeout(() => socket.resume(), 30); },
    data(socket, bytes) { got += bytes.length; if (got === big.length) socket.end("got it"); },
  }, all("client", {
    open(socket) { more(socket); log("client", "partial", sent > 0 && sent < big.length, socket.bytesWritten === sent, socket.write("more")); },
    drain(socket) { drains++; more(socket); },
  }));
  console.log(got === big.length, drains > 0);
}

await pair("half open", all("server", {
  end(socket) { log("server", "end", socket.readyState); setTimeout(() => { log("server", "late", socket.write("late")); socket.end(); }, 10); },
}), all("client", { open(socket) { socket.write("hi"); socket.shutdown(); log("client", "shut down", socket.write("no")); } }), { allowHalfOpen: true });

await pair("not half open", all("server", { end(socket) { log("server", "end", socket.readyState, socket.write("late")); } }),
  all("client", { open(socket) { socket.write("hi"); socket.shutdown(); } }));

await pair("errors go to the error handler", all("server", {
  error(socket, error) { log("server", "error", error.message, this === socket); if (error.message === "data") socket.end(); },
  data() { throw new Error("data"); },
  close() { throw new Error("close"); },
}), all("client", { open(socket) { socket.write("x"); } }));
await pair("errors without one", { data(socket) { setTimeout(() => socket.end(), 10); throw new Error("data"); } }, all("client", { open(socket) { socket.write("x"); } }));
await pair("an error in open closes", all("server", { open() { throw new Error("open"); }, error(socket, error) { log("server", "error", error.message); } }), all("client"));
await pair("rejections", { async data(socket) { setTimeout(() => socket.end(), 10); throw new Error("rejected"); }, error() { log("server", "error"); } }, { open(socket) { socket.write("x"); } });
await pair("the error handler throws", { data(socket) { setTimeout(() => socket.end(), 10); throw new Error("data"); }, error() { throw new Error("again"); } }, { open(socket) { socket.write("x"); } });

await pair("timeout", all("server", { open(socket) { socket.timeout(1); }, timeout(socket) { log("server", "timeout", socket.readyState); socket.end(); } }), all("client"));
await pair("terminate", all("server", { close(socket, error) { log("server", "close", error?.message, error?.code, error?.syscall); } }),
  all("client", { open(socket) { socket.terminate(); log("client", "terminated", socket.readyState, socket.end()); } }));

{
  const types = [];
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, data: "shared", socket: {
    binaryType: "uint8array",
    data(socket, bytes) {
      types.push(bytes.constructor.name, socket.data, socket.listener === listener);
      socket.data = "own";
      listener.reload({ socket: { binaryType: "arraybuffer", data(socket, bytes) {
        types.push(bytes.constructor.name, socket.data);
        socket.reload({ socket: { data(socket, bytes) { types.push(bytes.constructor.name); socket.end(); } } });
        socket.write("x");
      } } });
      socket.write("x");
    },
  } });
  const { promise, resolve } = Promise.withResolvers();
  await Bun.connect({ hostname: "127.0.0.1", port: listener.port, socket: { open(socket) { socket.write("1"); }, data(socket) { socket.write("2"); }, close: resolve } });
  await promise;
  console.log("# reload");
  console.log(types.join(), listener.data, listener.stop(), listener.data);
}
{
  const path = `${(await import("node:os")).tmpdir()}/bao-tcp-${process.pid}`;
  const { existsSync } = await import("node:fs");
  const { promise, resolve } = Promise.withResolvers();
  const listener = Bun.listen({ unix: path, socket: all("server", { data(socket, bytes) { socket.write(bytes); } }) });
  await Bun.connect({ unix: path, socket: all("client", { open(socket) { socket.write("unix"); }, data(socket, bytes) { log("client", `${bytes}`, socket.remoteAddress); socket.close(); }, close: resolve }) });
  await promise;
  await soon(() => sides.get("server")?.length === 2);
  log("listener", listener.unix === path, listener.port, existsSync(path), listener.stop(), existsSync(path));
  flush("unix");
}
{
  const { promise, resolve } = Promise.withResolvers();
  const listener = Bun.listen({ hostname: "localhost", port: 0, socket: all("server") });
  const socket = await Bun.connect({ hostname: "localhost", port: listener.port, socket: all("client", { close() { log("client", "close"); resolve(); } }) });
  await new Promise((done) => setTimeout(done, 10));
  listener.stop();
  log("listener", listener.hostname, socket.readyState);
  socket.write("still there");
  await soon(() => sides.get("server")?.length === 1);
  listener.stop(true);
  await promise;
  flush("stop");
}
{
  const chunks = [];
  const { promise, resolve } = Promise.withResolvers();
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data(socket, bytes) { chunks.push(bytes); }, close: resolve } });
  const socket = await Bun.connect({ hostname: "127.0.0.1", port: listener.port, socket: { data() {} } });
  console.log("# write");
  const bytes = new Uint8Array([65, 66, 67, 68, 69]);
  for (const args of [["é"], [bytes], [bytes, 1], [bytes, 1, 2], [bytes.buffer, 4], [new DataView(bytes.buffer, 2)], ["str", "latin1"], ["6162", "hex"], [""], [], [null], [5], [{}],
    [bytes, 9], [bytes, -1], [bytes, 1, 99], [bytes, 1.5], [new SharedArrayBuffer(2)], [new Blob(["blob"])]]) {
    try {
      console.log(socket.write(...args));
    } catch (error) {
      console.log(error.name, error.code);
    }
  }
  socket.end("last");
  await promise;
  listener.stop();
  console.log(JSON.stringify(Buffer.concat(chunks).toString()));
}

console.log("# what is refused");
const socket = { data() {} };
for (const options of [undefined, {}, { hostname: "127.0.0.1", port: 0 }, { hostname: "127.0.0.1", port: 0, socket: {} }, { hostname: "127.0.0.1", port: 99999, socket },
  { hostname: "127.0.0.1", socket }, { hostname: "127.0.0.1", port: "x", socket }, { port: 0, socket }, { unix: 5, socket }, { unix: "/nonexistent/x", socket },
  { hostname: "127.0.0.1", port: 0, socket: { data: 1 } }, { hostname: "127.0.0.1", port: 0, socket: { data() {}, binaryType: "foo" } }]) {
  try {
    Bun.listen(options).stop();
    console.log("listens");
  } catch (error) {
    console.log("listen", error.name, error.message, error.code, error.syscall, error.errno, error.address);
  }
  if (options?.port === 0) continue;
  try {
    (await Bun.connect(options)).end();
    console.log("connects");
  } catch (error) {
    console.log("connect", error.name, error.message, error.code, error.syscall, error.errno);
  }
}
const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
try {
  Bun.listen({ hostname: "127.0.0.1", port: taken.port, socket });
} catch (error) {
  console.log(error.message, error.code, error.port === taken.port);
}
taken.stop();
await Bun.connect({ hostname: "127.0.0.1", port: taken.port, socket: { data() {}, connectError(socket, error) { console.log("connectError", socket.readyState, error.message, error.code); } } })
  .catch((error) => console.log("rejected", error.message, error.syscall, error.errno));

// A server in which the nth call of a built-in function throws, once. It says its ports on standard output.
import { writeFileSync } from "node:fs";

let left = 0;
let calls = 0;
const { apply } = Reflect;
// Nothing that the loop calls outside of callbacks, such as its timers.
const tables = [
  [String.prototype, ["slice", "indexOf", "includes", "charCodeAt", "split", "startsWith", "endsWith", "toLowerCase", "replace", "trim", "lastIndexOf"]],
  [Array.prototype, ["push", "shift", "join", "slice", "includes", "splice"]],
  [RegExp.prototype, ["test", "exec", Symbol.replace]],
  [Map.prototype, ["get", "set", "has", "values"]],
  [Set.prototype, ["add", "has", "delete", Symbol.iterator]],
  [WeakMap.prototype, ["get", "set", "has"]],
  [Number.prototype, ["toString"]],
  [Object.getPrototypeOf(Uint8Array.prototype), ["subarray", "set", "slice"]],
  [Object, ["assign", "keys", "defineProperty"]],
  [Buffer, ["from", "concat", "byteLength"]],
];
const file = process.argv[2];
const large = new Uint8Array(2 << 20);
writeFileSync(file, large);

function patch() {
  for (const [object, names] of tables) {
    for (const name of names) {
      const original = object[name];
      Object.defineProperty(object, name, {
        configurable: true, writable: true,
        value: {
          method(...args) {
            if (left > 0 && --left === 0) throw new Error("a fault");
            calls++;
            return apply(original, this, args);
          },
        }.method,
      });
    }
  }
}

async function* pieces() {
  yield "one ";
  await Bun.sleep(1);
  yield new Uint8Array(100_000);
  yield " three";
}

const answers = {
  "/arm": (request) => { left = Number(request.headers.get("fault")); return new Response("armed"); },
  "/state": () => { const fired = left === 0; left = 0; return Response.json({ fired }); },
  "/text": () => new Response("text"),
  "/headers": () => new Response("text", { status: 201, headers: { "x-a": "b", "set-cookie": "a=b" } }),
  "/post": async (request) => new Response(await request.text()),
  "/pipe": (request) => new Response(request.body),
  "/generator": () => new Response(pieces()),
  "/large": () => new Response(large),
  "/file": () => new Response(Bun.file(file)),
  "/slice": () => new Response(Bun.file(file).slice(10, 200_000)),
  "/late": async () => { await Bun.sleep(1); return new Response("late"); },
  "/throws": () => { throw new Error("of the handler"); },
  "/nothing": () => undefined,
  "/upgrade": (request, server) => { server.upgrade(request, { data: 1 }); },
};
const options = {
  port: 0, hostname: "127.0.0.1", development: false, maxRequestBodySize: 1 << 20,
  routes: { "/static": new Response("static"), "/stored": new Response(Bun.file(file)), "/p/:id": (request) => new Response(request.params.id + request.cookies.get("a")) },
  fetch: (request, server) => answers[new URL(request.url).pathname](request, server),
  error: (error) => new Response(error.message, { status: 500 }),
  websocket: {
    open: (socket) => { socket.subscribe("all"); },
    message: (socket, message) => { socket.send(message); server.publish("all", "published"); if (message === "bye") socket.close(1000, "bye"); },
    close() {},
  },
};
const server = Bun.serve(options);
const second = Bun.serve({ ...options, http2: true });
// What is made once is made before.
patch();
console.log(JSON.stringify([server.port, second.port]));
const pending = () => server.pendingRequests + second.pendingRequests;
process.stdin.on("end", async () => {
  // What is still answered ends by itself; what has been left behind does not.
  for (let i = 0; i < 1000 && pending() > 0; i++) await Bun.sleep(10);
  console.log(JSON.stringify({ pending: pending() }));
  process.exit();
});
process.stdin.resume();

// Bun.serve: starting, reloading and stopping, clients that go away, limits, errors, unix sockets. Recorded from Bun 1.4.5.
import net from "node:net";
import { tmpdir } from "node:os";

const log = console.log;
const url = (s) => `http://127.0.0.1:${s.port}`;
const text = async (promise) => {
  const r = await promise;
  return `${r.status} ${await r.text()}`;
};

// Address in use, wrong options.
const first = Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch: () => new Response("first") });
try {
  Bun.serve({ port: first.port, hostname: "127.0.0.1", fetch: () => new Response("") });
} catch (error) {
  log(error.name, error.code, error.syscall);
}
for (const options of [undefined, {}, { fetch: 1 }, { fetch() {}, port: -1 }, { fetch() {}, idleTimeout: 300 }, { fetch() {}, websocket: 1 }]) {
  try {
    Bun.serve(options);
    log("no error");
  } catch (error) {
    log(error.name);
  }
}

// Reload.
log(await text(fetch(url(first))));
first.reload({ fetch: () => new Response("second"), routes: { "/r": () => new Response("route") } });
log(await text(fetch(url(first))), await text(fetch(`${url(first)}/r`)));
log(await text(first.fetch(new Request("http://x/any"))), await text(first.fetch("/r")));

// An error handler, also one that is asynchronous or throws itself.
const failing = Bun.serve({
  port: 0, hostname: "127.0.0.1", development: false,
  fetch(request) {
    if (request.url.endsWith("/async")) return Promise.reject(new Error("async"));
    throw new Error("sync");
  },
  error: async (error) => new Response(`handled ${error.message}`, { status: 501 }),
});
log(await text(fetch(url(failing))), await text(fetch(`${url(failing)}/async`)));
await failing.stop(true);

// A client that goes away: the request's signal aborts, its stream is cancelled.
const events = [];
let told;
const gone = new Promise((resolve) => { told = resolve; });
const leaving = Bun.serve({
  port: 0, hostname: "127.0.0.1", development: false,
  fetch(request) {
    request.signal.addEventListener("abort", () => { events.push("abort"); told(); });
    return new Promise(() => {});
  },
});
const client = net.connect(leaving.port, "127.0.0.1", () => client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
while (leaving.pendingRequests === 0) await Bun.sleep(5);
log("pending", leaving.pendingRequests);
client.destroy();
await gone;
log(events.join());
await leaving.stop(true);

let cancelled;
const cancel = new Promise((resolve) => { cancelled = resolve; });
const streaming = Bun.serve({
  port: 0, hostname: "127.0.0.1", development: false,
  fetch: () => new Response(new ReadableStream({
    async pull(controller) { await Bun.sleep(5); controller.enqueue(new Uint8Array(10)); },
    cancel() { cancelled("cancelled"); },
  })),
});
const reader = (await fetch(url(streaming))).body.getReader();
await reader.read();
await reader.cancel();
log(await cancel);
await streaming.stop(true);

// Bodies: read late, read never, too large.
const bodies = Bun.serve({
  port: 0, hostname: "127.0.0.1", development: false, maxRequestBodySize: 100_000,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/never") return new Response("unread");
    if (pathname === "/late") await Bun.sleep(20);
    if (pathname === "/stream") {
      let n = 0;
      for await (const chunk of request.body) n += chunk.length;
      return new Response(String(n));
    }
    if (pathname === "/form") {
      const form = await request.formData();
      return new Response(`${form.get("a")} ${await form.get("f").text()}`);
    }
    return new Response(String((await request.arrayBuffer()).byteLength));
  },
});
const post = (path, body) => text(fetch(url(bodies) + path, { method: "POST", body }));
const large = new Uint8Array(90_000);
for (const path of ["/", "/late", "/stream", "/never"]) log(path, await post(path, "small"), await post(path, large));
const form = new FormData();
form.append("a", "b");
form.append("f", new File(["file"], "f.txt"));
log(await post("/form", form));
log((await post("/", new Uint8Array(100_001))).slice(0, 3));
await bodies.stop(true);

// A slow reader gets everything.
const total = 8_000_000;
const sending = Bun.serve({
  port: 0, hostname: "127.0.0.1", development: false,
  fetch(request) {
    if (request.url.endsWith("/bytes")) return new Response(new Uint8Array(total));
    let left = total;
    return new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(100_000)); if ((left -= 100_000) === 0) c.close(); } }));
  },
});
for (const path of ["/bytes", "/stream"]) {
  let n = 0;
  for await (const chunk of (await fetch(url(sending) + path)).body) {
    if (n < 300_000) await Bun.sleep(2);
    n += chunk.length;
  }
  log(path, n === total);
}
await sending.stop(true);

// A unix socket.
const path = `${tmpdir()}/bao-serve-${process.pid}.sock`;
const local = Bun.serve({ unix: path, development: false, fetch: (request, server) => new Response(`${new URL(request.url).pathname} ${server.requestIP(request)}`) });
log(local.port, local.hostname, await text(fetch("http://localhost/p", { unix: path })));
await local.stop(true);

// Stop waits for what is under way.
let answer;
const slow = Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch: () => new Promise((resolve) => { answer = resolve; }) });
const pending = text(fetch(url(slow)));
while (answer === undefined) await Bun.sleep(5);
const stopped = slow.stop();
answer(new Response("late"));
log(await pending);
await stopped;
log(await fetch(url(slow)).then(() => "still there", () => "refused"));
await first.stop(true);

// Bun.serve over HTTP/2 by ALPN and with prior knowledge, and fetch with protocol "http2". What Bun 1.4.5 says.
import http2 from "node:http2";
import { readFileSync } from "node:fs";

const keys = new URL("./support/", import.meta.url);
const tls = { key: readFileSync(new URL("key.pem", keys)), cert: readFileSync(new URL("cert.pem", keys)) };
const handler = {
  http2: true,
  port: 0,
  routes: { "/users/:id": (req) => new Response(`user ${req.params.id}`), "/fixed": new Response("fixed") },
  async fetch(req) {
    const { pathname } = new URL(req.url);
    switch (pathname) {
      case "/echo": return new Response(await req.arrayBuffer());
      case "/pass": return new Response(req.body);
      case "/large": return new Response(new Uint8Array(2_000_000).fill(97));
      case "/stream": return new Response(new ReadableStream({
        async pull(controller) {
          this.count = (this.count ?? 0) + 1;
          controller.enqueue(new TextEncoder().encode(`part ${this.count} `));
          await null;
          if (this.count === 3) controller.close();
        },
      }));
      case "/empty": return new Response(null, { status: 204 });
      case "/cookie": return new Response(req.headers.get("cookie"));
      default: return Response.json({ method: req.method, pathname }, { headers: { connection: "close", "x-a": "b" } });
    }
  },
};

const secure = Bun.serve({ ...handler, tls });
const base = `https://localhost:${secure.port}`;
const ask = (path, init) => fetch(base + path, { protocol: "http2", tls: { rejectUnauthorized: false }, ...init });

const first = await ask("/x?y=z", { method: "DELETE" });
console.log(first.status, await first.text(), first.headers.get("x-a"), first.headers.get("connection"));
console.log(await (await ask("/users/7")).text(), await (await ask("/fixed")).text());
console.log((await (await ask("/echo", { method: "POST", body: new Uint8Array(700_000).fill(1) })).arrayBuffer()).byteLength);
console.log((await (await ask("/pass", { method: "POST", body: "passed on" })).text()));
console.log((await (await ask("/large")).arrayBuffer()).byteLength, await (await ask("/stream")).text());
const empty = await ask("/empty");
console.log(empty.status, empty.body);
console.log(await (await ask("/cookie", { headers: { cookie: "a=1" } })).text());
console.log((await Promise.all(Array.from({ length: 300 }, async (_, i) => (await (await ask(`/users/${i}`)).text()) === `user ${i}`))).every(Boolean));
const abort = new AbortController();
const pending = ask("/large", { signal: abort.signal });
abort.abort();
console.log(await pending.catch((error) => error.name));
console.log(await fetch("http://localhost:8080/", { protocol: "http2" }).catch((error) => error.code));
console.log(await fetch(base, { protocol: "gopher" }).catch((error) => error.code));

// HTTP/1.1 beside it, and a server that knows nothing else.
console.log(await (await fetch(`${base}/fixed`, { tls: { rejectUnauthorized: false } })).text());
const old = Bun.serve({ port: 0, tls, fetch: () => new Response("old") });
console.log(await fetch(`https://localhost:${old.port}/`, { protocol: "http2", tls: { rejectUnauthorized: false } }).catch((error) => error.code));
await old.stop(true);

// Without TLS only for those who know.
const clear = Bun.serve(handler);
await new Promise((resolve) => {
  const client = http2.connect(`http://localhost:${clear.port}`);
  const request = client.request({ ":path": "/users/8", ":method": "GET" });
  let text = "";
  request.setEncoding("utf8");
  request.on("response", (headers) => console.log(headers[":status"], headers["content-type"]));
  request.on("data", (chunk) => text += chunk);
  request.on("end", () => {
    console.log(text);
    client.close(resolve);
  });
});
await clear.stop();
await secure.stop(true);
console.log(secure.pendingRequests, "stopped");

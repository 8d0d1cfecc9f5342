// expected: written by hand; Bun 1.4.5 takes no option of TLS but rejectUnauthorized over HTTP/3
// fetch with `protocol: "http3"`: who the server is, redirects, codings, connections that are shared and lost, and Alt-Svc.
import { readFileSync } from "node:fs";

process.env.BUN_FEATURE_FLAG_EXPERIMENTAL_HTTP3_CLIENT = "1";
const support = new URL("../http/support/", import.meta.url);
const tls = { cert: readFileSync(new URL("cert.pem", support), "utf8"), key: readFileSync(new URL("key.pem", support), "utf8") };
const show = (...values) => console.log(...values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))));

const options = {
  port: 0,
  tls,
  http3: true,
  http1: false,
  routes: {
    "/hello": () => new Response("hello"),
    "/port": (request, server) => Response.json(server.requestIP(request).port),
    "/gzip": () => new Response(Bun.gzipSync("small"), { headers: { "content-encoding": "gzip" } }),
    "/to": () => Response.redirect("/hello", 302),
    "/again": () => Response.redirect("/again", 307),
    "/echo": async (request) => new Response((await request.text()).length.toString(), { headers: { "x-length": request.headers.get("content-length") ?? "none" } }),
    "/headers": (request) => Response.json([...request.headers.keys()].sort()),
    "/tainted": () => new Response("", { headers: { te: "trailers" } }),
    "/many": () => {
      const headers = new Headers();
      for (let i = 0; i < 100; i++) headers.append(`x-${i}`, "v".repeat(i));
      return new Response("", { headers });
    },
    "/too-many": () => {
      const headers = new Headers();
      for (let i = 0; i < 100; i++) headers.append(`x-${i}`, "v".repeat(1000));
      return new Response("", { headers });
    },
  },
  fetch: () => new Response("nobody", { status: 404 }),
};
const server = Bun.serve(options);
const trusting = { rejectUnauthorized: false };
const ask = (path, init = {}) => fetch(new URL(path, server.url), { protocol: "http3", tls: trusting, ...init });
const fails = (promise) => promise.then((response) => response.status, (error) => `${error.name} ${error.code} ${error.cause?.code ?? error.message}`);

// Who the server is.
show(await fails(ask("/hello", { tls: undefined })));
show(await fails(ask("/hello", { tls: { ca: tls.cert } })));
show(await fails(ask("/hello", { tls: { ca: tls.cert, serverName: "elsewhere" } })));
show(await fails(ask("/hello", { tls: { ca: tls.cert, checkServerIdentity: (name, { subject }) => show("check", name, subject) } })));
show(await fails(ask("/hello", { tls: { ca: tls.cert, checkServerIdentity: () => new RangeError("not this one") } })));
show(await fails(fetch(`https://127.0.0.1:${server.port}/hello`, { protocol: "h3", tls: trusting })));

// What there is no HTTP/3 to.
show(await fails(fetch("http://127.0.0.1:9999", { protocol: "http3" })));
show(await fails(ask("/hello", { proxy: "http://127.0.0.1:9999" })));
show(await fails(ask("/hello", { unix: "/tmp/nowhere" })));
show(await fails(fetch(server.url, { protocol: "http4" })));

// Redirects, codings, bodies.
const moved = await ask("/to");
show(moved.redirected, moved.url.endsWith("/hello"), await moved.text());
show((await ask("/to", { redirect: "manual" })).status, await fails(ask("/to", { redirect: "error" })), await fails(ask("/again")));
show(await (await ask("/gzip")).text(), (await (await ask("/gzip", { decompress: false })).bytes()).length > 20);
for (const body of ["text", new Uint8Array(70_000), new Blob(["blob"]), new ReadableStream({ start(c) { c.enqueue("a stream"); c.close(); } })]) {
  const response = await ask("/echo", { method: "POST", body });
  show(response.headers.get("x-length"), await response.text());
}
show(await (await ask("/headers", { headers: { "X-Own": "1", connection: "close" } })).json());
show([...(await ask("/many")).headers.keys()].length >= 100, await fails(ask("/too-many")), await fails(ask("/tainted")));

// One connection for all of one kind, another one for others; requests that are aborted leave it alone.
const ports = await Promise.all(Array.from({ length: 20 }, () => ask("/port").then((response) => response.json())));
show(new Set(ports).size === 1);
show(await fails(ask("/hello", { signal: AbortSignal.abort() })), await fails(ask("/hello", { signal: AbortSignal.timeout(0) })).then((text) => text === 200 || text.startsWith("TimeoutError")));
show((await (await ask("/port")).json()) === ports[0]);

// A server that goes away and comes back.
await server.stop(true);
show(await fails(ask("/hello", { signal: AbortSignal.timeout(300) })));
const next = Bun.serve({ ...options, port: server.port });
show(await fails(ask("/hello")));
await next.stop(true);

// A server that says that it speaks HTTP/3 is asked so the next time.
const both = Bun.serve({ ...options, http1: true });
for (let i = 0; i < 2; i++) show((await fetch(new URL("/hello", both.url), { tls: trusting })).headers.has("alt-svc"));
await both.stop(true);

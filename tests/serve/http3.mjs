// expected: recorded from bun 1.4.5
// Bun.serve with `http3: true`, asked by fetch with `protocol: "http3"`: bodies of all kinds, routes, aborts, the end.
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const support = new URL("../http/support/", import.meta.url);
const tls = { cert: readFileSync(new URL("cert.pem", support), "utf8"), key: readFileSync(new URL("key.pem", support), "utf8") };
const h3 = { protocol: "http3", tls: { rejectUnauthorized: false } };
const folder = mkdtempSync(join(tmpdir(), "serve-http3-"));
const file = join(folder, "file.txt");
writeFileSync(file, "0123456789".repeat(30_000));

const show = (...values) => console.log(...values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))));

let aborted = 0;
const server = Bun.serve({
  port: 0,
  tls,
  http3: true,
  websocket: { message() {} },
  maxRequestBodySize: 3_000_000,
  routes: {
    "/static": new Response("static", { headers: { etag: '"v1"' } }),
    "/file": Bun.file(file),
    "/users/:id": (request) => new Response(`user ${request.params.id}`),
    "/cookies": (request) => {
      request.cookies.set("a", "b");
      return new Response("");
    },
    "/only": { POST: () => new Response("posted") },
  },
  async fetch(request, server) {
    const { pathname, search } = new URL(request.url);
    switch (pathname) {
      case "/echo":
        return new Response(await request.bytes(), { headers: { "x-method": request.method } });
      case "/through":
        return new Response(request.body);
      case "/headers":
        return Response.json({ cookie: request.headers.get("cookie"), host: request.headers.get("host") === server.url.host, own: request.headers.get("x-own") });
      case "/ip":
        return Response.json(typeof server.requestIP(request).port);
      case "/status":
        return new Response(null, { status: Number(search.slice(1)) });
      case "/stream":
        return new Response(
          new ReadableStream({
            async pull(controller) {
              this.count = (this.count ?? 0) + 1;
              await Bun.sleep(1);
              controller.enqueue(`piece ${this.count} `);
              if (this.count === 3) controller.close();
            },
          }),
        );
      case "/broken":
        return new Response(
          new ReadableStream({
            pull(controller) {
              if (this.begun) controller.error(new Error("not for the client"));
              else controller.enqueue("begun");
              this.begun = true;
            },
          }),
        );
      case "/large":
        return new Response("x".repeat(5_000_000));
      case "/part":
        return new Response(Bun.file(file).slice(5, 15));
      case "/upgrade":
        return new Response(String(server.upgrade(request)));
      case "/throw":
        throw new Error("thrown");
      case "/hang":
        request.signal.addEventListener("abort", () => aborted++);
        await new Promise((done) => request.signal.addEventListener("abort", done));
        return new Response("late");
      case "/aborted":
        return new Response(String(aborted));
      default:
        return new Response("nobody", { status: 404 });
    }
  },
  error: (error) => new Response(`error: ${error.message}`, { status: 500 }),
});
const ask = (path, init) => fetch(server.url.origin + path, { ...h3, ...init });
const text = async (path, init) => {
  const response = await ask(path, init);
  return [response.status, await response.text()];
};

show(await text("/static"), await text("/static", { headers: { "if-none-match": '"v1"' } }));
show(await text("/users/a%20b"), await text("/only", { method: "POST" }), await text("/only"));
show((await text("/file"))[1].length, await text("/part"));
show(await text("/echo", { method: "POST", body: "a body" }), (await ask("/echo", { method: "PUT", body: "" })).headers.get("x-method"));
show((await text("/echo", { method: "POST", body: "y".repeat(2_900_000) }))[1].length);
show((await text("/through", { method: "POST", body: new Blob(["z".repeat(100_000)]).stream() }))[1].length);
show(await text("/headers", { headers: { cookie: "a=1; b=2", "x-own": "ÿ" } }));
show(await text("/ip"), await text("/status?204"), await text("/status?599"), await text("/nothing"));
show(await text("/stream"), (await text("/large"))[1].length);
const head = await ask("/large", { method: "HEAD" });
show(head.headers.get("content-length"), (await head.text()).length);
show((await ask("/cookies")).headers.getSetCookie(), await text("/upgrade"), await text("/throw"));

// A body that is too large, with its length and without.
show(await text("/echo", { method: "POST", body: "y".repeat(3_000_001) }));
const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100_000)) });
show(await text("/echo", { method: "POST", body: endless }).catch((error) => error.name));

// A stream that fails is no whole body.
show(await text("/broken").catch((error) => error.name));

// Whoever goes away is not waited for.
const controller = new AbortController();
const hanging = ask("/hang", { signal: controller.signal });
setTimeout(() => controller.abort(), 50);
show(await hanging.catch((error) => error.name));
for (let i = 0; i < 100 && aborted === 0; i++) await Bun.sleep(5);
show(await text("/aborted"));

// Many at once.
const all = await Promise.all(Array.from({ length: 500 }, (_, i) => text(`/users/${i}`)));
show(all.every(([status, body], i) => status === 200 && body === `user ${i}`));

// The others hear of it.
for (const path of ["/static", "/users/1", "/file", "/stream"])
  show((await fetch(server.url.origin + path, { tls: h3.tls })).headers.get("alt-svc") === `h3=":${server.port}"; ma=86400`);

// What has begun is finished.
const last = ask("/stream");
await Bun.sleep(20);
const stopped = server.stop();
show(await (await last).text());
await stopped;
show(server.address, await ask("/static", { signal: AbortSignal.timeout(1000) }).then(() => "answered", () => "gone"));

// What cannot be.
for (const options of [{ http3: true }, { http1: false, tls }, { http1: false, http3: true }]) {
  try {
    Bun.serve({ port: 0, fetch: () => new Response(""), ...options });
  } catch (error) {
    show(error.name, error.code, error.message);
  }
}
rmSync(folder, { recursive: true });
process.exit(0);

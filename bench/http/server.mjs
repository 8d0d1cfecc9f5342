// The servers that bench.py measures: server.mjs CASE PORT. Bun.serve, or node:http for the cases that begin with "node-".
const [, , name, port] = process.argv;
const listen = { port: Number(port), hostname: "127.0.0.1", development: false };
const user = { id: 1, name: "Ada Lovelace", roles: ["admin", "author"], active: true };
const file = process.env.BENCH_FILE;

const servers = {
  hello: () => Bun.serve({ ...listen, fetch: () => new Response("Hello World!") }),
  async: () => Bun.serve({ ...listen, async fetch() { await null; return new Response("Hello World!"); } }),
  routes: () => Bun.serve({
    ...listen,
    routes: { "/": (request) => Response.json(user), "/users/:id": (request) => Response.json({ ...user, id: request.params.id }) },
    fetch: () => new Response("none", { status: 404 }),
  }),
  static: () => Bun.serve({ ...listen, routes: { "/": new Response("Hello World!") }, fetch: () => new Response("none", { status: 404 }) }),
  file: () => Bun.serve({ ...listen, fetch: () => new Response(Bun.file(file)) }),
  post: () => Bun.serve({ ...listen, async fetch(request) { return new Response(String((await request.text()).length)); } }),
  headers: () => Bun.serve({
    ...listen,
    fetch: (request) => new Response(new URL(request.url).pathname, { headers: { "x-host": request.headers.get("host"), "cache-control": "no-store" } }),
  }),
  stream: () => Bun.serve({
    ...listen,
    fetch: () => new Response(new ReadableStream({ async pull(controller) { controller.enqueue("chunk"); await null; controller.close(); } })),
  }),
  ws: () => Bun.serve({
    ...listen,
    fetch: (request, server) => (server.upgrade(request) ? undefined : new Response("none")),
    websocket: { message: (socket, message) => void socket.send(message) },
  }),
  "node-express4": () => express("express4"),
  "node-express5": () => express("express5"),
  "node-express5-text": () => express("express5", "Hello World!"),
  "node-hello": async () => (await import("node:http")).createServer((request, response) => response.end("Hello World!")).listen(listen.port, listen.hostname),
};

async function express(version, text) {
  const { createRequire } = await import("node:module");
  const app = createRequire(`${process.env.BENCH_PACKAGES}/package.json`)(version)();
  app.get("/", (request, response) => (text === undefined ? response.json(user) : response.send(text)));
  app.listen(listen.port, listen.hostname);
}

await servers[name]();

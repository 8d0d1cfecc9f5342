// Slashes at the front of a path are one, for `request.url` and for routes: `${server.url}/path` has two. An app whose `routes` is a
// list, as Hono's is, is served by its `fetch`.
const server = Bun.serve({
  port: 0,
  routes: { "/fixed": new Response("fixed"), "/called": () => new Response("called"), "/one/:name": ({ params }) => new Response(params.name) },
  fetch: (request) => new Response(`fetch ${new URL(request.url).pathname}`),
});
for (const path of ["/fixed", "//fixed", "///called", "//one/two", "/one//two", "//other", "//", "/fixed/", "//a//b?c=//d"]) {
  console.log(path, "->", await (await fetch(server.url.origin + path)).text());
}
await server.stop(true);

const app = { port: 0, routes: [{ path: "/", method: "GET" }], fetch: () => new Response("app") };
const other = Bun.serve(app);
console.log(await (await fetch(other.url)).text());
await other.stop(true);

// A route that is `false`: its requests go to `fetch`, whatever wider routes there are. Recorded from Bun.
const routes = [
  { "/*": () => new Response("star"), "/api/*": false },
  { "/*": new Response("star"), "/api/*": false },
  { "/*": { GET: () => new Response("starget") }, "/api/*": false },
  { "/*": () => new Response("star"), "/api/*": false, "/api/:id": () => new Response("id") },
  { "/*": () => new Response("star"), "/api/:id": false },
  { "/*": () => new Response("star"), "/api/x": false },
  { "/*": () => new Response("star"), "/api/*": false, "/:a/y": () => new Response("ay") },
  { "/*": () => new Response("star"), "/:a/*": () => new Response("astar"), "/api/x": false },
  { "/*": () => new Response("star"), "/:a/:b": () => new Response("ab"), "/api/*": false },
  { "/*": () => new Response("star"), "/:a/:b": () => new Response("ab"), "/api/*": () => new Response("api") },
  { "/*": () => new Response("star"), "/api/x": {POST: () => new Response("post")} , "/api/*": false},
];
for (const r of routes) {
  const server = Bun.serve({ port: 0, routes: r, fetch: () => new Response("fetch") });
  const out = [];
  for (const p of ["/", "/api", "/api/", "/api/x", "/api/y", "/api/x/z", "/b/x"]) for (const m of ["GET", "POST"]) {
    out.push(`${m[0]}${p}=${await (await fetch(new URL(p, server.url), { method: m })).text()}`);
  }
  console.log(out.join(" "));
  server.stop(true);
}

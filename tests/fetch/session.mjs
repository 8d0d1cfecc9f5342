// expected: recorded from bun 1.4.5
// Bun.FetchSession: requests of one session share connections with each other alone; its options are theirs.
const ports = [];
const server = Bun.serve({
  port: 0,
  fetch(request, server) {
    ports.push(server.requestIP(request).port);
    if (request.url.endsWith("/redirect")) return Response.redirect("/done");
    return new Response(new URL(request.url).pathname);
  },
});
const at = (path) => new URL(path, server.url).href;
const text = async (promise) => (await promise).text();
/** Ports as numbers from 0 in the order in which they came. */
const connections = () => {
  const seen = [...new Set(ports)];
  return ports
    .splice(0)
    .map((port) => seen.indexOf(port))
    .join(" ");
};
const fails = async (f) => {
  try {
    console.log(await f());
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
};

const session = new Bun.FetchSession();
console.log(await text(session.fetch(at("/a"))), await text(session.fetch(at("/redirect"))), connections());
const { fetch: bound } = session;
console.log(
  await text(bound(at("/b"), { method: "POST", body: "x" })),
  await text(fetch(at("/c"), { session })),
  connections(),
);
await text(fetch(at("/plain")));
await text(fetch(at("/mine"), { session }));
await text(new Bun.FetchSession().fetch(at("/other")));
console.log(connections());
session.close();
await text(session.fetch(at("/after")));
await text(session.fetch(at("/again")));
console.log("closed", connections());
session.close();
session[Symbol.dispose]();
await fails(() => Bun.FetchSession());
await fails(() => new Bun.FetchSession(5));
await fails(() => new Bun.FetchSession({ proxy: "x" }));
await fails(() => fetch(at("/"), { session: 5 }));
await fails(() => fetch(at("/"), { session: {} }));
await fails(() => text(fetch(at("/none"), { session: null })));
await fails(() => session.fetch());
await fails(() => Bun.FetchSession.prototype.fetch);
console.log(Object.prototype.toString.call(session), Bun.FetchSession.length);
// A proxy that never answers would hang: this one answers for every host.
const proxy = Bun.serve({ port: 0, fetch: (request) => new Response(`proxied ${request.url}`) });
const through = new Bun.FetchSession({ proxy: proxy.url.href });
console.log(await text(through.fetch("http://example.invalid/x")));
console.log((await text(through.fetch(at("/own"), { proxy: "" }))).replace(server.url.host, "HOST"));
server.stop(true);
proxy.stop(true);

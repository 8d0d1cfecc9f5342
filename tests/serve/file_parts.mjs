// Parts of files that a program chose: a slice is all of a route and a part from a handler, Content-Range switches ranges off, and
// Last-Modified of a route's response counts. The output is Bun's.
import { unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

const path = `${tmpdir()}/bao-parts-${process.pid}.txt`;
writeFileSync(path, "0123456789ABCDEF");
const file = () => Bun.file(path);
const range = { headers: { "Content-Range": "bytes 0-15/100" } };
const routes = {
  "/route/slice": new Response(file().slice(5, 10)),
  "/route/all": new Response(file()),
  "/route/changed": new Response(file(), { headers: { "Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT" } }),
  "/route/range": new Response(file(), range),
  "/slice": () => new Response(file().slice(5, 10)),
  "/first": () => new Response(file().slice(0, 10)),
  "/rest": () => new Response(file().slice(5)),
  "/all": () => new Response(file()),
  "/range": () => new Response(file(), range),
  "/range/slice": () => new Response(file().slice(5, 10), range),
};
const server = Bun.serve({ port: 0, routes, fetch: () => new Response("no") });
for (const path of Object.keys(routes)) {
  for (const headers of [{}, { Range: "bytes=2-4" }, ...(path === "/route/changed" ? [{ "If-Modified-Since": "Thu, 22 Oct 2015 07:28:00 GMT" }, { "If-Modified-Since": "Tue, 20 Oct 2015 07:28:00 GMT" }] : [])]) {
    const response = await fetch(new URL(path, server.url), { headers });
    const said = ["content-range", "content-length", "accept-ranges"].map((name) => response.headers.get(name));
    if (path === "/route/changed") said.push(response.headers.get("last-modified"));
    console.log(path, JSON.stringify(headers), response.status, ...said, JSON.stringify(await response.text()));
  }
}
await server.stop(true);
unlinkSync(path);

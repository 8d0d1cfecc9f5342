// expected: recorded from bun 1.4.5
// Pages of Bun.serve that are built once: what they answer, how long browsers may keep it, which routes win.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "page-routes-")));
process.chdir(root);
for (const [path, text] of Object.entries({
  "index.html": `<!doctype html><html><head><link rel="stylesheet" href="./a.css"><script src="./main.tsx"></script></head><body><img src="./i.svg"></body></html>`,
  "other.html": `<!doctype html><html><head><link rel="stylesheet" href="./a.css"><script src="./other.ts"></script></head></html>`,
  "a.css": "body { color: red; }",
  "main.tsx": "console.log('main', process.env.NODE_ENV)",
  "other.ts": "console.log('other' as string)",
  "bad.html": "<script src='./bad.ts'></script>",
  "bad.ts": "let x = ;",
  "i.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
})) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const masked = (text) => text.replace(/-[a-z0-9]{8}(?=\.[a-z0-9]+)/g, "-HASH");
const { default: index } = await import(join(root, "index.html"));
const { default: other } = await import(join(root, "other.html"));
const { default: bad } = await import(join(root, "bad.html"));
console.log(index.index === join(root, "index.html"), Bun.inspect(index).replaceAll(root, "ROOT"));

for (const development of [false, { hmr: false }]) {
  console.log("---", JSON.stringify(development));
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development,
    routes: {
      "/": index,
      "/app/*": index,
      "/other": other,
      "/api/:name": ({ params }) => new Response(params.name),
      "/app/api": false,
      "/methods": { GET: other, POST: () => new Response("posted") },
    },
    fetch: ({ url }) => new Response(`fetch ${new URL(url).pathname}`, { status: 404 }),
  });
  const get = (path, init) => fetch(new URL(path, server.url), init);
  const show = async (path, init) => {
    const response = await get(path, init);
    const { status, headers } = response;
    const kept = ["content-type", "cache-control"].map((name) => headers.get(name)?.toLowerCase());
    console.log(masked(path), status, ...kept, headers.has("etag"), masked(await response.text()).trim().slice(0, 300));
    return response;
  };
  const first = await get("/");
  const html = await first.text();
  console.log(masked(html).trimEnd());
  for (const [, place] of html.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
    const response = await get(place);
    console.log(masked(place), response.status, response.headers.get("content-type"), response.headers.get("cache-control"));
    const again = await get(place, { headers: { "if-none-match": response.headers.get("etag") } });
    console.log(again.status, (await again.text()).length);
  }
  if (!development) console.log((await get("/", { headers: { "if-none-match": first.headers.get("etag") } })).status);
  await show("/app/some/where");
  await show("/app/api");
  await show("/api/x");
  await show("/methods", { method: "POST" });
  console.log((await (await get("/methods")).text()) === (await (await get("/other")).text()));
  await show("/nowhere");
  console.log((await get("/", { method: "HEAD" })).status);
  const sheet = (text) => /href="(\/[^"]+\.css)"/.exec(text)[1];
  console.log(sheet(html) === sheet(await (await get("/other")).text()));
}

// A page that cannot be built; the other routes go on.
const error = console.error;
console.error = () => {};
await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, routes: { "/": bad, "/ok": new Response("ok") } });
console.error = error;
console.log((await fetch(server.url)).status, await (await fetch(new URL("/ok", server.url))).text());
rmSync(root, { recursive: true });

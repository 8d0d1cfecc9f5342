// Directories and files as routes: what is there, what is not, links, redirects, conditions and ranges. As Bun 1.4.5, but for the letters
// of entity tags, which change with every millisecond.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";

const root = mkdtempSync(`${tmpdir()}/bao-directories-`);
const pub = `${root}/pub`;
mkdirSync(`${pub}/sub/empty`, { recursive: true });
writeFileSync(`${root}/secret.txt`, "outside");
writeFileSync(`${pub}/index.html`, "<h1>top</h1>");
writeFileSync(`${pub}/sub/index.html`, "<h1>sub</h1>");
writeFileSync(`${pub}/a b+c.txt`, "spaces");
writeFileSync(`${pub}/data.bin`, "0123456789".repeat(30_000));
writeFileSync(`${pub}/app.js`, "let x = 1;");
symlinkSync("app.js", `${pub}/near.js`);
symlinkSync("/app.js", `${pub}/absolute.js`);
symlinkSync("../secret.txt", `${pub}/out.txt`);
symlinkSync(`${root}/secret.txt`, `${pub}/away.txt`);
const then = new Date("2024-05-06T07:08:09.500Z");
for (const name of ["index.html", "sub/index.html", "a b+c.txt", "app.js", "data.bin"]) utimesSync(`${pub}/${name}`, then, then);

const server = Bun.serve({
  port: 0, hostname: "127.0.0.1", development: false,
  routes: {
    "/s/*": { dir: pub, statCache: true },
    "/s/own": new Response("a route of its own"),
    "/file": Bun.file(`${pub}/app.js`),
    "/gone": Bun.file(`${root}/gone`),
  },
  fetch: () => new Response("handler", { status: 299 }),
});

/** One request as it is: clients tidy paths up. */
const ask = (path, headers = {}, method = "GET") => new Promise((done) => {
  const socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1").on("data", (data) => text += data).on("end", () => {
    const [head, ...body] = text.split("\r\n\r\n");
    const lines = head.split("\r\n").slice(1).filter((line) => !/^(date|connection)/i.test(line)).map((line) => line.toLowerCase().replace(/"[^"]+"/, "TAG"));
    const content = body.join("\r\n\r\n");
    done([head.slice(9, 12), content.length > 30 ? content.length : content, lines.sort().join(", ")]);
  });
  socket.end(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${Object.entries(headers).map(([k, v]) => `${k}: ${v}\r\n`).join("")}\r\n`);
});

for (const path of ["/s/", "/s", "/s/own", "/s/app.js", "/s/app.js?v=1", "/s/app.js/", "/s/sub", "/s/sub?q=1", "/s/sub/", "/s/sub/empty/", "/s/nothing",
  "/s/a%20b+c.txt", "/s/a%20b%2Bc.txt", "/s/%61pp.js", "/s/near.js", "/s/absolute.js", "/s/out.txt", "/s/away.txt", "/s/../secret.txt", "/s/%2e%2e/secret.txt",
  "/s/..%2fsecret.txt", "/s//app.js", "/s/./app.js", "/s/%00", "/s/%ff", "/s/%zz", "/file", "/gone"]) {
  console.log(path, ...await ask(path));
}
const tag = (await fetch(new URL("/s/app.js", server.url))).headers.get("etag");
const date = "Mon, 06 May 2024 07:08:09 GMT";
const early = "Mon, 06 May 2024 07:08:08 GMT";
for (const path of ["/s/app.js", "/file"]) {
  for (const headers of [{ "If-None-Match": tag }, { "if-none-match": '"other", *' }, { "If-None-Match": '"other"', "If-Modified-Since": date }, { "If-Modified-Since": date },
    { "If-Modified-Since": early }, { "If-Match": tag }, { "If-Match": "*" }, { "If-Unmodified-Since": date }, { "If-Unmodified-Since": early },
    { Range: "bytes=4-6" }, { Range: "bytes=-3" }, { Range: "bytes=100-" }, { Range: "bytes=0-1,3-4" }, { Range: "bytes=4-6", "If-Range": date },
    { Range: "bytes=4-6", "If-Range": early }, { Range: "bytes=4-6", "If-Range": tag }]) {
    console.log(path, JSON.stringify(headers).replace(tag.replaceAll('"', '\\"'), "TAG"), ...await ask(path, headers));
  }
}
console.log("HEAD", ...await ask("/s/app.js", {}, "HEAD"));
console.log("POST", ...await ask("/s/app.js", {}, "POST"));
console.log("large", (await ask("/s/data.bin"))[1], (await ask("/s/data.bin", { Range: "bytes=100000-299998" }))[1]);
for (const routes of [{ "/x": { dir: pub } }, { "/x/*": { dir: 3 } }, { "/x/:a/*": { dir: pub } }, { "/x/*": { dir: `${root}/none` } }]) {
  try {
    Bun.serve({ port: 0, routes }).stop(true);
    console.log("accepted");
  } catch (error) {
    console.log(error.name, error.message.replace(root, "").replace("opendir", "open"));
  }
}
await server.stop(true);
rmSync(root, { recursive: true });

// expected: recorded from bun 1.4.5
// Pages as entry points: what they refer to is bundled or copied, and what they say besides stays.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "pages-")));
process.chdir(root);
let count = 0;

const masked = (text) => text.replace(/-[a-z0-9]{8}(?=\.[a-z0-9]+)/g, "-HASH").replaceAll(root, "ROOT");

async function show(name, map, options = {}, entries = ["index.html"]) {
  const folder = join(root, `case${count++}`);
  for (const [path, text] of Object.entries(map)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  process.chdir(folder);
  console.log(`--- ${name}`);
  const result = await Bun.build({
    entrypoints: entries.map((entry) => join(folder, entry)),
    outdir: join(folder, "out"),
    throw: false,
    ...options,
  });
  for (const log of result.logs) console.log(`${log.level}: ${log.message}`);
  const outputs = result.outputs.map(({ kind, path, loader }) => `${kind} ${masked(path.slice(folder.length + 5))} ${loader}`);
  console.log(outputs.sort().join("\n"));
  for (const { path } of result.outputs) if (path.endsWith(".html")) console.log(masked(readFileSync(path, "utf8")).trimEnd());
  // Every file that a page refers to is there.
  for (const { path } of result.outputs) {
    if (!path.endsWith(".html")) continue;
    for (const [, place] of readFileSync(path, "utf8").matchAll(/(?:src|href)="(\.[^"]+-[a-z0-9]{8}\.[a-z0-9]+)"/g))
      readFileSync(join(dirname(path), place));
  }
  return { folder, ...result };
}

const page = `<!DOCTYPE html>
<html>
  <head>
    <title>x</title>
    <link rel="icon" href="./icon.svg">
    <link rel="manifest" href="./m.webmanifest">
    <link rel="stylesheet" href="./a.css">
    <link rel="preload" href="./font.woff2" as="font">
    <link rel="canonical" href="./canon">
    <meta property="og:image" content="./og.png">
    <script>console.log("inline")</script>
    <script type="module">import "./a.ts"; console.log("inline module")</script>
    <script src="./a.ts" defer async></script>
    <script src="https://example.com/x.js"></script>
    <style>body { background: url(./bg.png) }</style>
  </head>
  <body>
    <img src="./i.svg" srcset="./j.svg">
    <picture><source srcset="i.svg"><img src="/i.svg" alt="a"></picture>
    <video src="v.mp4" poster="./i.svg"></video>
    <object data="./i.svg"></object>
    <a href="./other.html">o</a>
    <script src="./b.js"></script>
  </body>
</html>
`;
const assets = Object.fromEntries(
  ["icon.svg", "m.webmanifest", "font.woff2", "i.svg", "j.svg", "v.mp4"].map((name) => [name, `the text of ${name}`]),
);

const { outputs, folder } = await show("everything", {
  ...assets,
  "index.html": page,
  "a.css": "@import './b.css'; .a { color: red }",
  "b.css": ".b { color: blue }",
  "c.css": ".c { color: green }",
  "a.ts": "import './c.css'; export const a: string = 'of a'; console.log(a)",
  "b.js": "import { a } from './a.ts'; console.log('of b', a); if (import.meta.hot) import.meta.hot.accept();",
});
const script = outputs.find(({ path }) => path.endsWith(".js"));
const sheet = outputs.find(({ path }) => path.endsWith(".css"));
await import(script.path);
console.log((await sheet.text()).match(/\.[abc]\b/g).join(" "));
console.log((await script.text()).includes("hot"), folder !== undefined);

await show(
  "folders and several pages",
  {
    "index.html": "<head><script src=./main.ts></script></head><a href=./sub/page.html>",
    "sub/page.html": "<body><script src=../main.ts></script><img src='../i.svg'></body>",
    "main.ts": "console.log('main')",
    "i.svg": "image",
  },
  { naming: { asset: "files/[name]-[hash].[ext]" } },
  ["index.html", "sub/page.html"],
);

await show(
  "publicPath",
  { "index.html": "<head></head><script src=main.js></script><img src=i.svg>", "main.js": "1;f()", "i.svg": "i" },
  { publicPath: "https://cdn.example.com/x/" },
);

await show("fragments", { "index.html": "<p>text", "two.html": "<div id=a>" }, {}, ["index.html", "two.html"]);

await show("packages", {
  "index.html": "<head><link rel=stylesheet href='pkg/style.css'><script src='pkg'></script></head>",
  "node_modules/pkg/package.json": '{"name":"pkg","main":"main.js"}',
  "node_modules/pkg/main.js": "console.log('pkg')",
  "node_modules/pkg/style.css": ".pkg { color: red }",
});

await show("what is not there", { "index.html": "<head><script src='./no.js'></script></head>" });

rmSync(root, { recursive: true });

// expected: written by hand; Bun 1.4.5 has the same routes and words, but calls itself Bun.
// `bao ./index.html ...`: the routes of files, patterns, ports, mistakes on the command line.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "pages-command-")));
for (const [path, text] of Object.entries({
  "index.html": "<!doctype html><html><head><title>index</title><script type=module src=./a.ts></script></head></html>",
  "about.html": "<!doctype html><html><head><title>about</title></head></html>",
  "docs/index.html": "<!doctype html><html><head><title>docs</title></head></html>",
  "docs/more/one.html": "<!doctype html><html><head><title>one</title></head></html>",
  "a.ts": "console.log('a' as string)",
})) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const masked = (text, port) => text.replaceAll(root, "ROOT").replaceAll(String(port), "PORT").replace(/[\d.]+ ms/, "N ms").replace(/v\d+\.\d+\.\d+/, "vN").trim();

async function serve(words, paths, env = {}) {
  console.log(`--- ${words.join(" ")} ${JSON.stringify(env).replace(/[0-9]{5,}/, "PORT")}`);
  const child = spawn(process.execPath, words, { cwd: root, env: { ...process.env, NODE_ENV: "", ...env } });
  let out = "";
  child.stderr.on("data", (data) => process.stdout.write(data));
  const url = await new Promise((resolve) => {
    child.stdout.on("data", (data) => {
      out += data;
      const found = /url: (http:\/\/\S+:(\d+))/.exec(out);
      if (found !== null && out.endsWith("\n")) setTimeout(() => resolve(found), 50);
    });
  });
  console.log(masked(out, url[2]));
  for (const path of paths) {
    const response = await fetch(new URL(path, url[1]));
    console.log(path, response.status, /<title>(.*)<\/title>/.exec(await response.text())?.[1]);
  }
  child.kill();
  await new Promise((resolve) => child.once("exit", resolve));
  return Number(url[2]);
}

await serve(["./index.html", "--port=0"], ["/", "/any/path"]);
await serve(["./index.html", "./about.html", "--port=0"], ["/", "/about", "/nowhere"]);
await serve(["./**/*.html", "--port", "0", "--host=127.0.0.1"], ["/", "/about", "/docs", "/docs/more/one"], { NODE_ENV: "production" });
await serve(["docs/index.html", "docs/more/one.html", "--port=0"], ["/", "/more/one"]);

// A port that is taken.
const taken = createServer().listen(0, "localhost");
await new Promise((resolve) => taken.once("listening", resolve));
const { port } = taken.address();
const { status, stderr } = spawnSync(process.execPath, ["./index.html", `--port=${port}`], { cwd: root, encoding: "utf8" });
console.log(status, masked(stderr, port));
console.log((await serve(["./index.html"], ["/"], { PORT: String(port) })) > port);
taken.close();

for (const words of [["no.html"], ["./index.html", "--prot=1"], ["./index.html", "--port=x"], ["./index.html", "a.ts"], ["./*.none.html"]]) {
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
  console.log(words.join(" "), status, masked(stderr));
}
rmSync(root, { recursive: true });

// expected: written by hand
// [serve.static] of bunfig.toml: what pages of Bun.serve are built with, and how mistakes are told.
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "serve-settings-")));
const write = (name, text) => writeFileSync(join(root, name), text);
write("index.html", "<script type=module src=./main.js></script>");
write("main.js", "console.log(VERSION, process.env.PUBLIC_A, process.env.SECRET_A, 'a loaded ' + LOADED);");
write("plugin.ts", `
export default {
  name: "a",
  setup(build: any) {
    build.onLoad({ filter: /main\\.js$/ }, async ({ path }: any) => ({ contents: (await Bun.file(path).text()).replace("LOADED", "'by a'"), loader: "js" }));
  },
};`);
write("server.ts", `
import page from "./index.html";
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", development: process.argv[2] === "dev", routes: { "/": page } });
const get = async (path: string) => (await fetch(new URL(path, server.url))).text();
try {
  const src = /src="([^"]+)"/.exec(await get("/"))?.[1];
  console.log(src?.replace(/[a-z0-9]{8,}/, "HASH"));
  const text = src === undefined ? "" : await get(src.replace("/cdn", ""));
  for (const part of ["1.0", "public", "secret", "by a"]) if (text.includes(part)) console.log(part);
} finally {
  await server.stop(true);
}`);

function run(settings, words = ["server.ts"]) {
  write("bunfig.toml", settings);
  const env = { ...process.env, NO_COLOR: "1", PUBLIC_A: "public", SECRET_A: "secret" };
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8", env });
  console.log(stdout.replace(/^Bundled.*\n/gm, "").trim());
  const mistake = /bunfig\.toml:\d.*/.exec(stderr);
  if (mistake !== null) console.log(mistake[0]);
}

const ALL = `[serve.static]
plugins = ["./plugin.ts"]
env = "PUBLIC_*"
define = { VERSION = "\\"1.0\\"" }
`;
run(`${ALL}minify = { syntax = true }\npublicPath = "/cdn/"\n`);
run(ALL, ["server.ts", "dev"]);
write("other.toml", ALL);
run("", ["--config=other.toml", "server.ts"]);
for (const mistake of ["minify = 1", "plugins = [2]", "hmr = false", "other = 1", "define = { A = 1 }"]) run(`[serve.static]\n${mistake}\n`);
rmSync(root, { recursive: true });

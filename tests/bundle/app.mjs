// expected: recorded from bun 1.4.5 (BUN_FEATURE_FLAG_EXPERIMENTAL_BAKE=1)
// The option `app` of Bun.serve: routes out of files, server components, and what happens when files change.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "app-")));
process.chdir(root);

const write = (map) => {
  for (const [path, text] of Object.entries(map)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
};

write({
  "server.ts": `
    export function render(request: Request, meta: any) {
      return meta.pageModule.default(request, meta);
    }
    export function registerClientReference(value: unknown, file: string, name: string) {
      return { value, file, name };
    }
  `,
  "client.ts": `console.log("client");`,
  "state.ts": `export let count = 0; export const next = () => ++count;`,
  "routes/index.ts": `
    import { count, next } from "../state";
    import process from "process";
    export default () => (next(), new Response("count " + count + " " + typeof process.cwd));
  `,
  "routes/user/[name].ts": `
    export default (request, { params, modules, styles, layouts }) =>
      Response.json({ params, scripts: modules.length, styles: styles.length, layouts: layouts.length, file: import.meta.file });
  `,
  "routes/user/me.ts": `export default () => new Response("static before parameters");`,
  "routes/docs/[...path].ts": `export default (request, { params }) => Response.json(params);`,
  "routes/common.ts": `
    const { join } = require("node:path");
    const old = require("../old.cjs");
    export default () => Response.json([join("a", "b"), old.name, old.file]);
  `,
  "old.cjs": `exports.name = "old"; exports.file = require("path").basename(__filename);`,
  "routes/component.ts": `
    import Button, { label } from "../Button";
    export default () => Response.json([Button, label].map(({ value, name }) => [typeof value, name]));
  `,
  "Button.ts": `
    "use client";
    export default function Button() {}
    export const label = "a label";
  `,
});

const framework = {
  fileSystemRouterTypes: [
    { root: "routes", style: "nextjs-pages", serverEntryPoint: "./server.ts", clientEntryPoint: "./client.ts" },
  ],
  serverComponents: {
    separateSSRGraph: false,
    serverRuntimeImportSource: join(root, "server.ts"),
    serverRegisterClientReferenceExport: "registerClientReference",
  },
};
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: true,
  app: { framework },
  routes: { "/route": new Response("a route") },
});
const written = process.stdout.write;
// What the server says of its builds has times in it.
process.stdout.write = () => true;
const log = [];
const get = async (path) => {
  const response = await fetch(new URL(path, server.url));
  return `${response.status} ${response.headers.get("content-type")?.split(";")[0]} ${await response.text()}`;
};
const show = async (path) => log.push(`${path}: ${await get(path)}`);
const until = async (path, text) => {
  for (let i = 0; i < 400; i++) {
    const found = await get(path);
    if (found.includes(text)) return log.push(`${path}: ${found}`);
    await Bun.sleep(25);
  }
  log.push(`${path}: never "${text}", but ${await get(path)}`);
};

for (const path of ["/", "/", "/user/ann", "/user/me", "/docs/a/b", "/common", "/component", "/route"]) await show(path);
log.push(`nothing: ${(await fetch(new URL("/none/at/all", server.url))).status}`);

write({ "state.ts": `export let count = 0; export const next = () => --count;` });
await until("/", "count -");
write({ "old.cjs": `exports.name = "new"; exports.file = require("path").basename(__filename);` });
await until("/common", "new");
write({ "state.ts": `export let count = ;` });
await until("/", "500");
write({ "state.ts": `export let count = 10; export const next = () => ++count;` });
await until("/", "count 11");

// Another app in place of the first; one with a mistake changes nothing.
write({ "others/index.ts": `import { next } from "../state"; export default () => new Response("the other app " + next());` });
const [pages] = framework.fileSystemRouterTypes;
try {
  server.reload({ app: { framework: "none" } });
} catch (error) {
  log.push(error.message);
}
await until("/", "count 12");
server.reload({ app: { framework: { ...framework, fileSystemRouterTypes: [{ ...pages, root: "others" }] } } });
await until("/", "the other app");
log.push(`gone: ${(await fetch(new URL("/user/ann", server.url))).status}`);
server.reload({ routes: {} });
await until("/", "the other app");

server.stop(true);
rmSync(root, { recursive: true });
process.stdout.write = written;
process.stdout.write(`${log.map((line) => line.replace(/500 text\/html .*/s, "500")).join("\n")}\n`);
process.exit();

// expected: recorded from bun 1.4.5 (BUN_FEATURE_FLAG_EXPERIMENTAL_BAKE=1), which does not serve the folder of `staticRouters`
// The option `app` of Bun.serve with a graph of its own for components: manifests, conditions, layouts, plugins, files, sheets.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "components-")));
process.chdir(root);
for (const [path, text] of Object.entries({
  "node_modules/kind/package.json": '{ "name": "kind", "exports": { "react-server": "./server.js", "default": "./other.js" } }',
  "node_modules/kind/server.js": 'export default "react-server";',
  "node_modules/kind/other.js": 'export default "default";',
  "runtime.ts": "export const registerClientReference = (value, file, name) => ({ called: typeof value, file, name });",
  "server.ts": `
    import { serverManifest, ssrManifest } from "bun:bake/server";
    import * as ssr from "./ssr.ts" with { bunBakeGraph: "ssr" };
    export async function render(request, meta) {
      const body = await meta.pageModule.default({ serverManifest, ssrManifest, ssr, meta });
      return Response.json(meta.layouts.reduce((inner, layout) => layout.default(inner), body));
    }
  `,
  "ssr.ts": 'import kind from "kind"; export { kind };',
  "client.ts": 'console.log("the entry point of the client");',
  "pages/index.tsx": `
    import Button, { label } from "../Button";
    import kind from "kind";
    import made from "made-up";
    import "./page.css";
    export default async ({ serverManifest, ssrManifest, ssr, meta }) => {
      const real = await import(ssrManifest["Button.tsx"].label.specifier);
      return { Button, label, kind, ssr: ssr.kind, made, real: real.label, entries: Object.keys(serverManifest).sort(), scripts: meta.modules.length, styles: meta.styles.length };
    };
  `,
  "pages/page.css": "body { color: red }",
  "pages/_layout.tsx": "export default (inner) => ({ root: inner });",
  "pages/deep/_layout.tsx": "export default (inner) => ({ deep: inner });",
  "pages/deep/[id].tsx": "export default ({ meta }) => meta.params;",
  "Button.tsx": '"use client";\\nimport kind from "kind";\\nexport const label = "label of " + kind;\\nexport default function Button() {}',
  "public/robots.txt": "nobody",
}).map(([path, text]) => [path, text.replaceAll("\\n", "\n")])) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const sides = [];
const plugin = {
  name: "made-up",
  setup(build) {
    build.onResolve({ filter: /^made-up$/ }, () => ({ path: "made-up", namespace: "made" }));
    build.onLoad({ filter: /.*/, namespace: "made" }, ({ side }) => {
      sides.push(side);
      return { contents: 'export default "made";', loader: "js" };
    });
  },
};
const framework = {
  fileSystemRouterTypes: [
    { root: "pages", style: "nextjs-pages", layouts: true, serverEntryPoint: "./server.ts", clientEntryPoint: "./client.ts", extensions: [".tsx"] },
  ],
  staticRouters: ["public"],
  serverComponents: { separateSSRGraph: true, serverRuntimeImportSource: "./runtime.ts", serverRegisterClientReferenceExport: "registerClientReference" },
};
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", development: true, app: { framework, plugins: [plugin] } });
const written = process.stdout.write;
process.stdout.write = () => true;
const log = [];
for (const path of ["/", "/deep/7", "/robots.txt"]) log.push(`${path}: ${await (await fetch(new URL(path, server.url))).text()}`);
log.push(`sides: ${sides}`);
const attempt = (app) => {
  try {
    Bun.serve({ port: 0, development: true, app }).stop(true);
    return "served";
  } catch (error) {
    return error.name;
  }
};
log.push([1, {}, { framework: {} }, { framework: { ...framework, fileSystemRouterTypes: [{ root: "pages" }] } }].map(attempt).join());
server.stop(true);
process.stdout.write = written;
process.stdout.write(`${log.join("\n")}\n`);
rmSync(root, { recursive: true });
process.exit();

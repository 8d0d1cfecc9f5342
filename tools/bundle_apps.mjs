// Bundles eight applications and runs them, those for browsers in Chromium: `bao tools/bundle_apps.mjs [--minify=no,yes] [--markdown]
// [--chromium PATH] [--keep] [NAME ...]`. Applications: three, react-admin, vue, svelte, solid, express, cli, typescript.
//
// Each is a small program over the packages of its framework, written here; their compilers (Vue, Svelte, Solid) are plugins. A page says
// in its `<output>` what it has seen after a click; a program's output is compared with what it prints unbundled. Bundles run in a
// folder without packages. The executable under test is the one that runs this file; packages come from the registry. Exit code 1 if
// something differs.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minify: { type: "string", default: "no,yes" },
    markdown: { type: "boolean", default: false },
    chromium: { type: "string", default: "chromium" },
    keep: { type: "boolean", default: false },
  },
});

const packages = {
  "@babel/core": "^7",
  "@babel/preset-typescript": "^7",
  "babel-preset-solid": "^1",
  "eslint": "^9",
  "express": "^5",
  "pinia": "^3",
  "ra-data-fakerest": "^5",
  "react": "^19",
  "react-admin": "^5",
  "react-dom": "^19",
  "solid-js": "^1",
  "svelte": "^5",
  "three": "*",
  "typescript": "^5",
  "vue": "^3",
  "vue-router": "^4",
};

/** Milliseconds that a page may take, of its own clock. */
const PAGE_TIME = 20_000;
/** Milliseconds that a program may take. */
const PROGRAM_TIME = 120_000;

/** The output of a page: `say(text)` ends the program of each. */
const page = (entry) => `<!doctype html><html><body><div id="app"></div><output></output>
<script>
  const say = (text) => { document.querySelector("output").textContent = "[" + text + "]"; };
  const until = async (test) => {
    for (let tries = 0; tries < 400; tries++) { const found = test(); if (found) return found; await new Promise((resolve) => setTimeout(resolve, 25)); }
    throw new Error("never there: " + test);
  };
  addEventListener("error", (event) => say("error: " + event.message));
  addEventListener("unhandledrejection", (event) => say("rejected: " + event.reason));
</script>
<script type="module" src="./${entry}"></script></body></html>`;

/** What the page does when it is there: a click, and what it shows before and after. */
const clicks = `
(async () => {
  const button = await until(() => document.querySelector("#app button"));
  const before = button.textContent.trim();
  button.click();
  await until(() => button.textContent.trim() !== before);
  say(before + " to " + button.textContent.trim() + extra());
})();
`;

const apps = {
  three: {
    browser: true,
    expected: /^triangles 12, lit true, revision \d+$/,
    files: {
      "main.js": `
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
const renderer = new THREE.WebGLRenderer({ preserveDrawingBuffer: true });
renderer.setSize(64, 64);
document.querySelector("#app").append(renderer.domElement);
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(50, 1, 0.1, 100);
camera.position.z = 3;
scene.add(new THREE.Mesh(new THREE.BoxGeometry(1.5, 1.5, 1.5), new THREE.MeshStandardMaterial({ color: 0xff0000 })), new THREE.AmbientLight(0xffffff, 3));
new OrbitControls(camera, renderer.domElement).update();
renderer.render(scene, camera);
const gl = renderer.getContext();
const pixel = new Uint8Array(4);
gl.readPixels(32, 32, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
say("triangles " + renderer.info.render.triangles + ", lit " + (pixel[0] > 100 && pixel[1] < 60) + ", revision " + THREE.REVISION);
`,
    },
  },
  "react-admin": {
    browser: true,
    expected: /^Posts, 2 rows, second: TitleA second post$/,
    files: {
      "main.tsx": `
import { createRoot } from "react-dom/client";
import { Admin, Resource, List, DataTable, Show, SimpleShowLayout, TextField } from "react-admin";
import fakeDataProvider from "ra-data-fakerest";
const data = fakeDataProvider({ posts: [{ id: 1, title: "A first post" }, { id: 2, title: "A second post" }] });
const PostList = () => <List><DataTable><DataTable.Col source="id" /><DataTable.Col source="title" /></DataTable></List>;
const PostShow = () => <Show><SimpleShowLayout><TextField source="title" className="shown" /></SimpleShowLayout></Show>;
createRoot(document.querySelector("#app")!).render(
  <Admin dataProvider={data} disableTelemetry><Resource name="posts" list={PostList} show={PostShow} /></Admin>,
);
declare const say: (text: string) => void, until: <T>(test: () => T) => Promise<NonNullable<T>>;
const rows = await until(() => { const found = document.querySelectorAll("tbody tr"); return found.length === 2 ? found : null; });
const heading = document.querySelector("#react-admin-title")?.textContent;
const count = rows.length;
(rows[1] as HTMLElement).querySelector("td:last-child")!.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const shown = await until(() => document.querySelector(".shown"));
say(heading + ", " + count + " rows, second: " + shown.textContent);
`,
    },
  },
  vue: {
    browser: true,
    expected: /^count 0 to count 1, route about, store 1$/,
    plugin: vuePlugin,
    files: {
      "App.vue": `<script setup lang="ts">
import { useCounter } from "./store";
const counter = useCounter();
const label = (value: number): string => \`count \${value}\`;
</script>
<template><button @click="counter.add()">{{ label(counter.count) }}</button><RouterView /></template>
`,
      "store.ts": `import { defineStore } from "pinia";
export const useCounter = defineStore("counter", { state: () => ({ count: 0 }), actions: { add() { this.count++; } } });
`,
      "main.ts": `
import { createApp, h } from "vue";
import { createPinia } from "pinia";
import { createMemoryHistory, createRouter } from "vue-router";
import App from "./App.vue";
import { useCounter } from "./store";
const router = createRouter({ history: createMemoryHistory(), routes: [{ path: "/", component: { render: () => h("p", "home") } }, { path: "/about", component: { render: () => h("p", "about") } }] });
createApp(App).use(createPinia()).use(router).mount("#app");
await router.push("/about");
const extra = () => ", route " + document.querySelector("#app p")!.textContent + ", store " + useCounter().count;
${clicks}`,
    },
  },
  svelte: {
    browser: true,
    expected: /^count 0 to count 1, double 2$/,
    plugin: sveltePlugin,
    files: {
      "App.svelte": `<script>
  let count = $state(0);
  let double = $derived(count * 2);
</script>
<button onclick={() => count++}>count {count}</button>
{#each [double] as value (value)}<p>{value}</p>{/each}
<style>button { color: red }</style>
`,
      "main.js": `
import { mount } from "svelte";
import App from "./App.svelte";
mount(App, { target: document.querySelector("#app") });
const extra = () => ", double " + document.querySelector("#app p").textContent;
${clicks}`,
    },
  },
  solid: {
    browser: true,
    expected: /^count 0 to count 1, double 2, list a b$/,
    plugin: solidPlugin,
    files: {
      "main.tsx": `
import { createMemo, createSignal, For } from "solid-js";
import { render } from "solid-js/web";
function App() {
  const [count, setCount] = createSignal<number>(0);
  const double = createMemo(() => count() * 2);
  return <><button onClick={() => setCount(count() + 1)}>count {count()}</button><p>{double()}</p><ul><For each={["a", "b"]}>{(name) => <li>{name}</li>}</For></ul></>;
}
render(() => <App />, document.querySelector("#app")!);
const extra = () => ", double " + document.querySelector("#app p")!.textContent + ", list " + [...document.querySelectorAll("#app li")].map((item) => item.textContent).join(" ");
${clicks}`,
    },
  },
  express: {
    files: {
      "main.js": `
import express from "express";
const app = express();
app.use(express.json());
app.get("/items/:id", (request, response) => response.json({ id: request.params.id, query: request.query }));
app.post("/items", (request, response) => response.status(201).set("x-made", "yes").send(request.body));
app.get("/fails", () => { throw Object.assign(new Error("not here"), { status: 418 }); });
app.use((error, request, response, next) => response.status(error.status).type("text").send(error.message));
const server = app.listen(0, "127.0.0.1", async () => {
  const base = "http://127.0.0.1:" + server.address().port;
  const show = async (path, options) => {
    const response = await fetch(base + path, options);
    console.log(path, response.status, response.headers.get("content-type"), response.headers.get("etag"), response.headers.get("x-made"), await response.text());
  };
  await show("/items/7?a=1&b=2&b=3");
  await show("/items", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ name: "ö" }) });
  await show("/items", { method: "POST", headers: { "content-type": "application/json" }, body: "{" });
  await show("/fails");
  await show("/nowhere");
  server.close();
});
`,
    },
  },
  cli: {
    // ESLint asks for it if a configuration is TypeScript.
    external: ["jiti"],
    files: {
      "main.js": `
import { transformSync } from "@babel/core";
import typescript from "@babel/preset-typescript";
import { Linter } from "eslint";
const source = "enum Level { Low, High }\\nlet unused: number = 1;\\nif (Level.Low == 0) { debugger }\\nexport const f = (x?: string) => x!.length;\\n";
const { code } = transformSync(source, { presets: [typescript], filename: "a.ts", configFile: false, babelrc: false });
console.log(code);
const messages = new Linter().verify(code, { rules: { "no-debugger": 2, "no-unused-vars": 1, eqeqeq: 2, "prefer-const": 1, "no-var": 2 }, languageOptions: { sourceType: "module" } });
for (const { ruleId, line, column, message, severity } of messages) console.log(line + ":" + column, severity, ruleId, message);
try { transformSync("let a = ;", { configFile: false, babelrc: false }); } catch (error) { console.log(error.name, error.code, error.message.split("\\n")[0]); }
`,
    },
  },
  typescript: {
    files: {
      "main.ts": `
import ts from "typescript";
const files: Record<string, string> = {
  "/a.ts": "interface Array<T> { length: number } interface Boolean {} interface Function {} interface IArguments {} interface Number {} interface Object {} interface RegExp {} interface String { length: number } interface CallableFunction {} interface NewableFunction {}\\nconst a: string = 1; export function f<T extends string>(x: T) { return x.lenght; }",
};
const host: ts.CompilerHost = {
  getSourceFile: (name, target) => files[name] === undefined ? undefined : ts.createSourceFile(name, files[name], target),
  getDefaultLibFileName: () => "/lib.d.ts", writeFile: (name, text) => console.log(name + "\\n" + text), getCurrentDirectory: () => "/",
  getCanonicalFileName: (name) => name, useCaseSensitiveFileNames: () => true, getNewLine: () => "\\n", fileExists: (name) => name in files, readFile: (name) => files[name],
};
const program = ts.createProgram(["/a.ts"], { noLib: true, strict: true, declaration: true, target: ts.ScriptTarget.ES2015 }, host);
for (const found of ts.getPreEmitDiagnostics(program)) console.log(found.code, ts.flattenDiagnosticMessageText(found.messageText, "\\n"));
program.emit();
console.log(ts.version, ts.transpileModule("enum E { A = 1 } export = E", { compilerOptions: { module: ts.ModuleKind.CommonJS } }).outputText);
`,
    },
  },
};

/** Vue's components, by its compiler. */
function vuePlugin(require) {
  const { compileScript, parse } = require("vue/compiler-sfc");
  return {
    name: "vue",
    setup(build) {
      build.onLoad({ filter: /\.vue$/ }, ({ path }) => {
        const { descriptor } = parse(readFileSync(path, "utf8"), { filename: path });
        return { contents: compileScript(descriptor, { id: "app", inlineTemplate: true }).content, loader: "ts" };
      });
    },
  };
}

function sveltePlugin(require) {
  const { compile } = require("svelte/compiler");
  return {
    name: "svelte",
    setup(build) {
      build.onLoad({ filter: /\.svelte$/ }, ({ path }) => {
        const { js } = compile(readFileSync(path, "utf8"), { filename: path, generate: "client", css: "injected" });
        return { contents: js.code, loader: "js" };
      });
    },
  };
}

function solidPlugin(require) {
  const { transformSync } = require("@babel/core");
  return {
    name: "solid",
    setup(build) {
      build.onLoad({ filter: /main\.tsx$/ }, ({ path }) => {
        const presets = [require("babel-preset-solid"), require("@babel/preset-typescript")];
        const { code } = transformSync(readFileSync(path, "utf8"), { filename: path, presets, configFile: false, babelrc: false });
        return { contents: code, loader: "js" };
      });
    },
  };
}

/** What a page says in the browser. */
async function inBrowser(folder, entry) {
  writeFileSync(join(folder, "index.html"), page(entry));
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const name = new URL(request.url).pathname;
      const file = Bun.file(join(folder, name === "/" ? "index.html" : name));
      return (await file.exists()) ? new Response(file) : new Response("not found", { status: 404 });
    },
  });
  const profile = mkdtempSync(join(tmpdir(), "bundle-apps-profile-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  const child = spawn(
    values.chromium,
    [...flags, `--user-data-dir=${profile}`, `--virtual-time-budget=${PAGE_TIME}`, "--dump-dom", `http://127.0.0.1:${server.port}/`],
    { stdio: ["ignore", "pipe", "ignore"], timeout: PROGRAM_TIME, killSignal: "SIGKILL" },
  );
  let text = "";
  for await (const data of child.stdout) text += data;
  await server.stop(true);
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  return /<output>\[([^]*)\]<\/output>/.exec(text)?.[1] ?? `nothing was said: ${text.slice(0, 300)}`;
}

/** What a program prints. */
function printed(file, cwd) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd, encoding: "utf8", timeout: PROGRAM_TIME });
  return `${stdout}${status === 0 ? "" : `exit code ${status}\n${stderr.slice(0, 2000)}`}`;
}

const project = mkdtempSync(join(tmpdir(), "bundle-apps-"));
process.on("exit", () => values.keep || rmSync(project, { recursive: true, force: true }));
writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module", dependencies: packages }));
const installed = spawnSync(process.execPath, ["install", "--ignore-scripts"], { cwd: project, encoding: "utf8" });
if (installed.status !== 0) throw new Error(`cannot install the packages: ${installed.stderr}`);
const require = createRequire(join(project, "main.js"));

let differs = 0;
const rows = [];
for (const [name, app] of Object.entries(apps)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const source = join(project, name);
  for (const [file, text] of Object.entries(app.files)) {
    mkdirSync(dirname(join(source, file)), { recursive: true });
    writeFileSync(join(source, file), text);
  }
  const entry = join(source, Object.keys(app.files).findLast((file) => file.startsWith("main")));
  const expected = app.browser ? app.expected : printed(entry, source);
  for (const minify of values.minify.split(",").map((word) => word === "yes")) {
    const out = mkdtempSync(join(tmpdir(), "bundle-apps-out-"));
    const started = performance.now();
    const result = await Bun.build({
      entrypoints: [entry],
      outdir: out,
      target: app.browser ? "browser" : "node",
      external: app.external,
      minify,
      define: { "process.env.NODE_ENV": JSON.stringify(minify ? "production" : "development") },
      plugins: app.plugin ? [app.plugin(require)] : [],
      metafile: true,
      throw: false,
    });
    const took = performance.now() - started;
    let seen;
    if (!result.success) seen = result.logs.map((log) => log.message).join("; ");
    else if (app.browser) seen = await inBrowser(out, "main.js");
    else seen = printed(join(out, "main.js"), out);
    const isSame = typeof expected === "string" ? seen === expected : expected.test(seen);
    if (!isSame) differs++;
    const inputs = Object.keys(result.metafile?.inputs ?? {});
    const used = new Set(inputs.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
    const size = result.outputs?.reduce((sum, output) => sum + output.size, 0) ?? 0;
    rows.push([name, minify ? "minified" : "plain", inputs.length, used.size, `${(size / 1000).toFixed(0)} kB`, isSame ? "works" : "differs"]);
    console.log(rows.at(-1).join(" | "), `| ${took.toFixed(0)} ms${isSame ? "" : `\n  expected ${expected}\n  seen ${seen.slice(0, 1500)}`}`);
    rmSync(out, { recursive: true, force: true });
  }
}
if (values.markdown) {
  console.log("\n| application | bundle | modules | packages | size | outcome |\n|---|---|---|---|---|---|");
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
}
process.exit(differs === 0 ? 0 : 1);

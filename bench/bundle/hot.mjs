// Measures hot replacement, from the save of a file to the changed page in Chromium: `BAO=PATH PEERS_DIR=DIR PATH bench/bundle/hot.mjs
// [--runs 20] [--components 300] [--at-once 200] [--tool bao,vite,vite-on-bao] [--chromium PATH]`, run by any executable with Bun's API.
//
// The application is one of React with Fast Refresh, a component in each file. DIR has node_modules with vite, @vitejs/plugin-react, react and
// react-dom; NODE is the Node that runs Vite. Every tool has a server and a Chromium of its own, and edits go around, so that a busy machine
// hits all alike. The page tells when its text changed by its own clock, which is the machine's. The second figure changes many files at
// once, as a change of the branch does, and ends when the whole page is right; a page that was loaded anew loses its state and counts as wrong.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "20" },
    components: { type: "string", default: "300" },
    "at-once": { type: "string", default: "200" },
    tool: { type: "string", default: "bao,vite,vite-on-bao" },
    chromium: { type: "string", default: "chromium" },
  },
});
const [runs, components, atOnce] = [Number(values.runs), Number(values.components), Number(values["at-once"])];
const { BAO, PEERS_DIR, NODE = "node" } = process.env;
if (BAO === undefined || PEERS_DIR === undefined) throw new Error("set BAO to the executable and PEERS_DIR to a folder with node_modules");

/** Milliseconds that an edit may take before it counts as lost. */
const PATIENCE = 20_000;

const root = mkdtempSync(join(tmpdir(), "bench-hot-"));
const children = [];
/** What waits for a page's state, by tool. */
const waiting = new Map();
const collector = createServer((request, response) => {
  let body = "";
  request.on("data", (data) => (body += data));
  request.on("end", () => {
    response.writeHead(204, { "access-control-allow-origin": "*" }).end();
    waiting.get(request.url.slice(1))?.(JSON.parse(body));
  });
}).listen(0, "127.0.0.1");
await new Promise((done) => collector.on("listening", done));

const component = (index, version) =>
  `import React from "react";\nexport function Part${index}() {\n  return <li>part ${index}: ${version}</li>;\n}\n`;
const partOf = (folder, index) => join(folder, `part${index}.tsx`);

function makeApplication(tool) {
  const folder = join(root, tool);
  mkdirSync(folder);
  symlinkSync(resolve(PEERS_DIR, "node_modules"), join(folder, "node_modules"));
  for (let i = 0; i < components; i++) writeFileSync(partOf(folder, i), component(i, 0));
  const names = Array.from({ length: components }, (_, i) => i);
  writeFileSync(
    join(folder, "main.tsx"),
    `import React, { useState } from "react";\nimport { createRoot } from "react-dom/client";\nimport { App } from "./app.tsx";\ncreateRoot(document.getElementById("root")!).render(<App />);\n`,
  );
  writeFileSync(
    join(folder, "app.tsx"),
    `import React, { useState } from "react";\n${names.map((i) => `import { Part${i} } from "./part${i}.tsx";`).join("\n")}
export function App() {\n  const [load] = useState(() => Math.random());\n  return <main><b id="load">{load}</b><ul>${names.map((i) => `<Part${i} />`).join("")}</ul></main>;\n}\n`,
  );
  // One message for each frame: what the parts show, and when it was there.
  writeFileSync(
    join(folder, "index.html"),
    `<!doctype html><html><body><div id="root"></div><script>
      const tell = () => {
        const text = [...document.querySelectorAll("li")].map((item) => item.textContent);
        const load = document.getElementById("load")?.textContent;
        const body = JSON.stringify({ text, load, time: performance.timeOrigin + performance.now() });
        fetch("http://127.0.0.1:${collector.address().port}/${tool}", { method: "POST", body });
      };
      new MutationObserver(tell).observe(document.getElementById("root"), { subtree: true, childList: true, characterData: true });
    </script><script type="module" src="./main.tsx"></script></body></html>\n`,
  );
  writeFileSync(
    join(folder, "vite.config.mjs"),
    `import react from "@vitejs/plugin-react";\nexport default { plugins: [react()], clearScreen: false, logLevel: "error", server: { fs: { strict: false } } };\n`,
  );
  return folder;
}

const isOpen = (port) =>
  new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => done(true));
    socket.on("error", () => done(false)).on("connect", () => socket.end());
  });

/** A port that nobody has. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.on("listening", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Starts a server and a browser, and waits for the page. */
async function start(tool) {
  const folder = makeApplication(tool);
  const port = await freePort();
  const vite = [resolve(PEERS_DIR, "node_modules/vite/bin/vite.js"), "--port", String(port), "--strictPort", "--host", "127.0.0.1"];
  const [program, args] = { bao: [BAO, ["./index.html", `--port=${port}`]], vite: [NODE, vite], "vite-on-bao": [BAO, ["--bun", ...vite]] }[tool];
  const server = spawn(program, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, NODE_ENV: "development" } });
  children.push(server);
  while (!(await isOpen(port))) await new Promise((done) => setTimeout(done, 50));
  const profile = join(root, `${tool}-profile`);
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0", `--user-data-dir=${profile}`];
  const seen = pageWith(tool, (state) => state.text.length === components && state.text.every((text) => text.endsWith(": 0")), 120_000);
  children.push(spawn(values.chromium, [...flags, `http://127.0.0.1:${port}/`], { stdio: "ignore" }));
  const { load } = await seen;
  return { tool, folder, load };
}

/** The first state of a tool's page that is as wanted; rejects if none comes in time. */
function pageWith(tool, isWanted, patience = PATIENCE) {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`${tool}: the page did not change within ${patience} ms`)), patience);
    waiting.set(tool, (state) => {
      if (!isWanted(state)) return;
      clearTimeout(timer);
      waiting.delete(tool);
      done(state);
    });
  });
}

const now = () => performance.timeOrigin + performance.now();
const sorted = (list) => list.toSorted((a, b) => a - b);
const median = (list) => sorted(list)[list.length >> 1];

try {
  const pages = [];
  for (const tool of values.tool.split(",")) pages.push(await start(tool));
  const single = new Map(pages.map(({ tool }) => [tool, []]));
  const many = new Map(pages.map(({ tool }) => [tool, []]));
  const reloads = new Map(pages.map(({ tool }) => [tool, 0]));
  let version = 0;
  const edit = async (page, count, results) => {
    const expected = new Map();
    for (let i = 0; i < count; i++) expected.set(i, `part ${i}: ${version}`);
    const seen = pageWith(page.tool, ({ text }) => text.length === components && [...expected].every(([i, line]) => text[i] === line));
    const before = now();
    for (let i = 0; i < count; i++) writeFileSync(partOf(page.folder, i), component(i, version));
    const { time, load } = await seen;
    results.get(page.tool).push(time - before);
    if (load !== page.load) reloads.set(page.tool, reloads.get(page.tool) + 1);
    page.load = load;
    // The servers settle before the next edit.
    await new Promise((done) => setTimeout(done, 100));
  };
  // The first edits make everything ready and do not count.
  for (let run = -2; run < runs; run++) {
    version++;
    for (const page of pages) await edit(page, 1, run < 0 ? new Map([[page.tool, []]]) : single);
  }
  for (let run = 0; run < Math.min(runs, 5); run++) {
    version++;
    for (const page of pages) await edit(page, atOnce, many);
  }
  for (const { tool } of pages) {
    const [one, all] = [single.get(tool), many.get(tool)];
    console.log(
      `${tool.padEnd(12)} one file: median ${median(one).toFixed(1)} ms, least ${Math.min(...one).toFixed(1)}; ` +
        `${atOnce} files: median ${median(all).toFixed(0)} ms, least ${Math.min(...all).toFixed(0)}; pages loaded anew: ${reloads.get(tool)}`,
    );
  }
} finally {
  for (const child of children) child.kill();
  collector.close();
  collector.closeAllConnections();
  await new Promise((done) => setTimeout(done, 500));
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

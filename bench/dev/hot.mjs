// From saving a file of a React app to the new version in the page's hands: the development servers of bao, Bun and Vite.
//
//     node bench/dev/hot.mjs FOLDER [bao=PATH] [bun=PATH] [node=PATH]
//
// FOLDER has react, react-dom and, for Vite, vite and @vitejs/plugin-react in its node_modules; the app is written into it. Each
// save changes one of 200 components. The page is a WebSocket that takes what a browser would: the update, and for Vite the module
// that it names. Saves of the servers take turns. Prints the median and the CPU time of the server for one save.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder, ...rest] = process.argv.slice(2);
const tools = Object.fromEntries(rest.map((word) => word.split("=")));
const SAVES = 30;
const COMPONENTS = 200;

const component = (i, version) =>
  `import { useState } from "react";\nexport function C${i}() {\n  const [n, set] = useState(${version});\n  return <li onClick={() => set(n + 1)}>component ${i} version ${version} {n}</li>;\n}\n`;
mkdirSync(join(folder, "src"), { recursive: true });
const all = Array.from({ length: COMPONENTS }, (_, i) => i);
for (const i of all) writeFileSync(join(folder, `src/C${i}.tsx`), component(i, 0));
writeFileSync(
  join(folder, "src/App.tsx"),
  `${all.map((i) => `import { C${i} } from "./C${i}";`).join("\n")}\nexport function App() {\n  return <ul>${all.map((i) => `<C${i} />`).join("")}</ul>;\n}\n`,
);
writeFileSync(join(folder, "src/main.tsx"), `import { createRoot } from "react-dom/client";\nimport { App } from "./App";\ncreateRoot(document.getElementById("root")!).render(<App />);\n`);
writeFileSync(join(folder, "index.html"), `<!doctype html><html><head></head><body><div id="root"></div><script type="module" src="/src/main.tsx"></script></body></html>`);
writeFileSync(join(folder, "vite.config.mjs"), `import react from "@vitejs/plugin-react"; export default { plugins: [react()], server: { port: 4710, strictPort: true } };`);

const commands = {
  bao: tools.bao && [tools.bao, ["./index.html", "--port=4711"], 4711],
  bun: tools.bun && [tools.bun, ["./index.html", "--port=4712"], 4712],
  vite: tools.node && [tools.node, ["node_modules/vite/bin/vite.js", "--host", "127.0.0.1"], 4710],
};

/** CPU seconds of a process. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

class Server {
  constructor(name, [command, words, port]) {
    this.name = name;
    this.port = port;
    this.times = [];
    this.process = spawn(command, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, NODE_ENV: "development" } });
    this.process.stdout.resume();
    this.process.stderr.resume();
  }
  url(path) {
    return `http://127.0.0.1:${this.port}${path}`;
  }
  async text(path) {
    return (await fetch(this.url(path), { headers: { host: `localhost:${this.port}` } })).text();
  }
  async start() {
    for (let tries = 0; ; tries++) {
      try {
        this.html = await this.text("/");
        break;
      } catch (error) {
        if (tries === 200) throw error;
        await new Promise((wake) => setTimeout(wake, 50));
      }
    }
    if (this.name === "vite") {
      // What a page loads: all modules, so that the server knows them.
      const token = /const wsToken = "([^"]+)"/.exec(await this.text("/@vite/client"))?.[1];
      for (const path of ["/src/main.tsx", "/src/App.tsx", ...all.map((i) => `/src/C${i}.tsx`)]) await this.text(path);
      this.socket = new WebSocket(`ws://127.0.0.1:${this.port}/?token=${token}`, "vite-hmr");
    } else {
      for (const [, path] of this.html.matchAll(/src="(\/_bun[^"]+)"/g)) await this.text(path);
      this.socket = new WebSocket(`ws://127.0.0.1:${this.port}/_bun/hmr`);
    }
    this.socket.binaryType = "arraybuffer";
    await new Promise((wake, fail) => {
      this.socket.onopen = wake;
      this.socket.onerror = fail;
    });
    this.socket.onmessage = ({ data }) => this.take(data);
    if (this.name !== "vite") {
      this.socket.send("she");
      this.socket.send("n/");
    }
    await new Promise((wake) => setTimeout(wake, 1000));
    this.cpu = cpuOf(this.process.pid);
  }
  async take(data) {
    const text = typeof data === "string" ? data : new TextDecoder().decode(data);
    if (this.name === "vite") {
      const message = JSON.parse(text);
      if (message.type !== "update") return;
      const { path, timestamp } = message.updates[0];
      if ((await this.text(`${path}?t=${timestamp}`)).includes(this.wanted)) this.arrived?.();
    } else if (text[0] === "u" && text.includes(this.wanted)) this.arrived?.();
  }
  /** Saves a component and waits for it, in milliseconds. */
  async save(i, version) {
    this.wanted = `version ${version}`;
    const arrived = new Promise((wake, fail) => {
      this.arrived = wake;
      setTimeout(() => fail(new Error(`${this.name}: no update within 10 s`)), 10_000).unref();
    });
    const begun = performance.now();
    writeFileSync(join(folder, `src/C${i}.tsx`), component(i, version));
    await arrived;
    this.times.push(performance.now() - begun);
  }
}

const servers = Object.entries(commands).filter(([, command]) => command).map(([name, command]) => new Server(name, command));
for (const server of servers) await server.start();
let version = 1;
for (let i = 0; i < SAVES; i++) {
  for (const server of servers) {
    // Every server sees every save; only one is waited for, and the others get time to be done.
    await server.save(i % COMPONENTS, version++);
    await new Promise((wake) => setTimeout(wake, 150));
  }
}
for (const { name, times, cpu, process } of servers) {
  times.sort((a, b) => a - b);
  const perSave = ((cpuOf(process.pid) - cpu) / (SAVES * servers.length)) * 1000;
  console.log(`${name.padEnd(5)} median ${times[times.length >> 1].toFixed(1)} ms, worst ${times.at(-1).toFixed(1)} ms, server CPU per save ${perSave.toFixed(1)} ms`);
  process.kill();
}
process.exit();

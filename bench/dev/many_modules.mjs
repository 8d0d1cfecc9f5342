// From saving one file of a page of 5,000 modules to its new version on the wire, and the CPU time of the server for it:
//
//     bao bench/dev/many_modules.mjs
//
// The modules are a binary tree that begins at the page; the file that is saved is a leaf. Prints milliseconds.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MODULES = 5000;
const SAVES = 20;
/** The letter of updates on the WebSocket. */
const UPDATE = "u".charCodeAt(0);

const root = mkdtempSync(join(tmpdir(), "many-"));
process.chdir(root);
mkdirSync("src");
for (let i = 0; i < MODULES; i++) {
  const below = [2 * i + 1, 2 * i + 2].filter((n) => n < MODULES);
  const imports = below.map((n) => `import { v${n} } from "./m${n}";\n`).join("");
  const accept = i % 50 === 0 ? "import.meta.hot.accept();\n" : "";
  writeFileSync(`src/m${i}.ts`, `${imports}export const v${i}: number = 1${below.map((n) => ` + v${n}`).join("")};\n${accept}`);
}
writeFileSync("index.html", '<script type="module" src="./src/m0.ts"></script>');
const { default: page } = await import(join(root, "index.html"));
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", routes: { "/": page }, development: true });
const began = performance.now();
await (await fetch(server.url)).text();
console.log("first load", Math.round(performance.now() - began));
const socket = new WebSocket(`${server.url.href.replace("http", "ws")}_bun/hmr`, { headers: { origin: server.url.origin } });
socket.binaryType = "arraybuffer";
await new Promise((resolve) => (socket.onopen = resolve));
socket.send("she");
socket.send("n/");
await Bun.sleep(500);
const file = `src/m${MODULES - 50}.ts`;
const text = readFileSync(file, "utf8");
const times = [];
for (let i = 0; i < SAVES; i++) {
  const update = new Promise((resolve) => (socket.onmessage = ({ data }) => new Uint8Array(data)[0] === UPDATE && resolve()));
  const cpu = process.cpuUsage();
  const saved = performance.now();
  writeFileSync(file, `${text}// ${i}\n`);
  await update;
  const { user, system } = process.cpuUsage(cpu);
  times.push({ wall: performance.now() - saved, cpu: (user + system) / 1000 });
  await Bun.sleep(50);
}
for (const name of ["wall", "cpu"]) {
  const sorted = times.map((time) => time[name]).sort((a, b) => a - b);
  console.log(name, "median", sorted[SAVES / 2].toFixed(1), "least", sorted[0].toFixed(1));
}
rmSync(root, { recursive: true });
process.exit();

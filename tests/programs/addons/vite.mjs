// A build of an application: rolldown, lightningcss and oxc below it. `ws` is among the packages because Vite takes it from
// the runtime where there is a `process.versions.bun`.
import fs from "node:fs";
import { build } from "vite";

const files = {
  "index.html": '<div id="app"></div><script type="module" src="/src/main.ts"></script>',
  "src/main.ts":
    'import "./style.css"; import { twice } from "./twice"; document.querySelector("#app")!.textContent = String(twice(21)); import("./lazy").then((m) => m.default());',
  "src/twice.ts": "export const twice = (n: number): number => n * 2; export const unused = 1;",
  "src/lazy.ts": 'export default () => console.log("lazy");',
  "src/style.css": "#app { color: rebeccapurple; & b { margin: 0px } }",
};
const root = fs.mkdtempSync("vite-");
fs.mkdirSync(`${root}/src`);
for (const [name, text] of Object.entries(files)) fs.writeFileSync(`${root}/${name}`, text);
const seen = new Set();
const plugin = { name: "seen", transform: (_code, id) => void seen.add(id.split("/").at(-1)) };
const { output } = await build({ root, configFile: false, logLevel: "silent", plugins: [plugin] });
for (const { type, fileName } of output) console.log(type, fileName);
console.log([...seen].sort());
console.log(fs.readdirSync(`${root}/dist/assets`).sort());
fs.rmSync(root, { recursive: true });

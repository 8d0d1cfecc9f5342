// expected: as Bun 1.4.5, but for where the tags stand and the names of sources in comments
// Pages that are one file (`--compile --target=browser`): scripts, sheets, images and fonts stand in them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-standalone-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
process.chdir(folder);

mkdirSync("img");
writeFileSync("img/dot.png", Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4DwAAAQEABRjYTgAAAABJRU5ErkJggg==", "base64"));
writeFileSync("img/icon.svg", '<svg xmlns="http://www.w3.org/2000/svg"><g id="a"/></svg>');
writeFileSync("index.html", `<!doctype html>
<html><head><link rel="stylesheet" href="style.css"><link rel=icon href="img/icon.svg#a"></head>
<body><img src="img/dot.png" srcset="img/dot.png 1x"><script src="./app.ts"></script><script src="https://example.com/far.js"></script></body></html>`);
writeFileSync("second.html", `<p>second</p><script src="./second.ts"></script>`);
writeFileSync("style.css", `@import "./base.css";\nbody::after { content: "</STYLE>"; background: url(img/dot.png) }\n`);
writeFileSync("base.css", `p { margin: 0 }\n`);
writeFileSync("app.ts", `
import dot from "./img/dot.png";
import { name } from "./name";
import "./base.css";
const text: string = "</script><!-- <script>";
console.log(name, text, text.length, /<!--<\\/SCRIPT/.test("<!--</SCRIPT"), dot.slice(0, 22));
import("./later").then(({ later }) => console.log(later));`);
writeFileSync("name.ts", `export const name = "one";`);
writeFileSync("later.ts", `export const later: string = "later";`);
writeFileSync("second.ts", `console.log("two");`);

/** Runs the scripts of a page, and gives the rest of it. */
function run(page) {
  let rest = "";
  let at = 0;
  // As a parser of HTML ends a script: at the first "</script", in any case.
  for (const open of page.matchAll(/<script type="module">/g)) {
    rest += page.slice(at, open.index);
    const from = open.index + open[0].length;
    const end = from + page.slice(from).search(/<\/script/i);
    const { stdout, stderr } = spawnSync(process.execPath, ["-"], { input: page.slice(from, end), encoding: "utf8" });
    console.log(stdout + stderr);
    at = end;
  }
  return (rest + page.slice(at)).replace(/base64,[A-Za-z0-9+/=]*/g, "base64,...");
}

for (const minify of [false, true]) {
  console.log(minify ? "# minified" : "# as it is");
  const { outputs } = await Bun.build({ entrypoints: ["index.html"], compile: true, target: "browser", minify });
  console.log(outputs.map(({ path, kind, loader }) => [path, kind, loader].join(" ")));
  console.log(run(await outputs[0].text()));
}

console.log("# several pages, written");
const { outputs } = await Bun.build({ entrypoints: ["index.html", "second.html"], compile: true, target: "browser", outdir: "dist", sourcemap: "linked" });
console.log(outputs.length, readdirSync("dist").sort());
console.log(run(readFileSync("dist/second.html", "utf8").replace(/\/\/# debugId=.*\n/, "")));

console.log("# the command");
const command = spawnSync(process.execPath, ["build", "--compile", "--target=browser", "second.html", "--outfile=out/page.html"], { encoding: "utf8" });
console.log(command.status, command.stderr, existsSync("out/page.html"), readdirSync("out"));

console.log("# what a page cannot have");
for (const options of [{ splitting: true }, { compile: { execArgv: ["--smol"] } }, { declarations: true }]) {
  try {
    await Bun.build({ entrypoints: ["index.html"], compile: true, target: "browser", ...options });
    console.log("built");
  } catch ({ message }) {
    console.log(message);
  }
}

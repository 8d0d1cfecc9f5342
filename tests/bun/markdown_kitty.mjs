// expected: recorded from bun 1.4.5, but for long data, which the protocol wants in pieces, data that is no base64, and a space behind an image
// Images in terminals, by the Kitty graphics protocol.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
const folder = mkdtempSync(join(tmpdir(), "kitty-"));
writeFileSync(join(folder, "i.png"), "not looked at");
process.chdir(folder);
const path = Buffer.from(join(process.cwd(), "i.png")).toString("base64");
const show = (text, options = { kittyGraphics: true }) =>
  console.log(JSON.stringify(text.slice(0, 50)).replaceAll(folder, "DIR"), JSON.stringify(Bun.markdown.ansi(text, options)).replaceAll(path, "PATH").replace(/A{100,}/g, (found) => `A*${found.length}`));
for (const options of [{ kittyGraphics: true }, { kittyGraphics: true, colors: false }, {}]) for (const text of ["![alt](i.png)", "![](./i.png)", "![x](nope.png)", "![x](https://e.org/a.png)"]) show(text, options);
for (const text of [`![x](${folder}/i.png)`, `![x](file://${folder}/i.png)`, "![x](%69.png)", `![x](${folder})`, "a ![alt](i.png \"t\") b", "![x](data:image/png;base64,AAAA)", `![x](data:image/png;base64,${"A".repeat(10000)})`, "![x](data:image/png;base64,!!)", "![x](data:image/jpeg;base64,AAAA)", "| a |\n|--|\n| ![x](i.png) |", "# ![x](i.png)", "> ![x](i.png)", "text ![x](i.png) text text ".repeat(6)]) show(text);
rmSync(folder, { recursive: true });

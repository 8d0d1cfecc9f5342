// expected: recorded from bun 1.4.5, but that it leaves the color that sRGB has as it is
// Sheets: colors relative to one that sRGB does not have stay as they are, sheets in `data:` URLs, files that stay outside.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "sheet-colors-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

async function sheet(text, options) {
  writeFileSync(join(folder, "a.css"), text);
  const cwd = process.cwd();
  process.chdir(folder);
  const { success, outputs, logs } = await Bun.build({ entrypoints: ["./a.css"], throw: false, ...options });
  process.chdir(cwd);
  console.log(success ? (await outputs[0].text()).trim() : logs.map((log) => log.message));
}

await sheet(`a { color: rgb(from lab(100 104.3 -50.9) r g b); background: hsl(from oklch(0 .399 336.3) h s l) }
b { color: rgb(from lab(50 10 10) r g b); content: "rgb(from lab(100 104.3 -50.9) r g b)" }`);
await sheet("a { color: hwb(from lch(100 116 334) h w b) }", { minify: true });
await sheet(`@import "data:text/css,b%20%7B%20color%3A%20red%20%7D";\na { color: blue }`);
await sheet("a { background: url(./outside.png?x) }", { external: ["./outside.png"] });
await sheet("a { background: url(./missing.png) }");

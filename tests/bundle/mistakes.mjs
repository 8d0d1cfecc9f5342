// expected: written by hand
// What cannot be bundled says so, and old results stay whole.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "mistakes-"));
process.chdir(root);

async function fails(name, text, options = {}) {
  writeFileSync("index.ts", text);
  try {
    await Bun.build({ entrypoints: ["./index.ts"], ...options });
    console.log(name, "| no error");
  } catch (error) {
    console.log(name, "|", (error.errors ?? [error]).map(({ message }) => message.replaceAll(root, "DIR")).join(" | "));
  }
}

writeFileSync("broken.json", '{ "a": ');
writeFileSync("broken.toml", "a = ");
writeFileSync("m.ts", "export const f = () => 1;");
await fails("macro", 'import { f } from "./m.ts" with { type: "macro" }; console.log(f());');
await fails("toml", 'import t from "./broken.toml"; console.log(t);');
await fails("missing export", 'import { gone } from "./m"; console.log(gone);');
await fails("compile", "1", { compile: true });
await fails("overwrites its source", "console.log(1);", { outdir: root, naming: "[name].ts" });
await fails("plugin that never answers with an object", 'import "x:y";', {
  plugins: [{ name: "p", setup: (build) => void build.onResolve({ filter: /^x:/ }, () => 5) }],
});

// The place of a result is a folder: nothing else is written either.
mkdirSync("out/index.js", { recursive: true });
writeFileSync("asset.bin", "asset");
await fails("place taken", 'import a from "./asset.bin"; console.log(a);', { outdir: "out" });
console.log(readdirSync("out").join(), existsSync("out/index.js"));

// A require that may fail stays.
writeFileSync("optional.ts", 'try { require("not-installed-at-all"); } catch { console.log("absent"); }');
const { outputs } = await Bun.build({ entrypoints: ["./optional.ts"], target: "bun", outdir: "optional" });
await import(outputs[0].path);
process.chdir("/");
rmSync(root, { recursive: true });

// Builds every page below src into dist.
import { rm } from "node:fs/promises";__IMPORT__

const outdir = "dist";
await rm(outdir, { recursive: true, force: true });

const pages = [...new Bun.Glob("src/**/*.html").scanSync()];
const { outputs } = await Bun.build({
  entrypoints: pages,
  outdir,__PLUGINS__
  minify: true,
  target: "browser",
  sourcemap: "linked",
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
});

for (const file of outputs) {
  console.log(`${file.path}  ${(file.size / 1000).toFixed(1)} KB`);
}

// expected: recorded from bun 1.4.5
// `bytecode` without `compile`: compiled code beside the results, which run without it, too.
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "bytecode-")));
writeFileSync(join(root, "index.ts"), 'import { name } from "./name";\nexport const value: number = 1;\nconsole.log("hello", name);');
writeFileSync(join(root, "name.ts"), "export const name = 'ann';");
const run = (file) => {
  const [program, ...words] = file.endsWith(".js") ? [process.execPath, file] : [file];
  const { stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
  return `${stdout}${stderr}`.trim();
};
for (const format of [undefined, "cjs"]) {
  const { outputs } = await Bun.build({ entrypoints: [join(root, "index.ts")], outdir: join(root, "out"), target: "bun", format, bytecode: true });
  const file = outputs[0].path;
  console.log(format, outputs.map(({ kind, path }) => `${kind} ${basename(path)}`).join(), (await outputs[0].text()).split("\n")[0]);
  console.log(run(file), "|", run(file));
  // Damaged, of another text, and gone.
  writeFileSync(`${file}.jsc`, new Uint8Array(await outputs[1].arrayBuffer()).fill(7, 64));
  console.log(run(file));
  writeFileSync(`${file}.jsc`, new Uint8Array(await outputs[1].arrayBuffer()));
  writeFileSync(file, (await outputs[0].text()).replace("hello", "other"));
  console.log(run(file));
  rmSync(`${file}.jsc`);
  console.log(run(file));
  renameSync(file, `${file}.old`);
}
for (const options of [{ target: "node" }, { target: "bun", format: "iife" }]) {
  try {
    await Bun.build({ entrypoints: [join(root, "index.ts")], ...options, bytecode: true });
    console.log("built");
  } catch ({ message }) {
    console.log(message);
  }
}
const { outputs } = await Bun.build({ entrypoints: [join(root, "index.ts")], compile: { outfile: join(root, "app") }, bytecode: true });
console.log("executable:", outputs.length, run(outputs[0].path));
rmSync(root, { recursive: true });

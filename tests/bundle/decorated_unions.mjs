// expected: written by hand (TypeScript; as bun 1.4.5 without strictNullChecks, but for elements of rest parameters, which it tells as Object)
// Types that `emitDecoratorMetadata` tells of: a class beside what says nothing, and the elements of rest parameters; as it runs and in bundles.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "decorated-unions-"));
const source = `
import { Other } from "./other.ts";
import * as all from "./other.ts";
const told: string[] = [];
(Reflect as any).metadata = (key: string, value: any) => (target: any, name = "class") => {
  if (key !== "design:returntype" && value !== Function) told.push(name + " " + (Array.isArray(value) ? value.map((one) => one?.name) : value?.name));
};
function d(...parts: any[]): any {}
class Own {}
@d
class Program {
  constructor(a: Other | null, b: undefined | Own, private readonly c?: (Own | undefined) | null) {}
  @d one: Own | null;
  @d other: Other | undefined;
  @d qualified: all.Other | null;
  @d twice: Own | Own;
  @d different: Own | Other;
  @d never: never | Own;
  @d both: Own & unknown;
  @d word: (string | null);
  @d nothing: null | undefined;
  @d voids: void | Own;
  @d anything: any | Own;
  @d list: Own[] | null;
  @d elements(...parts: string[]) {}
  @d generic(first: number, ...parts: Array<Own | null>) {}
  @d tuple(...parts: [string, number]) {}
  @d untyped(...parts) {}
}
console.log(told.join("\\n"));
`;
for (const strict of [false, true]) {
  const folder = join(root, String(strict));
  mkdirSync(folder);
  process.chdir(folder);
  writeFileSync("tsconfig.json", JSON.stringify({ compilerOptions: { experimentalDecorators: true, emitDecoratorMetadata: true, strictNullChecks: strict } }));
  writeFileSync("other.ts", "export class Other {}");
  writeFileSync("main.ts", source);
  const run = (file) => {
    const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
    return stdout + stderr;
  };
  const unbundled = run("main.ts");
  console.log(`strictNullChecks: ${strict}\n${unbundled}`);
  for (const options of [{}, { metafile: true }, { minify: { syntax: true } }]) {
    const result = await Bun.build({ entrypoints: ["./main.ts"], outdir: "out", target: "bun", ...options });
    const bundled = run("out/main.js").replaceAll(/\$1/g, "");
    console.log(result.success, bundled === unbundled ? "the same" : bundled);
  }
}
process.chdir("/");
rmSync(root, { recursive: true });

// expected: written by hand
// Texts for which a parser of TypeScript would have to begin anew without end are refused, with an error that says why; bundles
// and files, too. What programs write is not.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bao-guesses-"));
const ts = new Bun.Transpiler({ loader: "ts" });
const tell = (name, run) => {
  try {
    run();
    console.log(name, "ok");
  } catch (error) {
    console.log(name, error.message.split("\n")[0]);
  }
};
for (const piece of ["a<", "a<(b=", "a<{[", "infer A extends [", "infer A extends `${", "a</*>*/(b=')'+"]) {
  tell(piece, () => ts.transformSync(`x = ${piece.repeat(4000)}`));
}
tell("flags", () => ts.transformSync(`enum A { ${Array.from({ length: 31 }, (_, i) => `F${i} = 1 << ${i}`)} }`));
tell("comparisons", () => ts.transformSync("if (a < (b = 1) && c) { d = e < f\ng() }\n".repeat(1000)));
tell("types", () => ts.transformSync(Array.from({ length: 1000 }, (_, i) => `type A${i}<T = B<C>> = T extends infer D extends E<F<G>> ? { a: H<D> } : never;\n`).join("")));
tell("elements", () => new Bun.Transpiler({ loader: "tsx" }).transformSync("x = <p a={b}>it's {e < 5} <b>f</b><br /></p>;\n".repeat(1000)));

const file = join(folder, "file.ts");
writeFileSync(file, "a<(b=".repeat(40));
const words = /nests type arguments/;
const ran = spawnSync(process.execPath, [file], { encoding: "utf8" });
console.log("run", ran.status, words.test(ran.stderr));
const built = spawnSync(process.execPath, ["build", file], { encoding: "utf8" });
console.log("build", built.status, words.test(built.stderr));
rmSync(folder, { recursive: true });

// The TypeScript compiler builds a project of 270 files: the sources that the rxjs package ships, with declarations and maps.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import ts from "typescript";

// Files below node_modules count as libraries, which are not emitted.
fs.cpSync("node_modules/rxjs/src", "rxjs", { recursive: true });
const root = path.resolve("rxjs");
const options = {
  target: ts.ScriptTarget.ES2017,
  module: ts.ModuleKind.CommonJS,
  moduleResolution: ts.ModuleResolutionKind.Node10,
  lib: ["lib.es2020.d.ts", "lib.dom.d.ts"],
  types: [],
  strict: true,
  declaration: true,
  sourceMap: true,
  importHelpers: false,
  noEmitOnError: false,
  rootDir: root,
  outDir: path.resolve("build"),
};
const program = ts.createProgram([path.join(root, "index.ts"), path.join(root, "operators/index.ts")], options);
const emitted = program.emit();
const diagnostics = [...ts.getPreEmitDiagnostics(program), ...emitted.diagnostics];
for (const { code, messageText, file, start } of diagnostics.slice(0, 10)) {
  const place = file ? `${path.relative(root, file.fileName)}:${file.getLineAndCharacterOfPosition(start).line + 1}` : "";
  console.log(place, code, ts.flattenDiagnosticMessageText(messageText, "\n"));
}
console.log(diagnostics.length, "diagnostics", program.getSourceFiles().length, "source files");
console.log(program.getTypeChecker().getTypeCount?.() ?? program.getTypeCount(), "types");

const all = createHash("sha256");
const files = fs
  .readdirSync("build", { recursive: true })
  .map(String)
  .filter((name) => /\.(js|ts|map)$/.test(name))
  .sort();
let bytes = 0;
for (const name of files) {
  const text = fs.readFileSync(path.join("build", name), "utf8");
  bytes += text.length;
  // Maps name the sources relative to the output, which lies elsewhere at every run.
  all.update(name).update(name.endsWith(".map") ? JSON.parse(text).mappings : text);
}
console.log(files.length, "files", bytes > 1e6, all.digest("hex"));

// What was built works.
const { createRequire } = await import("node:module");
const { range, of, lastValueFrom } = createRequire(import.meta.url)("./build/index.js");
const { map, filter, toArray, mergeMap } = createRequire(import.meta.url)("./build/operators/index.js");
console.log(
  await lastValueFrom(
    range(1, 10).pipe(
      filter((x) => x % 2 === 0),
      mergeMap((x) => of(x, x * x)),
      map((x) => x + 1),
      toArray(),
    ),
  ),
);

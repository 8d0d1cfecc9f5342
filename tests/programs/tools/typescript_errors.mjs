// A project with type errors, an incremental second build, and the printer.
import fs from "node:fs";
import ts from "typescript";

fs.mkdirSync("project/src/shapes", { recursive: true });
fs.writeFileSync(
  "project/tsconfig.json",
  JSON.stringify({
    compilerOptions: {
      target: "es2022",
      module: "nodenext",
      strict: true,
      noEmit: true,
      noUnusedLocals: true,
      types: [],
      lib: ["es2022"],
      jsx: "preserve",
    },
    include: ["src"],
  }),
);
fs.writeFileSync(
  "project/src/shapes/circle.ts",
  `export class Circle { constructor(readonly radius: number) {} area(): string { return this.radius ** 2 * 3; } }\n`,
);
fs.writeFileSync(
  "project/src/shapes/square.ts",
  `import { Circle } from "./circle.js";\nexport interface Square { side: number; kind: "square" }\nexport const s: Square = { side: "4", kind: "circle", extra: 1 };\n`,
);
fs.writeFileSync(
  "project/src/main.ts",
  `import { Circle } from "./shapes/circle.js";
import { missing } from "./shapes/square.js";
import gone from "./gone.js";
function assertNever(x: never): never { throw new Error(x); }
type Shape = { kind: "a"; a: number } | { kind: "b"; b: string };
export function f(shape: Shape) { switch (shape.kind) { case "a": return shape.b; default: return assertNever(shape); } }
const c = new Circle(); c.radius = 5;
let value: string | undefined = Math.random() > 2 ? "x" : undefined; value.length;
declare function over(a: string): void; declare function over(a: number, b: number): void; over(true);
`,
);
const host = { getCurrentDirectory: () => ts.sys.getCurrentDirectory(), getCanonicalFileName: (x) => x, getNewLine: () => "\n" };
const config = ts.getParsedCommandLineOfConfigFile(
  "project/tsconfig.json",
  {},
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.log },
);
const program = ts.createProgram(config.fileNames, config.options);
console.log(ts.formatDiagnosticsWithColorAndContext(ts.getPreEmitDiagnostics(program), host).replace(/\x1b\[\d*m/g, ""));
const source = ts.createSourceFile(
  "x.ts",
  "enum E { A = 1 << 3, B }  namespace N { export const x = <T,>(y: T) => y satisfies unknown }\n@dec class D<in out T> { #p?: T; accessor q = 1 }",
  ts.ScriptTarget.Latest,
  true,
);
console.log(ts.createPrinter().printFile(source));
console.log(
  ts.transpileModule(source.text, { compilerOptions: { target: ts.ScriptTarget.ES2018, module: ts.ModuleKind.ESNext } })
    .outputText,
);

// ts-node: TypeScript files by the compiler, with its own errors; a path that only ts-node knows.
const { mkdtempSync, writeFileSync, rmSync } = require("node:fs");
const { join } = require("node:path");

const folder = mkdtempSync(join(__dirname, "ts-node-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const file = (name, text) => (writeFileSync(join(folder, name), text), join(folder, name));
file("tsconfig.json", '{ "compilerOptions": { "module": "commonjs", "target": "es2020", "strict": true, "experimentalDecorators": true, "emitDecoratorMetadata": false, "types": [] } }');
const service = require("ts-node").register({ project: join(folder, "tsconfig.json"), typeCheck: true, cwd: folder });
file("shapes.ts", "export enum Shape { Round = 'round', Square = 'square' }\nexport namespace Inner { export const deep = 1; }\n");
const main = file(
  "main.ts",
  "import { Shape, Inner } from './shapes';\nfunction tag(target: object, key: string) { Reflect.set(target, `tag_${key}`, true); }\n" +
    "export class Box<T extends Shape> { constructor(public readonly shape: T) {} @tag say(): string { return `${this.shape} ${Inner.deep}`; } }\n" +
    "export const box = new Box(Shape.Round);\n",
);
const { box, Box } = require(main);
console.log(box.say(), Box.prototype.tag_say, service.enabled());
try {
  require(file("wrong.ts", "const text: string = 1;\nexport default text;\n"));
} catch (error) {
  console.log(error.name, error.diagnosticCodes, /wrong\.ts/.test(error.message));
}
service.enabled(false);

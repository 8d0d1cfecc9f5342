// @babel/register: ES modules and a plugin of one's own, in files that `require` reads.
const { mkdtempSync, writeFileSync, rmSync } = require("node:fs");
const { join } = require("node:path");

const folder = mkdtempSync(join(__dirname, "babel-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "lib.js"), "export default class Greeter { #name = 'x'; greet() { return `hello ${this.#name ?? ''} ${typeof __dirname}`; } }\n");
writeFileSync(join(folder, "main.js"), "import Greeter, * as all from './lib.js';\nexport const text = new Greeter().greet();\nexport const names = Object.keys(all);\nexport const REPLACED = 'constant';\n");

require("@babel/register")({
  cache: false,
  babelrc: false,
  configFile: false,
  only: [(name) => name.startsWith(folder)],
  presets: [["@babel/preset-env", { targets: { node: "10" } }]],
  plugins: [
    ({ types }) => ({
      visitor: {
        StringLiteral(path) {
          if (path.node.value === "constant") path.replaceWith(types.stringLiteral("changed"));
        },
      },
    }),
  ],
});
const main = require(join(folder, "main.js"));
console.log(main.text, main.names, main.REPLACED, main.__esModule);
writeFileSync(join(folder, "broken.js"), "export const = 1;\n");
try {
  require(join(folder, "broken.js"));
} catch (error) {
  console.log(error.code, error.reasonCode, error.loc?.line, error.loc?.column);
}

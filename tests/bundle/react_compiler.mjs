// expected: written by hand
// `reactCompiler` gives the project's modules to React's compiler, a plugin of the project's Babel: here both are small packages that
// tell what they are asked. The compiler itself is run by hand (docs/projects.md).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "react-compiler-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
process.chdir(folder);
const write = (name, text) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};

write("app.tsx", 'import { Part } from "part";\nimport { useIt } from "./hook.ts";\nimport data from "./data.json";\nconsole.log(useIt(data.one as number), Part, <a.b />);\n');
write("hook.ts", "export const useIt = (value: number) => value + 1;\n");
write("data.json", '{ "one": 1 }');
write("node_modules/part/package.json", '{ "name": "part", "main": "part.jsx" }');
write("node_modules/part/part.jsx", 'export const Part = "part";\n');
write("node_modules/react/package.json", '{ "name": "react", "version": "18.3.1" }');

async function build(options) {
  try {
    const result = await Bun.build({
      entrypoints: ["app.tsx"],
      external: ["react/*"],
      reactCompiler: true,
      throw: false,
      ...options,
    });
    const text = result.success ? await result.outputs[0].text() : result.logs.map(String).join();
    console.log(JSON.stringify(options), result.success, text.match(/"compiled [^"]*"/g) ?? text.replaceAll(folder, "TMP").split("\n")[0]);
  } catch (error) {
    console.log(JSON.stringify(options), error.message.replaceAll(folder, "TMP"));
  }
}

await build({});
write("node_modules/@babel/core/package.json", '{ "name": "@babel/core", "main": "index.cjs" }');
write(
  "node_modules/@babel/core/index.cjs",
  `const { basename } = require("node:path");
exports.transformAsync = async (code, { filename, plugins: [[compiler, { target }]], parserOpts, babelrc, configFile }) => {
  if (code.includes("MISTAKE")) throw new SyntaxError(basename(filename) + ": a mistake");
  if (code.includes("NOTHING")) return null;
  const said = [basename(filename), basename(compiler), target, parserOpts.plugins.slice(0, 2).join("+"), babelrc, configFile];
  return { code: code + 'console.log("compiled ' + said.join(" ") + '");\\n', map: null };
};
`,
);
await build({});
write("node_modules/babel-plugin-react-compiler/package.json", '{ "name": "babel-plugin-react-compiler", "main": "compiler.cjs" }');
write("node_modules/babel-plugin-react-compiler/compiler.cjs", "");
await build({});
// The compiler sees what was written, whatever other plugins make of it, and these see what it has made.
await build({
  plugins: [
    {
      name: "late",
      transform: (code, id) => (id.endsWith("app.tsx") ? code.replace("compiled", "compiled late").replace(/<.*>/, "1") : null),
    },
  ],
});
await build({ reactCompiler: false });
for (const target of ["node", "bun"]) await build({ target });
await build({ target: "node", reactCompilerOutputMode: "client" });
for (const reactCompilerOutputMode of ["ssr", "lint", 1]) await build({ reactCompilerOutputMode });
write("node_modules/react/package.json", '{ "name": "react", "version": "19.2.0" }');
await build({});
const { stdout } = Bun.spawnSync([process.execPath, "build", "app.tsx", "--react-compiler", "--external", "react/*"]);
console.log(String(stdout).match(/"compiled [^"]*"/g));
write("hook.ts", "export const useIt = (value: number) => value; // NOTHING\n");
await build({});
write("hook.ts", "export const useIt = (value: number) => value; // MISTAKE\n");
await build({});

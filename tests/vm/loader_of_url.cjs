// What code with a URL as its name imports by the main loader is looked for beside the file of that URL, and not in the working directory.
// expected: recorded from node 25.9.0
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const vm = require("node:vm");
const { pathToFileURL } = require("node:url");
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "loader of url "));
fs.writeFileSync(path.join(dir, "here.mjs"), "export default 'beside it';");
const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
(async () => {
  for (const end of ["", "?t=1", "#part", "?t=./x#part"]) {
    const filename = pathToFileURL(path.join(dir, "made up.js")).href + end;
    const called = vm.compileFunction("return import('./here.mjs')", [], { filename, importModuleDynamically });
    const run = vm.runInThisContext("import('./here.mjs')", { filename, importModuleDynamically });
    console.log(JSON.stringify(end), (await called()).default, (await run).default);
  }
  const missing = vm.runInThisContext("import('./none.mjs')", { filename: pathToFileURL(path.join(dir, "x.js")).href, importModuleDynamically });
  console.log(await missing.catch((error) => error.code));
  fs.rmSync(dir, { recursive: true });
})();

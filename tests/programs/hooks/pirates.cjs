// pirates and require.extensions: text that is changed before it is compiled.
const { mkdtempSync, writeFileSync, rmSync } = require("node:fs");
const { join } = require("node:path");
const { addHook } = require("pirates");

const folder = mkdtempSync(join(__dirname, "pirates-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const file = (name, text) => (writeFileSync(join(folder, name), text), join(folder, name));

const one = file("one.js", "module.exports = 'before ' + __filename.endsWith('one.js');\n");
const style = file("style.css2", "a { color: red }");
const esm = file("esm.js", "export default 'VALUE'; export const other = 1;\n");

const revert = addHook((code, name) => code.replace("before", `after ${name === one}`), {
  exts: [".js"],
  matcher: (name) => name.startsWith(folder),
  ignoreNodeModules: false,
});
const revertStyle = addHook((code) => `module.exports = ${JSON.stringify(code.length)}`, {
  exts: [".css2"],
  ignoreNodeModules: false,
});
const revertEsm = addHook((code) => code.replace("export default", "exports.default =").replace("export const other", "exports.other"), {
  exts: [".js"],
  matcher: (name) => name === esm,
});
console.log(require(one), require(style), require(esm));
revert();
revertStyle();
revertEsm();
delete require.cache[one];
console.log(require(one), Object.keys(require.extensions).includes(".css2"));

// Two hooks on one extension, and an error inside of one.
const first = addHook((code) => code + ";module.exports += ' first'", { exts: [".js"], matcher: (name) => name === one });
const second = addHook((code) => code + ";module.exports += ' second'", { exts: [".js"], matcher: (name) => name === one });
delete require.cache[one];
console.log(require(one));
first();
second();
addHook(() => 1, { exts: [".js"], matcher: (name) => name === one });
delete require.cache[one];
try {
  require(one);
} catch (error) {
  console.log(error.message.split("\n")[0]);
}

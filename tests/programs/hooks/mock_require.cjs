// mock-require, module-alias and rewire: other modules under a name, names of one's own, variables of a module.
const { mkdtempSync, writeFileSync, rmSync } = require("node:fs");
const { join } = require("node:path");
const mock = require("mock-require");
const alias = require("module-alias");
const rewire = require("rewire");

const folder = mkdtempSync(join(__dirname, "mock-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const file = (name, text) => (writeFileSync(join(folder, name), text), join(folder, name));

mock("os", { hostname: () => "mocked" });
mock("pirates", { here: true });
const real = file("real.js", "module.exports = 'real';\n");
const user = file("user.js", "module.exports = [require('os').hostname(), require('pirates').here, require('./real')];\n");
mock(real, { not: "real" });
console.log(require(user));
mock.stopAll();
console.log(mock.reRequire(real), typeof require("os").cpus);
try {
  require("pirates/no-such-file");
} catch (error) {
  console.log(error.code);
}

alias.addAlias("@folder", folder);
alias.addAlias("@made", (from, request) => join(folder, request === "@made/one" ? "." : ".."));
file("one.js", "module.exports = 'one ' + require('@folder/real');\n");
console.log(require("@folder/one"), require("@made/one"));
alias.reset();

const subject = rewire(file("rewired.js", "const fs = require('node:fs'); const secret = 1; let count = 0; exports.get = () => [secret, ++count, typeof fs.x];\n"));
subject.__set__("count", 10);
const undo = subject.__set__({ fs: { x: 1 }, secret: 2 });
console.log(subject.get(), subject.__get__("count"));
undo();
console.log(subject.get());

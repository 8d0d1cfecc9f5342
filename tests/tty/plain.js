// node:tty where nothing is a terminal: isatty, the constructors' errors, what the standard streams are.
const tty = require("node:tty");
const fs = require("node:fs");

console.log([0, 1, 2, 99, -1, 1.5, "0", undefined].map((fd) => tty.isatty(fd)));
for (const fd of [-1, 1.5, "x"]) {
  try {
    new tty.ReadStream(fd);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
const file = fs.openSync(__filename, "r");
for (const Stream of [tty.ReadStream, tty.WriteStream]) {
  try {
    new Stream(file);
  } catch (error) {
    console.log(Stream.name, error.name, error.code);
  }
}
fs.closeSync(file);
console.log(process.stdout.isTTY, process.stdout.columns, typeof process.stdout.setRawMode);
const { prototype } = tty.WriteStream;
console.log(["getColorDepth", "hasColors", "cursorTo", "moveCursor", "clearLine", "getWindowSize"].map((name) => typeof prototype[name]));
for (const env of [{ NO_COLOR: "1" }, { FORCE_COLOR: "3" }, { TERM: "dumb" }, { COLORTERM: "truecolor" }, { TERM: "xterm-256color" }]) {
  console.log(JSON.stringify(env), prototype.getColorDepth(env), prototype.hasColors(16, env));
}

// Compiles test libraries: `build("basic.c")` gives the path of the library made of tests/ffi/support/basic.c. Without gcc the test prints
// what it must and says on standard error that it was skipped.
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bao-ffi-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

exports.folder = folder;
exports.build = (source, output = source.replace(/\.c$/, ".so")) => {
  const target = path.join(folder, output);
  const words = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-pthread", path.join(__dirname, source), "-o", target];
  const result = spawnSync("gcc", words, { encoding: "utf8" });
  if (result.error?.code === "ENOENT") {
    console.error("skipped: gcc is not installed (apt-get install gcc)");
    process.stdout.write(fs.readFileSync(process.argv[1].replace(/\.[cm]?js$/, ".out")));
    process.exit(0);
  }
  if (result.status !== 0) throw new Error(result.stderr);
  return target;
};
/** Runs `f` and gives its result, or what it throws, as text. */
exports.attempt = (f) => {
  try {
    return f();
  } catch (error) {
    const message = `${error.name}${error.code ? ` ${error.code}` : ""}: ${error.message}`;
    return message.replaceAll(folder, "");
  }
};

// Compiles test addons. `build("values.c")` gives the path of the addon made of tests/napi/support/values.c. Without gcc the
// test prints what it must and says on standard error that it was skipped.
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bao-napi-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

const skip = () => {
  console.error("skipped: gcc is not installed (apt-get install gcc)");
  const test = process.argv[1];
  process.stdout.write(fs.readFileSync(test.replace(/\.[cm]?js$/, ".out")));
  process.exit(0);
};

exports.folder = folder;
exports.build = (source, output = source.replace(/\.c$/, ".node"), ...flags) => {
  const target = path.join(folder, output);
  const result = spawnSync(
    "gcc",
    ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-pthread", ...flags, path.join(__dirname, source), "-o", target],
    { encoding: "utf8" },
  );
  if (result.error?.code === "ENOENT") skip();
  if (result.status !== 0) throw new Error(result.stderr);
  return target;
};
/** Collects until `done` or some turns have passed. */
exports.collect = async (done) => {
  for (let i = 0; i < 20 && !done(); i++) {
    Bun.gc(true);
    await new Promise((resolve) => setImmediate(resolve));
  }
};

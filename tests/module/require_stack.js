// The error of require.resolve has `requireStack`, as that of require; `require.extensions` count for both.
// expected: recorded from node 25.9.0
const { basename } = require("node:path");
const show = (what) => {
  try {
    console.log(basename(what()));
  } catch (error) {
    const lines = error.message.split("\n").map((line) => line.replace(/\/.*\//, ""));
    console.log(error.code, error.requireStack.map((file) => basename(file)), JSON.stringify(lines));
  }
};
show(() => require.resolve("./nowhere"));
show(() => require.resolve("no-such-package"));
show(() => require.resolve("no-such-package", { paths: ["/tmp"] }));
show(() => require.resolve("fs/nowhere"));
show(() => require("./nowhere"));
show(() => require("node:module").createRequire(__filename).resolve("no-such-package"));
require.extensions[".out"] = () => {};
show(() => require.resolve("./interop"));

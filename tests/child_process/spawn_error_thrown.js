// expected: recorded from node 25.9
// An error that a listener of 'error' throws is the program's, and no 'close' comes to hide it.
const { spawn } = require("node:child_process");
process.on("uncaughtException", (error) => console.log("uncaught", error.message));
for (const stdio of ["inherit", "pipe"]) {
  const child = spawn("/nonexistent", { stdio });
  child.on("error", (error) => {
    console.log(stdio, error.code);
    throw new Error("mine");
  });
  child.on("close", () => console.log("close"));
}

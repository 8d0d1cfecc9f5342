// Packages such as process-on-spawn (nyc, tap) put themselves before the starts of processes: by ChildProcess.prototype.spawn, and by
// the binding of the synchronous half. Both get the variables as pairs and may change them.
import { ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";

process.removeAllListeners("warning");
const binding = process.binding("spawn_sync");
const wrap = (name, original) =>
  function (options) {
    console.log(name, options.file, options.args, options.envPairs.includes("FROM_PARENT=1"));
    options.envPairs = [...options.envPairs, `WRAPPED=${name}`];
    return original.call(this, options);
  };
process.env.FROM_PARENT = "1";
binding.spawn = wrap("sync", binding.spawn);
ChildProcess.prototype.spawn = wrap("async", ChildProcess.prototype.spawn);

console.log(spawnSync("sh", ["-c", "echo $WRAPPED $FROM_PARENT; cat"], { input: "in", encoding: "utf8" }).stdout);
console.log(execFileSync("sh", ["-c", "echo $WRAPPED"]).toString());
const failed = spawnSync("/nonexistent");
console.log(failed.error.code, failed.error.syscall, failed.status, failed.output);
const killed = spawnSync("sh", ["-c", "kill -9 $$"]);
console.log(killed.status, killed.signal, killed.stdout);
spawn("sh", ["-c", "echo $WRAPPED $FROM_PARENT"]).stdout.on("data", (data) => console.log(String(data)));

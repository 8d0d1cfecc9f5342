// expected: recorded from node 25.9.0. A worker with an `execArgv` of its own loads none of what the command line loads first, as programs ask for
// that make workers while they are preloaded.
import { spawnSync } from "node:child_process";
import { isMainThread, Worker } from "node:worker_threads";
import { fileURLToPath } from "node:url";

const self = fileURLToPath(import.meta.url);
const required = fileURLToPath(new URL("./support/required.cjs", import.meta.url));
const imported = ["--import", "data:text/javascript,globalThis.imported=1"];
const say = (name) => console.log(name, "imported", globalThis.imported, "required", globalThis.required);

if (!isMainThread) {
  say("worker");
} else if (process.argv[2] === "again") {
  say("main");
  const run = (options) => new Promise((resolve) => new Worker(self, options).on("exit", resolve));
  await run({});
  await run({ execArgv: [] });
  await run({ execArgv: ["--no-warnings"] });
  await run({ execArgv: imported });
} else {
  const { stdout } = spawnSync(process.execPath, [...imported, `--require=${required}`, self, "again"], { encoding: "utf8" });
  process.stdout.write(stdout);
}

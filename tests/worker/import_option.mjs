// expected: recorded from node 25.9. `--import` is for programs that are modules of their own, `--require` for all threads.
import { spawnSync } from "node:child_process";
import { Worker, isMainThread } from "node:worker_threads";
import { fileURLToPath } from "node:url";

const imported = ["--import", "data:text/javascript,globalThis.imported=1"];
const run = (program, options) => new Promise((resolve) => new Worker(program, options).on("exit", resolve));
const self = fileURLToPath(import.meta.url);

if (process.argv[2] !== "again") {
  const required = fileURLToPath(new URL("./support/required.cjs", import.meta.url));
  const { stdout } = spawnSync(process.execPath, [...imported, "--require", required, self, "again"], { encoding: "utf8" });
  process.stdout.write(stdout);
} else if (process.argv[3] === "execArgv") {
  console.log("file of execArgv", globalThis.imported);
} else if (!isMainThread) {
  console.log("file", globalThis.imported, globalThis.required);
} else {
  console.log("main", globalThis.imported, globalThis.required);
  const show = 'console.log("text", globalThis.imported, globalThis.required)';
  await run(show, { eval: true });
  await run(self, { argv: ["again"] });
  // What `execArgv` names is imported, too: not in front of a text.
  const execArgv = ["--import", "data:text/javascript,globalThis.imported = await 2"];
  await run('console.log("text of execArgv", globalThis.imported)', { eval: true, execArgv });
  await run(self, { argv: ["again", "execArgv"], execArgv });
  await run(new URL('data:text/javascript,console.log("data", globalThis.imported, globalThis.required)'));
}

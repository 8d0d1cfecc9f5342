// expected: written by hand
// A client that comes late stops at what hot code throws and catches itself.
import { start } from "./fixtures/client.mjs";

const program = await start("catches.js", ["--inspect=0"]);
const client = await program.connect();
await client.next("Runtime.consoleAPICalled");
await client.post("Debugger.setPauseOnExceptions", { state: "all" });
for (let stop = 0; stop < 3; stop++) {
  const { reason, data } = await client.stop();
  console.log(reason, client.place(), data.uncaught);
  await client.post("Debugger.resume");
}
await client.post("Debugger.setPauseOnExceptions", { state: "none" });
void client.post("Runtime.evaluate", { expression: "process.exit(3)" });
await client.next("Runtime.executionContextDestroyed");
client.close();
console.log(await program.ended);

// Stops at exceptions, caught and not; the error that ends a program; a pause between microtasks runs no other one; two clients.
import { start, urlOf } from "./fixtures/client.mjs";

{
  const program = await start("throws.js");
  const client = await program.connect();
  await client.post("Debugger.setPauseOnExceptions", { state: "all" });
  await client.post("Runtime.runIfWaitingForDebugger");
  await client.stop();
  const seen = [];
  for (let round = 0; round < 3; round++) {
    await client.post("Debugger.resume");
    const { reason, data } = await client.stop();
    seen.push(`${reason} ${client.place()} ${data.description?.split("\n")[0] ?? data.value} ${data.uncaught}`);
  }
  console.log(seen.join("\n"));
  await client.post("Debugger.resume");
  const { exceptionDetails } = await client.next("Runtime.exceptionThrown");
  console.log(exceptionDetails.text, exceptionDetails.exception.description.split("\n")[0]);
  client.close();
  console.log(await program.ended, program.output.trim());
}

{
  const program = await start("throws.js");
  const client = await program.connect();
  await client.post("Debugger.setPauseOnExceptions", { state: "uncaught" });
  await client.post("Runtime.runIfWaitingForDebugger");
  await client.stop();
  await client.post("Debugger.resume");
  const { data } = await client.stop();
  console.log(client.place(), data.description.split("\n")[0], data.uncaught);
  client.close();
  console.log(await program.ended);
}

{
  const program = await start("microtasks.js");
  const client = await program.connect();
  const second = await program.connect();
  await client.post("Runtime.runIfWaitingForDebugger");
  await client.stop();
  await second.stop();
  await client.post("Debugger.resume");
  await client.stop();
  const { callFrames } = await second.stop();
  console.log(client.place(), callFrames.length === client.paused.callFrames.length);
  // What an evaluation queues runs later, when the program's turn comes.
  console.log(await client.evaluate("Promise.resolve().then(() => order.push('evaluated')); order.join()"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(await client.evaluate("order.join()"));
  await second.post("Debugger.resume");
  await client.next("Debugger.resumed");
  const log = await client.next("Runtime.consoleAPICalled");
  console.log(
    log.type,
    log.args[0].value.split(",").sort().join(),
    log.stackTrace.callFrames[0].url === urlOf("microtasks.js"),
  );
  client.close();
  second.close();
  console.log(await program.ended, program.output.trim());
}

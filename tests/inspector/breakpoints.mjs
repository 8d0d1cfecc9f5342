// Breakpoints that are set before their scripts exist, in JavaScript and in TypeScript, with conditions and by patterns; steps;
// values in frames; the end after the client has gone.
import { start, urlOf } from "./fixtures/client.mjs";

{
  const program = await start("steps.js");
  const client = await program.connect();
  const other = await client.post("Debugger.setBreakpointByUrl", { lineNumber: 2, urlRegex: ".*steps_other\\.js$" });
  console.log(other.breakpointId.split(":").slice(0, 3).join(":"), other.locations);
  await client.post("Debugger.setBreakpointByUrl", {
    lineNumber: 4,
    url: urlOf("steps.js"),
    condition: "result === 4",
  });
  await client.post("Runtime.runIfWaitingForDebugger");
  const { reason } = await client.stop();
  console.log(reason, client.place());
  await client.post("Debugger.resume");
  for (let round = 0; round < 3; round++) {
    const paused = await client.stop();
    console.log(client.place(), paused.hitBreakpoints.length, await client.evaluate("JSON.stringify([both, a + b])"));
    console.log(
      paused.callFrames
        .map((frame) => client.place(frame))
        .slice(0, 3)
        .join(" < "),
    );
    await client.post("Debugger.resume");
  }
  await client.stop();
  console.log(client.place(), await client.evaluate("result"), await client.evaluate("nothing"));
  const local = client.paused.callFrames[0].scopeChain[0];
  const { result } = await client.post("Runtime.getProperties", { objectId: local.object.objectId });
  console.log(
    local.type,
    local.name,
    result
      .map(({ name, value }) => `${name}=${value.value}`)
      .sort()
      .join(),
  );
  const { callFrameId } = client.paused.callFrames[0];
  await client.post("Debugger.setVariableValue", {
    scopeNumber: 0,
    variableName: "value",
    newValue: { value: 40 },
    callFrameId,
  });
  console.log(await client.evaluate("value + 2"));
  await client.post("Debugger.stepOut");
  await client.stop();
  console.log(client.place());
  await client.post("Debugger.resume");
  await client.stop();
  console.log(client.paused.reason, client.place());
  await client.post("Debugger.stepOver");
  await client.stop();
  console.log(client.place());
  await client.post("Debugger.resume");
  await client.next("Runtime.executionContextDestroyed");
  client.close();
  console.log(await program.ended, program.output);
}

{
  const program = await start("typed.ts");
  const client = await program.connect();
  for (const lineNumber of [11, 22]) {
    await client.post("Debugger.setBreakpointByUrl", { lineNumber, url: urlOf("typed.ts") });
  }
  await client.post("Runtime.runIfWaitingForDebugger");
  await client.stop();
  console.log(client.place());
  await client.post("Debugger.resume");
  await client.stop();
  console.log(client.place(), await client.evaluate("this.corner.x"));
  await client.post("Debugger.stepInto");
  await client.stop();
  console.log(client.place(), await client.evaluate("point.y"));
  await client.post("Debugger.stepOver");
  await client.stop();
  console.log(client.place(), await client.evaluate("square"));
  const script = [...client.scripts.values()].find(({ url }) => url === urlOf("typed.ts"));
  const { scriptSource } = await client.post("Debugger.getScriptSource", { scriptId: script.scriptId });
  console.log(scriptSource.split("\n")[0], JSON.stringify(script.sourceMapURL));
  // A client that goes lets the program go on.
  client.close();
  console.log(await program.ended, program.output);
}

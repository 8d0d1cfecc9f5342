// A program that runs: a client stops its loop, looks, ends its code; the addresses under /json; messages of the console that come
// before the client.
import { start } from "./fixtures/client.mjs";

const program = await start("busy.js", ["--inspect=0"]);
const { host } = new URL(program.url);
const [target] = await (await fetch(`http://${host}/json/list`)).json();
console.log(target.type, target.title.endsWith("busy.js"), target.webSocketDebuggerUrl === program.url);
const { Browser } = await (await fetch(`http://${host}/json/version`)).json();
console.log(Browser.startsWith("node.js/v"));
const { domains } = await (await fetch(`http://${host}/json/protocol`)).json();
console.log(domains.map(({ domain }) => domain).includes("Debugger"));

const client = await program.connect();
const { args } = await client.next("Runtime.consoleAPICalled");
console.log(args[0].value);
await client.post("Debugger.pause");
const paused = await client.stop();
console.log(paused.reason, client.place(), (await client.evaluate("count")) > 0);
await client.evaluate("count = -1");
await client.post("Debugger.resume");
await client.next("Runtime.consoleAPICalled", (call) => call.args[0].value === "counted down");
const late = await client
  .post("Runtime.evaluate", { expression: "while (true);", timeout: 50 })
  .catch((error) => error.message);
console.log(late);
const { result } = await client.post("Runtime.evaluate", {
  expression: "let twice = 1; const more = await 2; twice + more",
  replMode: true,
});
const again = await client.post("Runtime.evaluate", { expression: "let twice = 20; twice", replMode: true });
console.log(result.value, again.result.value);
await client.post("Nope.nope").catch((error) => console.log(error.code, error.message));
// Its answer never comes.
void client.post("Runtime.evaluate", { expression: "process.exit(3)" });
await client.next("Runtime.executionContextDestroyed");
client.close();
console.log(await program.ended);

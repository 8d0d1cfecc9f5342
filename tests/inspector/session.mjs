// node:inspector without a debugger: what frameworks ask when they start, and a session's commands and errors.
import inspector, { Session, url } from "node:inspector";
import { Session as PromiseSession } from "node:inspector/promises";

console.log(url(), typeof inspector.console.log, Object.keys(inspector).slice(0, 6).join());
const told = (name, run) => {
  try {
    console.log(name, run());
  } catch (error) {
    console.log(name, error.code, error.message);
  }
};
told("wait", () => inspector.waitForDebugger());
told("close", () => inspector.close());
const session = new Session();
told("not connected", () => session.post("Runtime.enable"));
session.connect();
told("twice", () => session.connect());
told("main", () => session.connectToMainThread());
told("type", () => session.post(1));
told("params", () => session.post("Runtime.enable", 1));
let before = true;
session.post("Runtime.getHeapUsage", (error, usage) => {
  console.log(error, Object.keys(usage).slice(0, 2).join(), usage.usedSize > 1000, before);
});
before = false;
session.post("Nope.nope", (error) => console.log(error.code, error.message));

let chunks = 0;
let text = "";
let notifications = 0;
session.on("HeapProfiler.addHeapSnapshotChunk", (message) => {
  chunks++;
  text += message.params.chunk;
});
session.on("inspectorNotification", () => notifications++);
session.post("HeapProfiler.takeHeapSnapshot", (error, answer) => console.log(error, answer));
await new Promise((resolve) => setTimeout(resolve, 1));
console.log(chunks > 1, chunks === notifications, JSON.parse(text).snapshot.meta.node_fields.length > 5);
session.disconnect();
told("disconnected", () => session.post("Runtime.enable"));

const promises = new PromiseSession();
promises.connect();
console.log(await promises.post("HeapProfiler.enable"), await promises.post("HeapProfiler.collectGarbage"));
await promises.post("Nope.nope").catch((error) => console.log(error.code, error.message));
promises.disconnect();

// The port is an int32.
for (const value of [0, "1024", Infinity, 1 << 16, {}]) {
  try {
    process.debugPort = value;
    console.log(process.debugPort);
  } catch (error) {
    console.log(error.code);
  }
}

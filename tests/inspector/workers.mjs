// expected: recorded from node 25.9.0, but for "left": there a worker goes on waiting for a session that has gone
// NodeWorker: the main thread's sessions with its workers, which wait for them; connectToMainThread; a server of a worker's own.
import { Session, open, url } from "node:inspector";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const file = fileURLToPath(import.meta.url);
const posting = (session) => (method, params) =>
  new Promise((resolve, reject) => session.post(method, params, (error, answer) => (error ? reject(error) : resolve(answer))));
const event = async (emitter, name) => (await once(emitter, name))[0].params;

/** The protocol of a worker over the main thread's session. */
class WorkerSession {
  #last = 0;
  #waiting = new Map();
  events = [];
  constructor(session, id) {
    this.post = (method, params) =>
      new Promise((resolve) => {
        this.#waiting.set(++this.#last, resolve);
        const message = JSON.stringify({ id: this.#last, method, params });
        session.post("NodeWorker.sendMessageToWorker", { sessionId: id, message });
      });
    session.on("NodeWorker.receivedMessageFromWorker", ({ params }) => {
      if (params.sessionId !== id) return;
      const message = JSON.parse(params.message);
      if (message.id === undefined) {
        this.events.push(message.method);
        this.onevent?.(message);
      } else {
        this.#waiting.get(message.id)(message.result ?? message.error);
      }
    });
  }
}

async function waiting() {
  const session = new Session();
  session.connect();
  const post = posting(session);
  console.log(await post("NodeWorker.enable", {}).catch((error) => error.message));
  console.log(await post("NodeWorker.enable", { waitForDebuggerOnStart: true }));
  const attached = event(session, "NodeWorker.attachedToWorker");
  const worker = new Worker(file, { workerData: "add", name: "adder" });
  const { sessionId, workerInfo, waitingForDebugger } = await attached;
  console.log(sessionId, workerInfo.type, workerInfo.title.replace(/\d+/, "N"), workerInfo.url === import.meta.url, waitingForDebugger);
  const inner = new WorkerSession(session, sessionId);
  const detached = event(session, "NodeWorker.detachedFromWorker");
  console.log(await post("NodeWorker.sendMessageToWorker", { sessionId: "none", message: "{}" }));
  console.log((await inner.post("Nope.nope")).message);
  await inner.post("Runtime.enable");
  const { result } = await inner.post("Runtime.evaluate", { expression: "typeof process + 6 * 7" });
  console.log(result.value);
  const said = new Promise((resolve) => {
    inner.onevent = ({ method, params }) => {
      if (method === "Runtime.consoleAPICalled") resolve(params.args.map((argument) => argument.value));
    };
  });
  await inner.post("Runtime.runIfWaitingForDebugger");
  console.log(await said, (await once(worker, "exit"))[0]);
  console.log(await detached, inner.events.at(-1));

  // A session that leaves lets workers begin.
  const again = event(session, "NodeWorker.attachedToWorker");
  const second = new Worker(file, { workerData: "add" });
  console.log((await again).workerInfo.title.replace(/\d+/, "N"));
  session.disconnect();
  console.log("left", await once(second, "exit"));
}

async function running() {
  const session = new Session();
  session.connect();
  const post = posting(session);
  const worker = new Worker(file, { workerData: "stay" });
  await once(worker, "message");
  const attached = event(session, "NodeWorker.attachedToWorker");
  await post("NodeWorker.enable", { waitForDebuggerOnStart: false });
  const { sessionId, waitingForDebugger } = await attached;
  console.log("running", waitingForDebugger);
  const inner = new WorkerSession(session, sessionId);
  await inner.post("Debugger.enable");
  // Stops a loop that never comes back.
  const paused = new Promise((resolve) => {
    inner.onevent = ({ method, params }) => method === "Debugger.paused" && resolve(params.callFrames[0].functionName);
  });
  worker.postMessage("loop");
  await once(worker, "message");
  await inner.post("Debugger.pause");
  console.log(await paused);
  const detached = event(session, "NodeWorker.detachedFromWorker");
  await post("NodeWorker.detach", { sessionId });
  console.log(await detached);
  console.log("ended", await worker.terminate());
  session.disconnect();
}

async function short() {
  const session = new Session();
  session.connect();
  const counts = { attached: 0, detached: 0 };
  session.on("NodeWorker.attachedToWorker", () => counts.attached++);
  session.on("NodeWorker.detachedFromWorker", () => counts.detached++);
  await posting(session)("NodeWorker.enable", { waitForDebuggerOnStart: false });
  // It has a session with the same number.
  await once(new Worker(file, { workerData: "watcher" }), "exit");
  await Promise.all(Array.from({ length: 20 }, () => once(new Worker("0", { eval: true }), "exit")));
  for (let turn = 0; turn < 100 && counts.detached < 21; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
  console.log("short", counts);
  session.disconnect();
}

async function toMain() {
  const worker = new Worker(file, { workerData: "main" });
  globalThis.answer = 42;
  console.log((await once(worker, "message"))[0]);
  console.log(await once(worker, "exit"));
}

async function servers() {
  using server = open(0);
  const own = url();
  const worker = new Worker(file, { workerData: "server" });
  const [[first, second]] = await once(worker, "message");
  console.log(first, second !== own && second.startsWith("ws://127.0.0.1:"));
  await once(worker, "exit");
  console.log(url() === own);
}

if (isMainThread) {
  await waiting();
  await running();
  await short();
  await toMain();
  await servers();
  console.log(url());
} else if (workerData === "add") {
  console.log("in the worker", 1 + 1);
} else if (workerData === "stay") {
  parentPort.postMessage("here");
  parentPort.once("message", function spin() {
    parentPort.postMessage("spinning");
    for (let turns = 0; ; turns++) globalThis.turns = turns;
  });
} else if (workerData === "watcher") {
  const session = new Session();
  session.connect();
  session.post("NodeWorker.enable", { waitForDebuggerOnStart: false }, () => {});
  session.disconnect();
} else if (workerData === "main") {
  // A session keeps nobody alive.
  const alive = setInterval(() => {}, 1000);
  const session = new Session();
  session.connectToMainThread();
  let code;
  try {
    session.connectToMainThread();
  } catch (error) {
    code = error.code;
  }
  const post = posting(session);
  const { result } = await post("Runtime.evaluate", { expression: "answer" });
  const refused = await post("Nope.nope").catch((error) => error.message);
  // A command is done when the one before it has ended.
  const loop = "answer = 1; for (const start = Date.now(); Date.now() - start < 150; ); answer = 2";
  const [, then] = await Promise.all([loop, "answer"].map((expression) => post("Runtime.evaluate", { expression })));
  session.disconnect();
  clearInterval(alive);
  parentPort.postMessage([code, result.value, refused, then.result.value]);
} else {
  const before = url();
  open(0);
  parentPort.postMessage([before, url()]);
}

// The domains Runtime and Debugger in a session of the program with itself, as Node has them: values, properties, promises, stops
// that are told and go on.
import { Session } from "node:inspector/promises";
import inspector from "node:inspector";

const session = new Session();
session.connect();
const contexts = [];
session.on("Runtime.executionContextCreated", ({ params }) => contexts.push(params.context));
await session.post("Runtime.enable");
console.log(contexts[0].id, contexts[0].auxData.isDefault);

const show = async (expression, options) => {
  const { result, exceptionDetails } = await session.post("Runtime.evaluate", { expression, ...options });
  const { objectId, preview, ...rest } = result;
  if (rest.description?.includes("\n")) rest.description = rest.description.split("\n")[0];
  console.log(expression, JSON.stringify(rest), exceptionDetails?.text ?? "");
  return { objectId, preview };
};
for (const expression of [
  "1 + 1",
  "-0",
  "1/0",
  "10n ** 20n",
  "'text'",
  "null",
  "undefined",
  "Symbol('s')",
  "[1, 2, 3]",
  "({ a: 1 })",
  "new Map([[1, 2]])",
  "new Set('ab')",
  "/x/gi",
  "new Date(NaN)",
  "new Uint8Array(4)",
  "new ArrayBuffer(8)",
  "(class Foo {})",
  "new (class Bar { x = 1 })()",
  "() => 1",
  "Promise.resolve(5)",
  "new Proxy({}, {})",
  "new WeakMap()",
  "(function* () {})()",
  "new RangeError('far')",
  "throw new TypeError('bad')",
  "nothing.there",
]) {
  await show(expression);
}
await show("({ a: [1, { b: 2 }], c: 'd', e: undefined })", { returnByValue: true });
await show("new Promise((resolve) => setTimeout(resolve, 1, 'later'))", { awaitPromise: true });
await show("Promise.reject(new Error('no'))", { awaitPromise: true });
const { preview } = await show("({ a: 1, b: 'two', c: [1], d: null, get e() { return 1 }, f() {}, g: 7 })", {
  generatePreview: true,
});
console.log(JSON.stringify(preview));
console.log(JSON.stringify((await show("new Map([['k', { v: 1 }]])", { generatePreview: true })).preview));

// A preview runs nothing of the program's.
globalThis.inside = { v: 1 };
const { push } = Array.prototype;
let hasRun = false;
Array.prototype.push = function (...items) {
  if (items.includes(inside)) hasRun = true;
  return Reflect.apply(push, this, items);
};
const previewed = await show("new Map([[inside, 1], [1, inside], [2, 0], [3, 0], [4, 0], [5, 0]])", { generatePreview: true });
Array.prototype.push = push;
console.log(hasRun, previewed.preview.entries.length, previewed.preview.overflow, previewed.preview.entries[0].key.properties[0].name);

const { objectId } = await show("globalThis.kept = { own: 1, get computed() { return 2 }, [Symbol('s')]: 3 }");
const { result, internalProperties } = await session.post("Runtime.getProperties", { objectId, ownProperties: true });
for (const { name, value, get, isOwn, enumerable } of result) {
  console.log(name, value?.value, get?.type, isOwn, enumerable);
}
console.log(internalProperties.map(({ name, value }) => `${name} ${value.description}`).join());
const called = await session.post("Runtime.callFunctionOn", {
  functionDeclaration: "function (a, b) { return [this.own, a, b.own] }",
  objectId,
  arguments: [{ value: { plain: true } }, { objectId }],
  returnByValue: true,
});
console.log(JSON.stringify(called.result.value));
await session.post("Runtime.releaseObject", { objectId });
await session.post("Runtime.getProperties", { objectId }).catch((error) => console.log(error.code, error.message));

const logged = [];
session.on("Runtime.consoleAPICalled", ({ params }) => logged.push(params));
console.warn("warned");
inspector.console.log("to clients only", { a: 1 });
console.log(logged.map(({ type, args }) => `${type} ${args.length} ${args[0].value}`).join());

// A stop is told at once; the program goes on when the listeners have returned.
const stops = [];
await session.post("Debugger.enable");
session.on("Debugger.paused", ({ params }) => {
  const [frame] = params.callFrames;
  const { callFrameId } = frame;
  stops.push(`${params.reason} ${frame.functionName}`);
  session.post("Debugger.evaluateOnCallFrame", { callFrameId, expression: "inside * 2" }).then(
    ({ result: value }) => stops.push(value.value),
    (error) => stops.push(error.message),
  );
});
(function stopsHere() {
  const inside = 21;
  debugger;
  stops.push(`went on ${inside}`);
})();
await 0;
console.log(stops.join(", "));
await session.post("Debugger.disable");
(() => {
  debugger;
})();
console.log(stops.length);
await session.post("Debugger.resume").catch((error) => console.log(error.message));
session.disconnect();

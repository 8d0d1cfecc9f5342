// expected: recorded from node 25.9.0
// A `stack` that a program has set goes with an error into its structured clone; one that is not a string becomes undefined.
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
const set = (error, stack) => Object.assign(error, { stack });
const show = (name, copy) =>
  console.log(
    name,
    Error.isError(copy),
    copy.constructor.name,
    JSON.stringify(copy.message),
    copy.stack,
    JSON.stringify(Object.getOwnPropertyDescriptor(copy, "stack")?.enumerable),
    Object.keys(copy).join(),
  );
show("set", structuredClone(set(new Error("x"), "my stack")));
show("class", structuredClone(set(new RangeError("x"), "my stack")));
class Mine extends TypeError {}
show("own class", structuredClone(set(new Mine("x"), "my stack")));
show("empty", structuredClone(set(new Error("x"), "")));
const bare = set(new Error("x"), "my stack");
delete bare.message;
show("no message", structuredClone(bare));
show("number", structuredClone(set(new Error("x"), 5)));
const accessor = new Error("x");
Object.defineProperty(accessor, "stack", { get: () => "from a getter", configurable: true });
show("getter", structuredClone(accessor));
const captured = new SyntaxError("x");
Error.captureStackTrace(captured);
console.log("captured", structuredClone(captured).stack === captured.stack);
const caused = structuredClone(set(new Error("x", { cause: set(new TypeError("y"), "inner stack") }), "outer stack"));
show("outer", caused);
show("cause", caused.cause);
const one = set(new EvalError("x"), "my stack");
const inside = structuredClone({ list: [one, one], map: new Map([["a", one]]) });
show("in a list", inside.list[0]);
console.log(inside.list[0] === inside.list[1], inside.map.get("a") === inside.list[0]);
const { port1, port2 } = new MessageChannel();
port1.postMessage({ one });
show("through a port", receiveMessageOnPort(port2).message.one);
port1.close();
console.log(structuredClone(new Error("plain")).stack.split("\n")[0]);
const cyclic = set(new Error("x"), "my stack");
cyclic.cause = { cyclic };
const itself = set(new Error("y"), "my stack");
itself.cause = itself;
const [cycle, own] = structuredClone([cyclic, itself]);
console.log(cycle.cause.cyclic === cycle, own.cause === own);
console.log(String(structuredClone(one).fileName).includes("internal/"));

// expected: written by hand
// debug() of the command line: of a bound function it stops the program where the function behind it is called, of a native one, which has no
// place to stop at, it throws.
import inspector from "node:inspector";

const session = new inspector.Session();
session.connect();
const stops = [];
session.on("Debugger.paused", ({ params }) => stops.push(`${params.callFrames[0].functionName} (${params.reason})`));
session.post("Debugger.enable");
const evaluate = (expression) =>
  session.post("Runtime.evaluate", { expression, includeCommandLineAPI: true }, (error, answer) => {
    const details = answer?.exceptionDetails;
    console.log(expression, "=>", error?.message ?? details?.exception?.description?.split("\n")[0] ?? answer.result.type);
  });

globalThis.work = function work(value) {
  return value * 2;
};
globalThis.bound = work.bind(null, 4).bind(undefined);
evaluate("debug(bound)");
console.log(bound(), work(3), stops.splice(0));
evaluate("undebug(bound)");
console.log(bound(), stops.splice(0));
evaluate("debug(Math.max)");
evaluate("debug(Math.max.bind(null, 1))");
evaluate("debug(5)");
console.log(Math.max(1, 2), stops);

// expected: recorded from Node 25.9
// `throwOnSideEffect`: code runs until it is about to change something that was there before.
import { Session } from "node:inspector";

const session = new Session();
session.connect();
globalThis.counter = 0;
globalThis.list = [3, 1, 2];
globalThis.o = {
  get side() {
    counter++;
    return 1;
  },
  get plain() {
    return counter + 1;
  },
  f() {
    return this.plain * 2;
  },
  set x(value) {},
};
globalThis.iterator = [1, 2][Symbol.iterator]();
globalThis.bump = () => {
  counter++;
};
globalThis.sum = (rounds) => {
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum += i;
  return sum;
};
globalThis.g = function* () {
  yield 1;
};

function evaluate(expression, more) {
  session.post("Runtime.evaluate", { expression, throwOnSideEffect: true, ...more }, (error, answer) => {
    const details = answer?.exceptionDetails;
    const { result } = answer ?? {};
    console.log(
      expression,
      "=>",
      error?.message ??
        (details ? details.exception.description?.split("\n")[0] ?? details.exception.value : undefined) ??
        JSON.stringify(result.value ?? result.description ?? result.type),
    );
  });
}

const pure = [
  "1 + 1", "counter", "o.plain", "o.f()", "sum(10)", "list.map((x) => x * 2)", "list.at(-1)", "Math.max(1, 2)", "Object.keys(o)",
  "JSON.stringify(o.f())", "({ a: 1 })", "[1, 2, 3]", "new Map([[1, 2]]).get(1)", "new Date(0).toISOString()", "'abc'.toUpperCase()",
  "'abc'.replace(/b/, 'x')", "`${list}`", "o.toString()", "notThere", "throw 1", "(() => { throw new Error('e'); })()", "list.slice(1).join()",
  "isNaN('x')", "Object.entries({ a: 1 })[0][1]", "list.filter((x) => x > 1).length", "typeof bump", "(function () { return this === globalThis; })()",
];
const effects = [
  "counter++", "counter = 5", "list.sort()", "list.length = 0", "list.push(1)", "Array.prototype.push.call(list, 1)", "o.side", "o.x = 1",
  "bump()", "Math.random()", "Object.assign(o, {})", "let z = 1", "var zz = 1", "iterator.next()", "g()", "process.exit(7)", "console.log('x')",
  "delete o.x", "globalThis.q = 1", "new URL('http://a/b').href", "setTimeout(() => {}, 1)", "eval('counter++')", "Function('counter++')()",
  "Reflect.set(o, 'y', 1)", "[1, 2].forEach((x) => (counter += x))", "structuredClone({ a: 1 })", "Object.freeze(list)",
];
for (const expression of pure) evaluate(expression);
for (const expression of effects) evaluate(expression);
evaluate("while (true) {}", { timeout: 50 });
console.log(counter, list, typeof zz, typeof q, iterator.next().value, Object.isFrozen(list));

// Without it all of that runs.
evaluate("counter++", { throwOnSideEffect: false });
evaluate("bump(), counter", { throwOnSideEffect: undefined });
console.log(counter);

// Of functions.
session.post("Runtime.evaluate", { expression: "o" }, (error, { result: { objectId } }) => {
  for (const functionDeclaration of ["function () { return this.plain; }", "function () { this.y = 1; }"]) {
    session.post("Runtime.callFunctionOn", { objectId, functionDeclaration, throwOnSideEffect: true }, (error, answer) => {
      console.log(answer.exceptionDetails?.exception.description.split("\n")[0] ?? answer.result.value);
    });
  }
});
console.log("y" in o);

// expected: recorded from node 25.9.0
// What the objects of generator functions inherit from, in hot code: functions whose `prototype` is set to another object or to
// none, closures of one script, several functions in turn, methods; also after collections.
const functions = () =>
  function* (n = 2) {
    for (let i = 1; i <= n; i++) yield i;
  };
const collect = globalThis.Bun?.gc ?? (() => {});
const inherits = (f, prototype) => Object.getPrototypeOf(f()) === prototype;
const count = (n, step) => {
  let good = 0;
  for (let i = 0; i < n; i++) if (step(i)) good++;
  return good;
};
const general = Object.getPrototypeOf(functions().prototype);

const f = functions();
console.log("own", count(3000, () => inherits(f, f.prototype) && [...f()].join() === "1,2"));

const other = { __proto__: general, marker: 1 };
f.prototype = other;
console.log("set", count(3000, () => inherits(f, other) && f().marker === 1));

f.prototype = 5;
console.log("none", count(3000, () => inherits(f, general)));

console.log(
  "in turn",
  count(3000, (i) => {
    f.prototype = [other, { __proto__: general }, null][i % 3];
    return inherits(f, f.prototype ?? general);
  }),
);

Object.defineProperty(f, "extra", { value: 1, configurable: true });
delete f.extra;
console.log(
  "deleted from",
  count(3000, (i) => {
    f.prototype = i % 2 ? other : general;
    return inherits(f, f.prototype);
  }),
);

console.log(
  "closures",
  count(3000, (i) => {
    const g = functions();
    if (i % 1000 === 0) collect(true);
    return inherits(g, g.prototype) && [...g(3)].join() === "1,2,3";
  }),
);

const many = Array.from({ length: 20 }, functions);
console.log("many", count(4000, (i) => inherits(many[i % 20], many[i % 20].prototype)));

class Numbers {
  constructor(first) {
    this.first = first;
  }
  *[Symbol.iterator]() {
    yield this.first;
    yield* Numbers.rest();
  }
  static *rest() {
    yield "rest";
  }
}
console.log(
  "methods",
  count(3000, (i) => {
    const [first, rest] = new Numbers(i);
    return first === i && rest === "rest";
  }),
);

function* withArguments() {
  yield arguments.length;
}
console.log("arguments", count(3000, (i) => [...withArguments(...Array(i % 5))][0] === i % 5));

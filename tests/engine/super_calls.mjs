// expected: recorded from node 25
// Constructors of derived classes that the program has not written: arguments, new.target, fields, parents that are changed,
// native or no constructors.
const log = (...words) => console.log(...words);
const attempt = (name, run) => {
  try {
    log(name, run());
  } catch (error) {
    log(name, error.name, error.message.includes("constructor") || error.message);
  }
};

class Base {
  constructor(...args) {
    this.args = args;
    this.target = new.target.name;
  }
}
class Counted {
  constructor(a, b, c = "default") {
    this.seen = `${arguments.length} ${a} ${b} ${c}`;
  }
}
class Middle extends Base {}
class Last extends Middle {
  field = this.args.length;
  #secret = this.target;
  secret() {
    return this.#secret;
  }
}
class Numbered extends Counted {}
class Inner extends class extends Numbered {} {}

// Hot, with each number of arguments at one place of call and at several.
let seen = "";
for (let i = 0; i < 3000; i++) {
  const list = [new Last(), new Last(i), new Last(i, 1), new Last(i, 1, 2), new Last(i, 1, 2, 3), new Last(1, 2, 3, 4, 5, 6), new Last(1, 2, 3, 4, 5, 6, 7), new Last(1, 2, 3, 4, 5, 6, 7, 8), new Last(1, 2, 3, 4, 5, 6, 7, 8, 9)];
  const numbered = [new Numbered(), new Numbered(i), new Inner(i, undefined, undefined), new Inner(1, 2, 3, i)];
  const spread = new Last(...Array(i % 12).keys());
  seen = [
    ...list.map((x) => `${x.args.join()}:${x.field}${x.secret()}`),
    ...numbered.map((x) => x.seen),
    spread.args.join(),
  ].join(" ");
}
log(seen);
log(Last.length, Last.name, Numbered.length, Object.getOwnPropertyNames(Last).sort().join());

// new.target
function Other() {}
const made = Reflect.construct(Last, [1, 2], Other);
log(made instanceof Other, made instanceof Last, made.target, made.args.join());
attempt("called", () => Last());
attempt("applied", () => Base.prototype.constructor.apply(new Last(), []));

// Native parents.
class List extends Array {}
class Failure extends TypeError {}
class Task extends Promise {}
class Dictionary extends Map {}
log(new List(3).length, new List(1, 2, 3).join(), List.from([1, 2]) instanceof List, new List(1, 2).map((x) => x + 1).join());
const failure = new Failure("message", { cause: "cause" });
log(failure.message, failure.cause, failure instanceof TypeError, failure.name, /super_calls/.test(failure.stack));
log(await new Task((resolve) => resolve("resolved")), new Dictionary([[1, 2]]).get(1));


// Parents that are changed, wrapped, or none.
class Moved extends Base {}
attempt("before", () => new Moved(1).target);
Object.setPrototypeOf(Moved, Counted);
attempt("moved", () => new Moved(1, 2).seen);
Object.setPrototypeOf(Moved, {});
attempt("object", () => new Moved(1));
Object.setPrototypeOf(Moved, Math.max);
attempt("method", () => new Moved());
Object.setPrototypeOf(Moved, null);
attempt("null", () => new Moved(1, 2, 3, 4));
class Nothing extends null {}
attempt("nothing", () => new Nothing());
class Wrapped extends new Proxy(Base, {
  construct: (target, args, newTarget) => Reflect.construct(target, ["trap", ...args], newTarget),
}) {}
attempt("proxy", () => new Wrapped(1, 2).args.join());
const bound = Base.bind(null, "bound");
bound.prototype = {};
class Bound extends bound {}
attempt("bound", () => new Bound(1, 2).args.join());
class Replaced extends function () {
  return { replaced: arguments.length };
} {}
attempt("replaced", () => JSON.stringify([new Replaced(), new Replaced(1), new Replaced(1, 2, 3, 4)]));
class Primitive extends function (x) {
  this.x = x;
  return 1;
} {}
attempt("primitive", () => new Primitive("x").x);
class Throws extends class {
  constructor() {
    throw new RangeError("from the parent");
  }
} {}
attempt("throws", () => new Throws(1));

// The iterator of arrays is not asked.
const iterator = Array.prototype[Symbol.iterator];
Array.prototype[Symbol.iterator] = () => {
  throw new Error("asked");
};
const results = [];
for (let count = 0; count < 7; count += 2) results.push(Reflect.construct(Middle, Array(count).fill(1)).args.length);
Array.prototype[Symbol.iterator] = iterator;
log(results.join());

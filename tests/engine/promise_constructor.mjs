// What a program can see of `new Promise` and Promise.withResolvers, whose resolving functions the engine makes in its own way:
// calls after the first, thenables, executors of all kinds, subclasses, prototypes with a `then`. Recorded from Bun 1.4.5, but
// for the order of the properties that withResolvers makes, which is the standard's.
const log = [];
const note = (...words) => log.push(words.join(" "));
let resolve, reject;
const both = (a, b) => {
  resolve = a;
  reject = b;
};

const first = new Promise(both);
(resolve(1), resolve(2), reject(3));
first.then((v) => note("resolved", v));
const rejected = new Promise(both);
(reject(5), resolve(1));
rejected.catch((v) => note("rejected", v));
const thenable = new Promise(both);
resolve({
  then(f, g) {
    note("then is called");
    (f(7), g(8), f(9));
  },
});
(resolve(4), reject(4));
thenable.then((v) => note("thenable", v));
const itself = new Promise(both);
(resolve(itself), reject(1));
itself.catch((e) => note("itself", e instanceof TypeError));
note(
  resolve.length,
  reject.length,
  `'${resolve.name}'`,
  Object.getOwnPropertyNames(resolve),
  typeof resolve.prototype,
  resolve === reject,
);
try {
  new resolve();
} catch (error) {
  note(error.constructor.name);
}

// Executors that take no function, one, or look at all of them.
new Promise(() => {
  throw "none";
}).catch((v) => note("thrown", v));
new Promise((_) => {
  throw "one";
}).catch((v) => note("thrown", v));
new Promise((f) => {
  f(3);
  throw "late";
}).then((v) => note("thrown after", v));
new Promise((...all) => note("rest", all.length, typeof all[1]));
new Promise((a, b = 1) => note("default", typeof a, typeof b));
new Promise(({ length }) => note("destructured", length));
new Promise(function () {
  note("arguments", arguments.length);
  arguments[1]("second");
}).catch((v) => note("by arguments", v));
(function () {
  new Promise((f) => note("arguments outside", arguments.length, arguments[0], f !== arguments[0]));
})(11, 12, 13);
new Promise(new Proxy(() => {}, { apply: (target, self, all) => note("proxy", self, all.length) }));
new Promise(((a, ...more) => note("bound", a, more.length)).bind(null, "given"));
new Promise(async (f) => f(await 4)).then((v) => note("async", v));
new Promise((f) => setTimeout(f, 1, "timer")).then((v) => note(v));

const parts = Promise.withResolvers();
note(Object.keys(parts), Object.getOwnPropertyDescriptor(parts, "promise").writable);
(parts.reject("no"), parts.resolve(1));
parts.promise.catch((v) => note("withResolvers", v));
const adopts = Promise.withResolvers();
(adopts.resolve(Promise.resolve(6)), adopts.reject(1));
adopts.promise.then((v) => note("adopted", v));

class Sub extends Promise {}
const sub = new Sub(both);
(resolve(3), reject(1));
sub.then((v) => note("subclass", v));
note(sub instanceof Sub, sub.then() instanceof Sub, Sub.withResolvers().promise instanceof Sub);
const reflected = Reflect.construct(Promise, [both], Sub);
(note(reflected instanceof Sub), resolve("reflected"));
reflected.then((v) => note(v));

// A `then` that is no function, a getter, and one that every object inherits.
const shared = {
  get then() {
    note("getter");
  },
};
note((await new Promise((f) => f(shared))) === shared);
Object.prototype.then = function (f) {
  delete Object.prototype.then;
  f("inherited");
};
note(await new Promise((f) => f({})));
note(JSON.stringify(await new Promise((f) => f({ a: 1 }))));
const returnsObject = async () => ({ x: 1 });
note(JSON.stringify(await returnsObject()));
Object.prototype.then = function (f) {
  delete Object.prototype.then;
  f("inherited again");
};
note(await returnsObject());
note(JSON.stringify(await returnsObject()));
let calls = 0;
const { then } = Promise.prototype;
Promise.prototype.then = function (...all) {
  calls++;
  return then.apply(this, all);
};
await new Promise((f) => f(Promise.resolve(1)));
Promise.prototype.then = then;
note("calls of another then", calls);

await new Promise((f) => setTimeout(f, 5));
console.log(log.join("\n"));

// expected: recorded from node 25.9.0
// Values without `then` in Promise.all, race and the like and as results of async functions, for which no promise is made or
// none is looked for; prototypes and objects that get a `then` later; and `then` in one pass.
const setImmediate = (r, v) => {
  let n = 60;
  const f = () => (n-- ? Promise.resolve().then(f) : r(v));
  f();
};
const log = [];
const note = (...a) => log.push(a.map(String).join(" "));
const turn = () => new Promise((r) => setImmediate(r));
async function order(make, name) {
  const p = make();
  p.then(
    (v) => note(name, JSON.stringify(v)),
    (e) => note(name, "rejected", e?.message ?? e),
  );
  for (let i = 0; i < 6; i++) {
    const k = i;
    await null;
    note("tick", name, k);
  }
}
const rejected = () => Promise.reject(new Error("no"));
for (const [name, make] of Object.entries({
  none: () => Promise.all([]),
  prims: () => Promise.all([1, "a", null, undefined, true, 10]),
  objs: () => Promise.all([{ a: 1 }, [1, [2]], new Date(0), /x/g, () => 1, new Map([[1, 2]])]),
  mix: () => Promise.all([1, Promise.resolve(2), { then: (f) => f(3) }, new Promise((r) => setImmediate(r, 4))]),
  rej: () => Promise.all([1, rejected(), 2]),
  race1: () => Promise.race([1, 2]),
  race2: () => Promise.race([Promise.resolve(1), 2]),
  race3: () =>
    Promise.race([
      {
        then(f) {
          f(7);
        },
      },
      2,
    ]),
  race4: () => Promise.race([[1, 2], 3]),
  any: () => Promise.any([rejected(), 2]),
  any2: () => Promise.any([rejected(), rejected()]),
  any3: () => Promise.any([5, rejected()]),
  settled: () =>
    Promise.allSettled([
      1,
      rejected(),
      [3],
      {
        then(f, r) {
          r(4);
        },
      },
    ]),
  arr: async () => [1, 2, 3],
  err: async () => new Error("value"),
  fn: async () => function named() {},
  ta: async () => new Uint8Array(3),
  map: async () => new Map(),
})) {
  await order(make, name);
  await turn();
}
// then on prototypes
for (const [name, proto, value] of [
  ["Array", Array.prototype, () => [1, 2]],
  ["Function", Function.prototype, () => () => 1],
  ["Map", Map.prototype, () => new Map()],
  ["Object", Object.prototype, () => ({ x: 1 })],
  ["Uint8Array", Uint8Array.prototype, () => new Uint8Array(2)],
]) {
  for (let round = 0; round < 3; round++) {
    if (round === 1)
      Object.defineProperty(proto, "then", {
        configurable: true,
        get() {
          note("get then", name);
          return undefined;
        },
      });
    if (round === 2) {
      delete proto.then;
      proto.then = function (f) {
        delete proto.then;
        note("then of", name);
        f("by then");
      };
    }
    const f = async () => value();
    note(name, round, typeof (await f()));
    if (round === 2)
      proto.then = function (f) {
        delete proto.then;
        note("then of", name);
        f("by then");
      };
    note(name, round, String((await Promise.all([value(), 1])).length));
    if (round === 2)
      proto.then = function (f) {
        delete proto.then;
        note("then of", name);
        f("by then");
      };
    note(name, round, typeof (await Promise.race([value(), 1])));
    delete proto.then;
  }
}
// own then
{
  const a = [1];
  a.then = (f) => f("own");
  note(await (async () => a)());
  note(JSON.stringify(await Promise.all([a])));
}
{
  const a = [1];
  note(JSON.stringify(await (async () => a)()));
  a.then = (f) => f("later");
  note(await (async () => a)());
}
{
  const a = [];
  Object.setPrototypeOf(a, {
    then(f) {
      f("proto");
    },
  });
  note(await (async () => a)());
  note(JSON.stringify(await Promise.all([a])));
}
{
  const a = [];
  Object.setPrototypeOf(
    a,
    new Proxy(
      {},
      {
        get(t, k) {
          note("get", String(k));
          return undefined;
        },
      },
    ),
  );
  await (async () => a)();
  await Promise.race([a]);
}
{
  const a = [];
  Object.setPrototypeOf(a, null);
  note(Object.getPrototypeOf(await (async () => a)()));
}
// names and lengths of element functions
{
  let fns = [];
  const C = function (ex) {
    ex(
      () => {},
      () => {},
    );
  };
  C.resolve = (v) => ({
    then(f, r) {
      fns.push(f, r);
    },
  });
  Promise.all.call(C, [1]);
  Promise.allSettled.call(C, [1]);
  Promise.any.call(C, [1]);
  note(
    fns
      .map((f) => `${JSON.stringify(f.name)} ${f.length} ${"prototype" in f} ${f}`)
      .join("|")
      .replace(/\s+/g, " "),
  );
}
// subclasses, species, a replaced then / resolve
{
  class P extends Promise {}
  note(P.all([1, 2]) instanceof P, await P.all([1, 2]), await P.race([3]));
}
{
  const then = Promise.prototype.then;
  let n = 0;
  Promise.prototype.then = function (...a) {
    n++;
    return then.apply(this, a);
  };
  await Promise.all([1, 2]);
  await Promise.race([1]);
  Promise.prototype.then = then;
  note("thens", n);
}
{
  const resolve = Promise.resolve;
  let n = 0;
  Promise.resolve = function (...a) {
    n++;
    return resolve.apply(this, a);
  };
  await Promise.all([1, 2]);
  Promise.resolve = resolve;
  note("resolves", n);
}
// then: handlers that are none, chains with errors, many reactions
{
  const p = Promise.resolve(1);
  const got = await Promise.all([
    p.then(),
    p.then(null),
    p.then(5),
    p.then(undefined, 1),
    Promise.reject(2).then(null, (e) => e + 1),
    Promise.reject(2).then(5, (e) => e * 2),
    p.then(p),
    p.then(new Proxy(() => 9, {})),
  ]);
  note(got.join());
}
{
  let r;
  const p = new Promise((f) => (r = f));
  const out = [];
  p.then((v) => out.push(1, v));
  p.then((v) => out.push(2, v));
  p.catch(() => {}).then((v) => out.push(3, v));
  r("x");
  await turn();
  note(out.join());
}
{
  let p = Promise.resolve(0);
  for (let i = 0; i < 50001; i++)
    p = p.then(
      i % 1000 === 999
        ? () => {
            throw 1;
          }
        : (x) => x + 1,
      (e) => e,
    );
  note(await p);
}
try {
  Promise.prototype.then.call({}, 1);
} catch (e) {
  note(e.constructor.name);
}
console.log(log.join("\n"));

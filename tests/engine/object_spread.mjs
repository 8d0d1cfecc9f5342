// Object spread: what comes out is the same whether slots are copied by shape or properties one by one.
const warm = (name, run) => {
  let text;
  for (let i = 0; i < 3000; i++) {
    const now = JSON.stringify(run());
    if (text !== undefined && now !== text) throw new Error(`${name}: ${text}, then ${now}`);
    text = now;
  }
  console.log(name, text);
};
const shown = (object) => Reflect.ownKeys(object).map((key) => [String(key), ...Object.values(Object.getOwnPropertyDescriptor(object, key))]);

warm("plain", () => shown({ ...{ a: 1, b: 2 } }));
warm("more", () => shown({ ...{ a: 1, b: 2 }, c: 3, a: 4 }));
warm("two", () => shown({ ...{ a: 1 }, ...{ b: 2, a: 3 } }));
warm("after", () => shown({ z: 0, ...{ a: 1, z: 2 } }));
warm("empty", () => shown({ ...{}, ...null, ...undefined, ...5, ..."ab", ...[7] }));
warm("many", () => {
  const object = {};
  for (let i = 0; i < 40; i++) object["k" + i] = i;
  const copy = { ...object };
  copy.own = 1;
  return [Object.keys(copy).length, copy.k0, copy.k39, "own" in object];
});
warm("indices", () => shown({ ...{ 2: "c", a: 1, 0: "a" } }));
warm("symbols", () => shown({ ...{ a: 1, [Symbol.for("s")]: 2, b: 3 } }));
warm("__proto__", () => {
  const from = { a: 1, ["__proto__"]: 5 };
  const copy = { ...from };
  const assigned = Object.assign({}, from);
  return [shown(copy), shown(assigned), Object.getPrototypeOf(copy) === Object.prototype];
});
warm("attributes", () => {
  const from = Object.defineProperties({ a: 1 }, { hidden: { value: 2 }, fixed: { value: 3, enumerable: true } });
  return [shown({ ...from }), shown({ ...Object.freeze({ a: 1, b: 2 }) })];
});
warm("getters", () => {
  const seen = [];
  const from = { get a() { seen.push("a"); delete this.b; return 1; }, b: 2, get c() { seen.push("c"); return 3; } };
  return [shown({ ...from }), seen];
});
warm("without a prototype", () => {
  const from = Object.assign(Object.create(null), { a: 1, toString: 2 });
  const copy = { ...from };
  return [shown(copy), Object.getPrototypeOf(copy) === Object.prototype, shown({ __proto__: null, ...from })];
});
warm("class", () => {
  class Point { x = 1; #hidden = 2; y = 3; method() {} }
  return [shown({ ...new Point() }), { ...new Point() } instanceof Point];
});
warm("deleted", () => {
  const from = { a: 1, b: 2, c: 3 };
  delete from.b;
  from.d = 4;
  return shown({ ...from });
});
warm("setters are not called", () => {
  let called = 0;
  class Base { set a(value) { called++; } }
  const copy = { __proto__: Base.prototype, ...{ a: 1, b: 2 } };
  Object.assign(Object.create(Base.prototype), { a: 1, b: 2 });
  return [shown(copy), called];
});
warm("rest", () => {
  const { a, ...others } = { a: 1, b: 2, c: { d: 3 } };
  return [a, others];
});
warm("independent", () => {
  const from = { a: 1, b: { c: 2 } };
  const copy = { ...from };
  copy.a = 5;
  copy.e = 6;
  from.f = 7;
  return [from, copy, copy.b === from.b];
});
warm("old and young", () => {
  const from = { a: {}, b: [] };
  const copies = [];
  for (let i = 0; i < 20; i++) copies.push({ ...from, i: { i } });
  return copies[19].i.i;
});

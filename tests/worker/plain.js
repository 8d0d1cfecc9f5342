// Plain data in messages: shapes, cycles, what makes it the slow way. Recorded from Node 25.8.1.
const { MessageChannel, receiveMessageOnPort } = require("node:worker_threads");

const { port1, port2 } = new MessageChannel();
const there = (value) => {
  port1.postMessage(value);
  return receiveMessageOnPort(port2).message;
};
const log = (...values) => console.log(...values);

log(there({ a: 1, b: "two", c: [1, 2.5, -0, NaN, Infinity, null, undefined, true], d: { e: {}, f: [] } }));
log(there([]), there({}), there([[]]), there([undefined]), there(Object.create(null)));
for (let i = 0; i < 3; i++) log(there({ id: i, name: `name ${i}`, nested: { id: -i } }));
log(there(Array.from({ length: 3 }, (_, i) => ({ x: i, y: { x: i } }))));
{
  const shared = { s: 1 };
  const copy = there({ one: shared, two: shared, list: [shared] });
  log(copy.one === copy.two, copy.one === copy.list[0], copy.one !== shared);
}
{
  const cycle = { name: "cycle", list: [] };
  cycle.self = cycle;
  cycle.list.push(cycle, cycle.list);
  log(there(cycle));
}
// Copies are objects like any other.
{
  const copy = there({ a: 1, b: 2 });
  copy.c = 3;
  delete copy.a;
  log(copy, Object.getPrototypeOf(copy) === Object.prototype);
  const list = there([1, 2, 3]);
  list.push(4);
  list.unshift(0);
  list.length = 3;
  log(list, Array.isArray(list));
  log(Object.isFrozen(there(Object.freeze({ a: Object.freeze([1]) }))));
}
log(there({ 10: "ten", 2: "two", z: 1, 4294967295: "large" }));
log(there({ ["__proto__"]: "own", constructor: 1, toString: 2 }));
log(there({ get a() { return this.b + 1; }, b: 1 }), there(Object.defineProperty({ a: 1 }, "hidden", { value: 2 })));
log(there({ [Symbol("s")]: 1, t: 2 }), there([1, , 3]), there(Object.assign([1, 2], { extra: true })));
class Point {
  #secret = 5;
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
  get secret() { return this.#secret; }
}
log(there(new Point(1, 2)), there([new Point(3, 4)])[0] instanceof Point);
log(there(new (class List extends Array {})(1, 2, 3)));
log(there({ date: new Date(0), map: new Map([[{ k: 1 }, new Set([1])]]), re: /x/gi, big: 12n, bytes: new Uint8Array([1, 2]) }));
log(Object.keys(there(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])))).length);
{
  let deep = {};
  for (let i = 0; i < 500; i++) deep = i % 2 ? { deep } : [deep];
  let depth = 0;
  for (let at = there(deep); at !== undefined; at = at.deep ?? at[0]) depth++;
  log(depth);
}
{
  const rows = Array.from({ length: 5000 }, (_, i) => ({ id: i, name: `row ${i}`, tags: ["a", "b"], at: { x: i, y: -i } }));
  log(JSON.stringify(there(rows)) === JSON.stringify(rows), JSON.stringify(structuredClone({ rows })) === JSON.stringify({ rows }));
}
for (const value of [() => 1, Symbol("s"), { f() {} }, [Symbol("t")], new WeakMap(), { deep: [{ p: Promise.resolve() }] }]) {
  try {
    port1.postMessage(value);
    log("cloned");
  } catch (error) {
    log(error.name, error.code, error.message);
  }
}
try {
  port1.postMessage({ a: 1, get b() { throw new RangeError("from a getter"); } });
} catch (error) {
  log(error.name, error.message);
}
log(receiveMessageOnPort(port2));
port1.close();

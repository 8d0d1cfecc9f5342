// expected: recorded from node 25.9.0
// v8.setFlagsFromString("--expose-gc") gives a `gc` to the contexts that are made afterwards, and to them only.
const vm = require("node:vm");
const v8 = require("node:v8");

const show = (when) =>
  console.log(when, typeof gc, vm.runInNewContext("typeof gc"), vm.runInContext("typeof gc", vm.createContext(vm.constants.DONT_CONTEXTIFY)));
show("at first");
const old = vm.createContext({});
v8.setFlagsFromString("--expose-gc");
show("exposed");
console.log(vm.runInContext("typeof gc", old));
const inner = vm.runInNewContext("gc");
console.log(inner.name, inner.length, inner(), vm.runInNewContext("Object.keys(globalThis).includes('gc')"));
const held = new WeakRef({ some: "thing" });
setImmediate(() => {
  inner();
  console.log(held.deref());
});
const sandbox = vm.createContext({});
console.log(vm.runInContext("gc = 5; gc", sandbox), sandbox.gc);
console.log(vm.runInNewContext("typeof gc", { gc: 1 }));
v8.setFlagsFromString("--no-expose-gc");
show("no more");
v8.setFlagsFromString("--max-lazy --expose_gc");
show("again");
v8.setFlagsFromString("--noexpose_gc");
show("no more");

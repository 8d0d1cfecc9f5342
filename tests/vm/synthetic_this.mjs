// The callback of a SyntheticModule is called with the module as `this`, as vitest's vm pools expect.
import vm from "node:vm";
const module = new vm.SyntheticModule(["a", "default"], function () {
  this.setExport("a", 1);
  this.setExport("default", "d");
});
await module.link(() => {});
await module.evaluate();
console.log(module.namespace.a, module.namespace.default, module.status);

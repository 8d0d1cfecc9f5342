// vm.SourceTextModule and SyntheticModule; recorded from Node 25.8.1 with --experimental-vm-modules.
const { execFileSync } = require("node:child_process");
if (!process.execArgv.includes("--experimental-vm-modules")) {
  process.stdout.write(execFileSync(process.execPath, ["--no-warnings", "--experimental-vm-modules", __filename]));
  return;
}
const vm = require("node:vm");

(async () => {
  const context = vm.createContext({ log: console.log, Array: "mine" });
  const dep = new vm.SyntheticModule(["default", "x"], () => dep.setExport("x", 1), { context });
  dep.setExport("default", "early");
  const main = new vm.SourceTextModule(
    "import d, { x } from 'dep'; log(d, x, Array, import.meta.name, typeof process); globalThis.made = 1; export default x + 1;",
    { context, initializeImportMeta: (meta) => { meta.name = "meta"; } },
  );
  console.log(main.status, dep.status, main.dependencySpecifiers);
  await main.link((specifier, from) => (console.log(specifier, from === main), dep));
  console.log(main.status, typeof main.evaluate().then, main.status, main.namespace.default, context.made);

  const late = new vm.SourceTextModule("globalThis.got = import('y'); export {}", {
    importModuleDynamically: async () => {
      const y = new vm.SourceTextModule("export const y = 5;");
      await y.link(() => {});
      await y.evaluate();
      return y;
    },
  });
  await late.link(() => {});
  await late.evaluate();
  console.log((await globalThis.got).y);

  const script = new vm.Script("import('z')", { importModuleDynamically: () => 5 });
  await script.runInThisContext().catch((error) => console.log(error.code));
  const none = new vm.SourceTextModule("globalThis.none = import('z')");
  await none.link(() => {});
  none.evaluate();
  await globalThis.none.catch((error) => console.log(error.code));

  const bad = new vm.SourceTextModule("throw new RangeError('bad')");
  await bad.link(() => {});
  await bad.evaluate().catch((error) => console.log(error.name, bad.status, bad.error === error));
  const slow = new vm.SourceTextModule("for (;;);");
  await slow.link(() => {});
  await slow.evaluate({ timeout: 20 }).catch((error) => console.log(error.code));

  const cached = new vm.SourceTextModule("export let q = 1").createCachedData();
  console.log(new vm.SourceTextModule("export let q = 1", { cachedData: cached }).status);
  try {
    new vm.SourceTextModule("other", { cachedData: cached });
  } catch (error) {
    console.log(error.code);
  }

  try {
    vm.runInNewContext("eval('1')", {}, { contextCodeGeneration: { strings: false } });
  } catch (error) {
    console.log(error.name, error.message);
  }
  const own = vm.createContext({ log: console.log }, { microtaskMode: "afterEvaluate" });
  vm.runInContext("Promise.resolve().then(() => log('inner')); log('sync')", own);
  console.log("after");
  const f = vm.compileFunction("return 1 + a", ["a"], { produceCachedData: true });
  const g = vm.compileFunction("return 1 + a", ["a"], { cachedData: f.cachedData });
  console.log(f.cachedDataProduced, g.cachedDataRejected, g(2));
})();

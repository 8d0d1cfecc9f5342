// Globals that Bun has beyond Node, and the errors of modules that cannot be resolved or parsed. expected: written by hand, values compared with Bun.
import { execFileSync } from "node:child_process";
import { $, ShellError, nothing } from "bun";
import * as ffi from "bun:ffi";
import te from "node:trace_events";
import { heapStats } from "bun:jsc";

if (process.argv[2] === "dialogs") {
  console.log(
    JSON.stringify([
      alert("a"),
      prompt("q"),
      prompt("d", "x"),
      prompt("e"),
      confirm("s"),
      confirm("s"),
      prompt("end", "z"),
    ]),
  );
  process.exit();
}
const show = (label, f) => {
  try {
    console.log(label, f());
  } catch (e) {
    console.log(label, e.constructor === TypeError, e.name, e.code, e.message);
  }
};

console.log(typeof $, ShellError, nothing);
show("$", () => typeof $`ls`.quiet().then);

for (const [label, load] of [
  ["import", () => import("./gone.mjs")],
  ["require", () => require("gone-package/x")],
  ["resolve", () => require.resolve("gone-package")],
  ["meta", () => import.meta.resolve("gone-package")],
]) {
  try {
    await load();
  } catch (e) {
    const { code, importKind, specifier, referrer, position, level } = e;
    console.log(
      label,
      e instanceof ResolveMessage,
      e instanceof Error,
      Error.isError(e),
      e.name,
      code,
      importKind,
      specifier,
    );
    console.log(
      " ",
      referrer === import.meta.filename,
      position,
      level,
      e.requireStack?.length,
      Object.keys(e),
      String(e).split(/[:'/]/, 2),
      e.stack.split(":")[0],
    );
  }
}
console.log(ResolveError === ResolveMessage, BuildError === BuildMessage);
show("new", () => new ResolveMessage());
try {
  new Bun.Transpiler().transformSync("let a = 1;\nlet x = ;");
} catch (e) {
  console.log(
    e instanceof BuildMessage,
    e.name,
    e.line,
    e.column,
    e.position.line,
    e.position.column,
    e.position.offset,
    e.position.lineText,
    e.notes,
  );
}

const realm = new ShadowRealm();
show("evaluate", () => realm.evaluate("let x = 1; x + 1"));
show("again", () => realm.evaluate("let x = 2; x"));
show("global", () => [realm.evaluate("globalThis.g = 5"), typeof g]);
show("object", () => realm.evaluate("({})"));
show("syntax", () => realm.evaluate("let ="));
show("throws", () => realm.evaluate('throw new RangeError("q")'));
const add = realm.evaluate("(function add(a, b) { return a + b })");
console.log(add(1, 2), add.name, add.length, Object.getPrototypeOf(add) === Function.prototype);
show("callback", () => realm.evaluate("(cb) => cb(20)")((x) => x * 2));
show("callback of its realm", () => realm.evaluate("(f) => f instanceof Function")(() => 1));
show("callback throws", () =>
  realm.evaluate("(cb) => cb()")(() => {
    throw new Error("inner");
  }),
);
await realm.importValue("./gone.mjs", "y").catch((e) => console.log(e instanceof TypeError, e.message.split("\n")[0]));

console.log(ffi.suffix, ffi.FFIType.ptr);
show("dlopen", () => ffi.dlopen("x", {}));
show("CString", () => new ffi.CString(0));
console.log(te.getEnabledCategories(), te.createTracing({ categories: ["node", "v8"] }));
show("enable", () => te.createTracing({ categories: ["v8"] }).enable());
console.log(
  performance.timing instanceof PerformanceTiming,
  performance.timing.navigationStart,
  typeof PerformanceServerTiming,
);

class Counted {}
const kept = Array.from({ length: 100 }, () => new Counted());
const { objectTypeCounts, objectCount } = heapStats();
console.log(objectTypeCounts.Counted === kept.length, objectTypeCounts.Function > 100, objectCount > 1000);
console.log(
  execFileSync(process.execPath, [import.meta.filename, "dialogs"], { input: "\nans\n\n\ny\nno\n", encoding: "utf8" }),
);

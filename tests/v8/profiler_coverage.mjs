// The Profiler domain of an inspector session: coverage of what is loaded while it counts.
import inspector from "node:inspector";
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const session = new inspector.Session();
session.connect();
const post = (method, params) => {
  let answer;
  session.post(method, params, (error, result) => {
    answer = error ? `${error.code} ${error.message}` : result;
  });
  return answer;
};
const show = (answer, ...urls) => {
  if (typeof answer === "string") return console.log(answer);
  for (const { url, functions } of answer.result.filter((one) => urls.some((end) => one.url.endsWith(end)))) {
    console.log(url.replace(/.*\//, ""));
    for (const one of functions) {
      const ranges = one.ranges.map((range) => `${range.startOffset}-${range.endOffset}x${range.count}`);
      console.log(" ", one.functionName || "(anonymous)", one.isBlockCoverage, ranges.join(" "));
    }
  }
};

console.log(post("Profiler.takePreciseCoverage"));
console.log(post("Profiler.startPreciseCoverage"));
console.log(post("Profiler.enable"));
console.log(post("Profiler.takePreciseCoverage"));
console.log(Object.keys(post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })));
vm.runInThisContext("function one(a) { if (a) { return 1 } return 2 } one(1); one(1);", "one.js");
const context = vm.createContext({ x: 1 });
vm.runInContext("function two() { return x ? 1 : 2 } two(); () => {}", context, "two.js");
show(post("Profiler.takePreciseCoverage"), "one.js", "two.js");
one(0);
show(post("Profiler.takePreciseCoverage"), "one.js", "two.js");
console.log(post("Profiler.stopPreciseCoverage"));
console.log(post("Profiler.takePreciseCoverage"));

console.log("calls only");
post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
vm.runInThisContext("function three(a) { if (a) { return 1 } return 2 } three(1); three(1);", "three.js");
show(post("Profiler.takePreciseCoverage"), "three.js");
console.log("blocks, yes or no");
post("Profiler.startPreciseCoverage", { callCount: false, detailed: true });
vm.runInThisContext("function four(a) { if (a) { return 1 } return 2 } four(1); four(1);", "four.js");
show(post("Profiler.takePreciseCoverage"), "four.js");

console.log("files");
post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const folder = mkdtempSync(join(tmpdir(), "coverage-"));
writeFileSync(join(folder, "common.cjs"), "exports.f = (a) => a ? 1 : 2; exports.f(0);");
writeFileSync(join(folder, "module.mjs"), "export const g = (a) => a || 5; g(0); await 1; g(2);");
createRequire(import.meta.url)(join(folder, "common.cjs"));
await import(pathToFileURL(join(folder, "module.mjs")));
const made = vm.compileFunction("if (a) { return 1 } return 2", ["a"], { filename: join(folder, "made.js") });
made(1);
show(post("Profiler.takePreciseCoverage"), "common.cjs", "module.mjs", "made.js");
console.log(post("Profiler.disable"));
session.disconnect();
rmSync(folder, { recursive: true });

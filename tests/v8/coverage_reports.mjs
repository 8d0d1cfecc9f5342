// NODE_V8_COVERAGE: which files are written, by whom, and what is in them beside the counts.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "coverage-"));
function run(title, files, env = {}) {
  const cwd = join(root, title.replace(/\W+/g, "_"));
  mkdirSync(cwd);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const { status, stdout } = spawnSync(process.execPath, [Object.keys(files)[0]], {
    cwd,
    env: { ...process.env, NODE_V8_COVERAGE: "reports", ...env },
    encoding: "utf8",
  });
  console.log(`--- ${title}: exit code ${status}`);
  process.stdout.write(stdout.replaceAll(root, "ROOT"));
  let names = [];
  try {
    names = readdirSync(join(cwd, "reports"));
  } catch {
    console.log("no reports");
  }
  const lines = [];
  for (const name of names) {
    const { result, timestamp, "source-map-cache": maps, ...rest } = JSON.parse(readFileSync(join(cwd, "reports", name), "utf8"));
    if (!/^coverage-\d+-\d{13}-\d+\.json$/.test(name) || !(timestamp > 0)) console.log("wrong", name, timestamp);
    const seen = result.filter(({ url }) => url.startsWith("file:")).map(({ url, functions }) => {
      const counts = functions.map(({ functionName, ranges }) => `${functionName}x${ranges[0].count}`);
      return `${basename(url)} ${counts.join(" ")}`;
    });
    lines.push([...seen, Object.keys(rest).join(), maps === undefined ? "" : JSON.stringify(maps).replaceAll(`file://${root}`, "ROOT")].filter(Boolean).join("; "));
  }
  console.log(lines.sort().join("\n"));
}

run("at the end", { "a.js": "function f() {} f(); process.on('exit', () => f())" });
run("process.exit", { "a.js": "function f() {} f(); process.exit(3)" });
run("uncaught", { "a.js": "function f() { throw 1 } f();" });
run("relative, children", {
  "a.js": `const { execFileSync } = require("child_process"); console.log(process.env.NODE_V8_COVERAGE);
process.chdir("/"); execFileSync(process.execPath, [__dirname + "/b.js"], { env: {} }); execFileSync(process.execPath, [__dirname + "/b.js", 1]);`,
  "b.js": "function f() {} if (process.argv[2]) f(); f()",
});
run("threads", {
  "a.js": `const { Worker } = require("worker_threads"); new Worker(__dirname + "/b.js").on("exit", (c) => console.log("exit", c));
const w = new Worker(__dirname + "/c.js"); w.on("message", () => w.terminate())`,
  "b.js": "function b() {} b(); process.exit(2)",
  "c.js": `function c() {} c(); require("worker_threads").parentPort.postMessage(1); setInterval(c, 1e6)`,
});
run("takeCoverage", {
  "a.js": `const v8 = require("v8"); function f() {} f(); f(); v8.takeCoverage(); setTimeout(() => { f(); v8.takeCoverage(); setTimeout(() => { f(); v8.stopCoverage(); f() }, 5) }, 5)`,
});
run("no directory", { "a.js": `require("v8").takeCoverage(); require("v8").stopCoverage(); console.log("fine")` }, { NODE_V8_COVERAGE: "" });
const map = { version: 3, sources: ["a.ts"], names: [], mappings: "AAAA", sourceRoot: "src/" };
run("source maps", {
  "a.js": `require("./b.js"); require("./c.js"); require("./d.js");\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}`,
  "b.js": "1;\n\n//# sourceMappingURL=b.js.map\n",
  "b.js.map": JSON.stringify(map),
  "c.js": "//# sourceMappingURL=none.map",
  "d.js": "1",
});
run("text of functions", {
  "a.mjs": `async function f(a) { if (a?.b) { return await a } return a ? () => 1 : 2 } console.log(f.toString()); console.log((class { x = 1 }).toString()); console.log(Function.prototype.toString.name, \`\${Function.prototype.toString}\`.includes("[native code]"));
const { default: vm } = await import("node:vm"); console.log(vm.runInThisContext("1; if (true) { 5 }"), vm.runInNewContext("var x = 2; for (const a of [1]) { if (a) { a + x } }"), Object.keys(vm.runInNewContext("function q() {} globalThis")).join());
console.log(vm.compileFunction("if (a) { return a + 1 } return 0", ["a"])(4), vm.compileFunction("return a", ["a"]).toString());`,
});
run("places of errors", {
  "a.js": "function f(a) { return a && a.b || (() => { throw new Error('x') })() }\ntry { f() } catch (e) { console.log(e.stack.split('\\n').slice(0, 3).map((l) => l.replace(/\\(.*\\//, '(')).join('|')) }",
});
run("fields that are only types", {
  "a.ts": "abstract class A { abstract y: number; x = 1 }\nclass B extends A { x: number; y = 2 }\nclass C extends B { x: number }\nconsole.log(new B().x, new C().x)",
  "tsconfig.json": '{"compilerOptions":{"useDefineForClassFields":false}}',
});
run("parameters of generators", { "a.ts": "function* g(a = 1, /* b */) { yield a }\nfunction* h(this: number, a?: number /* , */) { yield a }\nconsole.log(...g(), ...h.call(1, 2))" });
rmSync(root, { recursive: true });

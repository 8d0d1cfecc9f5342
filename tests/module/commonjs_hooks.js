// expected: recorded from node 25.9
// What programs that transform or replace modules put in place: handlers, _compile, require, _load, _resolveFilename, _cache.
const M = require("module");
const fs = require("fs"),
  path = require("path"),
  d = fs.mkdtempSync(path.join(require("os").tmpdir(), "commonjs-hooks-"));
process.chdir(d);
process.on("exit", () => fs.rmSync(d, { recursive: true }));
fs.writeFileSync("m9.js", "module.exports=1");
fs.writeFileSync("m1.js", "module.exports={}");
fs.writeFileSync("esm.js", "export default 5");
fs.writeFileSync("t.ts", "enum E {A=3}\nmodule.exports=E.A as number");
fs.writeFileSync("bad.js", "let a = ;");
fs.writeFileSync("x.es", "module.exports=7");
fs.writeFileSync("thr.js", 'throw new Error("thr")');
const old = M._extensions[".js"];
const req = M.createRequire(d + "/");
M._extensions[".js"] = (m, f) => {
  const c = m._compile;
  m._compile = function (s, n) {
    m._compile = c;
    return c.call(m, s.replace("1", "2"), n);
  };
  old(m, f);
};
console.log(req("./m9"), req("./esm").default, req("./x.es"));
try {
  req("./bad");
} catch (e) {
  console.log(e.name);
}
M._extensions[".js"] = old;
const r = M.prototype.require;
M.prototype.require = function (p) {
  console.log("saw", p, this.filename === __filename);
  return r.call(this, p);
};
require("path");
M.prototype.require = r;
const a = req("./m1");
const oc = M._cache;
M._cache = {};
console.log(req("./m1") !== a, M._cache !== oc, Object.keys(M._cache).length);
M._cache = oc;
console.log(req("./m1") === a);
const pc = M.prototype._compile;
M.prototype._compile = function (s, f) {
  console.log("proto", path.basename(f), s.length);
  return pc.apply(this, arguments);
};
delete M._cache[req.resolve("./m9")];
console.log(req("./m9"));
M.prototype._compile = pc;
const l = M._load;
M._load = function (q, p, i) {
  console.log("load", q, typeof p, i);
  return l.apply(this, arguments);
};
require("os");
M._load = l;
const rf = M._resolveFilename;
M._resolveFilename = function (q, ...x) {
  if (q === "fs") return req.resolve("./m9");
  return rf.call(this, q, ...x);
};
console.log(require("fs"));
console.log(typeof require("node:fs"));
M._resolveFilename = rf;
module.require = function (x) {
  return "own " + x;
};
console.log(require("zzz"));
delete module.require;
try {
  req("./thr");
} catch (e) {
  console.log(e.message, module.children.length);
}
class Sub extends M {}
for (const [k, v] of Object.entries(M)) Sub[k] = v;
console.log(Object.hasOwn(Sub, "builtinModules"), Object.hasOwn(M, "builtinModules"), Sub.wrap === M.wrap);

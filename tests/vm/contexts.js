// Contexts, scripts, timeouts, cached data and import() of node:vm. Differs from node in V8-only messages.
const vm = require("vm");
console.log(vm.runInThisContext("1+1"), vm.runInNewContext("a + b", { a: 1, b: 2 }));
const c = vm.createContext({ x: 1, console });
vm.runInContext("x += 40; var y = 17; function f() { return x + y } let z = 3; implicit = 5", c);
console.log(c.x, c.y, c.f(), c.z, c.implicit, vm.runInContext("f() + z", c));
console.log(vm.runInContext("globalThis.x + this.y", c), vm.runInContext("typeof Array, [] instanceof Array", c), vm.runInContext("[]", c) instanceof Array);
console.log(vm.runInContext("(function(){ return this.x })()", c));
try { vm.runInContext("while(true);", c, { timeout: 50 }) } catch (e) { console.log(e.code, e.message) }
try { new vm.Script("let = 5 5", { filename: "bad.js" }) } catch (e) { console.log(e.name, e.stack.split("\n")[0]) }
try { vm.runInContext("throw new TypeError('boo')", c, "thrower.js") } catch (e) { console.log(e.name, e.message, e.stack.split("\n")[1], e instanceof TypeError) }
console.log(vm.isContext(c), vm.isContext({}));
const fn = vm.compileFunction("return a + b + this.q", ["a", "b"]); console.log(fn.call({ q: 1 }, 2, 3));
const s = new vm.Script("globalVar = 'set'"); s.runInThisContext(); console.log(globalVar);
const cd = new vm.Script("6*7").createCachedData(); const s2 = new vm.Script("6*7", { cachedData: cd }); console.log(s2.cachedDataRejected, s2.runInThisContext());
try { vm.runInContext("undefinedThing", c) } catch (e) { console.log(e.name, e.message) }
vm.runInContext("x = 7; delete globalThis.x", c); console.log("x" in c);
console.log(vm.runInNewContext("typeof require + typeof process + typeof console"));
vm.runInThisContext("import('fs')", { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }).then(n => console.log(typeof n.readFileSync));
vm.runInThisContext("import('fs')").catch(e => console.log(e.code));

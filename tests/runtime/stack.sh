# Out of stack is a RangeError that a program can catch, wherever the recursion is.
. support/lib.sh
cat >"$dir/caught.js" <<'JS'
const attempt = (name, f) => {
  try {
    f();
    console.log(name, "no error");
  } catch (error) {
    console.log(name, error.name, error instanceof RangeError, /call stack size/.test(error.message));
  }
};
attempt("call", function f() { return f() + 1; });
attempt("getter", () => ({ get x() { return this.x; } }).x);
attempt("method", () => { class A { m() { return this.m() + 1; } } new A().m(); });
attempt("map", () => { const g = () => [1].map(g); g(); });
attempt("sort", () => { const g = () => [2, 1].sort(g); g(); });
attempt("replace", () => { const g = () => "a".replace(/a/, g); g(); });
attempt("toString", () => { let a = []; for (let i = 0; i < 100000; i++) a = [a]; String(a); });
attempt("stringify", () => { let a = {}; for (let i = 0; i < 200000; i++) a = { a }; JSON.stringify(a); });
attempt("eval", () => eval("(".repeat(200000)));
attempt("generator", () => { function* g() { yield* g(); } g().next(); });
attempt("require", () => require("./again.cjs")());
console.log("still running");
JS
echo 'module.exports = function again() { return again() + 1; };' >"$dir/again.cjs"
run caught.js
echo 'function f() { return f() + 1; }
f();' >"$dir/uncaught.js"
run uncaught.js
echo 'async function f() { await f(); }
f().catch((e) => console.log("caught", e.name));' >"$dir/async.js"
run async.js
# Nested source, arrays within arrays, and inspection of a deep object.
cat >"$dir/nested.js" <<'JS'
let deep = {};
for (let i = 0; i < 100000; i++) deep = { deep };
console.log(deep);
console.log(JSON.stringify(structuredClone([[[1]]])));
JS
run nested.js
python3 -c 'print("x = " + "[" * 100000 + "]" * 100000)' >"$dir/source.ts"
run source.ts | cut -c 1-120 | sed '/^ *$/d'

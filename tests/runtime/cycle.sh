# An import cycle in which one module reads the other's binding before it has a value.
. support/lib.sh
cat >"$dir/a.mjs" <<'JS'
import { b } from "./b.mjs";
export const a = "a";
console.log(a, b);
JS
cat >"$dir/b.mjs" <<'JS'
import { a } from "./a.mjs";
export const b = "b" + a;
JS
run a.mjs
# The same cycle is fine where the binding is read later.
cat >"$dir/c.mjs" <<'JS'
import { later } from "./d.mjs";
export const c = "c";
console.log(later());
JS
cat >"$dir/d.mjs" <<'JS'
import { c } from "./c.mjs";
export const later = () => "later " + c;
JS
run c.mjs
# CommonJS gives the half-filled exports.
echo 'exports.early = 1; const two = require("./two.cjs"); exports.late = 2; console.log(two);' >"$dir/one.cjs"
echo 'module.exports = { ...require("./one.cjs") };' >"$dir/two.cjs"
run one.cjs

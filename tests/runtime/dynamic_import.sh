# import() as a call: what it starts runs after the current job, cycles through it are no error, failures are rejections.
. support/lib.sh
echo 'console.log("side");' >"$dir/side.mjs"
cat >"$dir/order.mjs" <<'JS'
const loaded = import("./side.mjs");
console.log("after the call");
await loaded;
console.log("end");
JS
run order.mjs
echo 'const loaded = import("./side.mjs");
console.log("after the call");
loaded.then(() => console.log("end"));' >"$dir/order.cjs"
run order.cjs
# The imported module imports the one that is being evaluated.
cat >"$dir/upper.mjs" <<'JS'
export const x = 1;
import("./lower.mjs")
  .then((lower) => console.log(lower.y))
  .then(() => import("./upper.mjs"))
  .then((self) => console.log(self.x));
import("./upper.mjs").then(({ x }) => x);
JS
echo 'import { x } from "./upper.mjs"; export const y = x + 1;' >"$dir/lower.mjs"
run upper.mjs
cat >"$dir/failures.mjs" <<'JS'
const report = (name) => (error) => console.log(name, error.name, error.code);
await import("./none.mjs").catch(report("missing"));
await import("./throws.mjs").catch((error) => console.log("throws", error.message));
await import("./throws.mjs").catch((error) => console.log("again", error.message));
await import("./broken.mjs").catch(report("broken"));
await import("./names.mjs").catch(report("names"));
await import({ toString() { throw new Error("no string"); } }).catch((error) => console.log(error.message));
await import("./data.txt", { with: { type: "nonsense" } }).catch((error) => console.log(error instanceof Error));
JS
echo 'console.log("evaluated once"); throw new Error("thrown");' >"$dir/throws.mjs"
echo 'let = ;' >"$dir/broken.mjs"
echo 'import { nothing } from "./side.mjs";' >"$dir/names.mjs"
echo 'text' >"$dir/data.txt"
run failures.mjs

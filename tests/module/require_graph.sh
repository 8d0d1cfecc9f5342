# `require` of graphs with a top-level await, or with a module that is being evaluated. expected: recorded from node 25.9.0, but for
# what is evaluated already, which Bun gives (1.4.5), and the code in the first line of the second error.
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT; cd "$T" || exit 1
bao="${BAO:-node}"
run() {
  "$bao" "$@" 2>err; echo "exit $?"
  sed 's|file://||;s|'"$T"'|DIR|g;s| *$||' err > shown
  grep -A2 'top-level await at' shown
  sed -n 's|^\(Error .ERR[^:]*:\)|\1|p;/^  From/p;/^  Requiring/p' shown
}
echo 'console.log("begins"); await 1; export const a = 1;' > await.mjs
echo 'import "./await.mjs"; console.log("not reached");' > below.mjs
echo 'try { require("./await.mjs"); } catch (error) { console.log(error.code); }
import("./await.mjs").then(({ a }) => console.log("imported", a));' > retry.cjs
echo 'require("./below.mjs");' > below.cjs
echo "== an await, at once and below"; run retry.cjs; run below.cjs
echo "== shown"
printf 'console.log("runs");\n\n  const b = await new Promise((resolve) => setTimeout(resolve, 1));\nexport { b };\n' > place.mjs
echo 'require("./place.mjs");' > place.cjs
run --experimental-print-required-tla place.cjs
echo "== never settled"
printf 'import "./x.mjs";\n\n  await new Promise(() => {});\n' > never.mjs; echo 'console.log("x");' > x.mjs
run never.mjs
echo 'import "./never.mjs";' > importer.mjs; run importer.mjs
echo "== cycles"
echo 'import "./b.cjs"; export const a = 1;' > a.mjs; echo 'require("./a.mjs");' > b.cjs; run a.mjs
echo 'import { createRequire } from "node:module"; console.log("c"); createRequire(import.meta.url)("./d.mjs");' > c.mjs
echo 'import "./c.mjs"; console.log("d");' > d.mjs; run c.mjs; run d.mjs
echo "== evaluated already"
echo 'import("./await.mjs").then(() => console.log(require("./await.mjs").a));' > cached.cjs; "$bao" cached.cjs
echo "== what a module has thrown stays as it is"
echo 'throw Object.assign(new Error("of the module"), { code: "ERR_REQUIRE_ASYNC_MODULE" });' > own.mjs
echo 'throw { code: "ERR_REQUIRE_CYCLE_MODULE" };' > object.mjs
echo 'throw { get code() { throw new Error("read"); }, name: "getter" };' > getter.mjs
echo 'import { createRequire } from "node:module"; createRequire(import.meta.url)("./await.mjs");' > inner.mjs
echo 'for (const name of ["own", "object", "getter", "inner"])
  try { require(`./${name}.mjs`); } catch (error) { console.log(name, error.name, String(error.message).replaceAll(__dirname, "DIR").replace(/ +$/gm, "")); }' > thrown.cjs
"$bao" thrown.cjs
echo "== standard error takes nothing"
for words in never.mjs "--experimental-print-required-tla place.cjs"; do "$bao" $words 2>/dev/full; echo "exit $?"; done

# --coverage: files that no test loads, patterns, thresholds, and the reports that are files.
. support/lib.sh
file src/a.ts <<'TS'
export function used(x: number): string {
  if (x > 1) return "<big>";
  return x < 0 ? "negative" : x && "small" || `
  nothing
`;
}
export const unused = () => "never";
TS
file src/deep/b.js <<'JS'
exports.b = function (x) { if (x) { return 1; } return 2; };
JS
file src/dead.ts <<'TS'
export const dead = 1;
export function corpse(x = 1) {
  return x;
}
TS
file src/types.d.ts <<'TS'
export declare const x: number;
TS
file src/types.ts <<'TS'
export interface Only { types: true }
TS
file src/__tests__/helper.ts <<'TS'
export const helper = 1;
TS
file tools/build.mjs <<'JS'
console.log("build");
JS
file app.config.ts <<'TS'
export default {};
TS
file broken.js <<'JS'
let let = ;
JS
file node_modules/x/index.js <<'JS'
module.exports = 1;
JS
file a.test.ts <<'TS'
import { test, expect } from "bun:test";
import { used } from "./src/a";
import { b } from "./src/deep/b.js";
test("a", () => { expect(used(2)).toBe("<big>"); expect(b(1)).toBe(1) });
test("b", () => { expect(used(0)).toBe("\n  nothing\n") });
TS
files() { "$BAO" test "$@" 2>&1 | grep -E '^( |All|error)' | grep -v 'expect()\|pass$\|fail$'; }
echo "# loaded"; files --coverage
echo "# all"; files --coverage-all
echo "# include"; files --coverage-include='src/*.ts'
echo "# several"; files --coverage-include='src/**/*.js' --coverage-include='tools/**' --parallel=2
cp a.test.ts b.test.ts
echo "# two processes"; files --coverage-include='src/**' --parallel=2
rm b.test.ts
printf '[test]\ncoverage = true\ncoverageAll = true\ncoveragePathIgnorePatterns = ["tools/**", "src/deep"]\n' >bunfig.toml
echo "# ignored"; files
printf '[test]\ncoverage = true\ncoverageInclude = "src/*"\ncoverageSkipTestFiles = false\n' >bunfig.toml
echo "# include in bunfig.toml"; files
printf '[test]\ncoverage = true\ncoverageSkipTestFiles = false\n' >bunfig.toml
echo "# test files"; files
echo "# thresholds"
for threshold in 0.5 0.95 '{ lines = 0.8, functions = 0.5 }' '{ branches = 0.6 }' '{ statements = 0.99, branch = 0.1 }' '{ lines = 0 }'; do
  printf '[test]\ncoverage = true\ncoverageThreshold = %s\n' "$threshold" >bunfig.toml
  echo "$threshold"
  "$BAO" test >out.txt 2>&1
  echo "exit code $?"
  grep ^error out.txt
done
printf '[test]\ncoverageReporter = ["lcov", "nonsense"]\n' >bunfig.toml
"$BAO" test --coverage 2>&1 | mask
rm bunfig.toml
"$BAO" test --coverage-reporter=clover 2>&1 | mask
echo "# files"
t --coverage-reporter=html,json,json-summary --coverage-include='src/**'
find coverage -type f | sort
mask coverage/coverage-summary.json
mask coverage/coverage-final.json | tr '{' '\n' | head -40
sed -n '/<body>/,$p' coverage/index.html
sed -n '/<table class="code">/,$p' coverage/src/a.ts.html
grep -c 'https*:' coverage/index.html coverage/src/*.html
mkdir sub
cd sub
cp ../a.test.ts .
sed -i 's#./src#../src#' a.test.ts
"$BAO" test --coverage-reporter=html,text 2>&1 | grep '\.\./'
find coverage -type f | sort
rm -r coverage
echo x >coverage
t --coverage-reporter=lcov

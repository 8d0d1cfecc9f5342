# --coverage: the table, LCOV, thresholds, what is left out.
. support/lib.sh
mkdir src
file src/a.ts <<'TS'
export interface Shape { a: number }
export function used(x: number): string {
  if (x > 1) {
    return "big";
  } else {
    return "small";
  }
}
export function unused(): void {
  console.log("x");
  console.log("y");
}
enum Kind { One = 1 }
export class K {
  m() { return Kind.One; }
  n() {
    return 2;
  }
}
TS
file src/b.js <<'JS'
exports.z = [1, 2, 3].map((x) => x * 2);
exports.never = function () { return 1; };
JS
file a.test.ts <<'TS'
import { test, expect } from "bun:test";
import { used, K } from "./src/a";
import { z } from "./src/b.js";
test("a", () => { expect(used(2)).toBe("big"); expect(new K().m()).toBe(1); expect(z).toHaveLength(3); });
TS
t --coverage --coverage-reporter=text --coverage-reporter=lcov
cat coverage/lcov.info
t --coverage-reporter=lcov --coverage-dir=other
ls other
printf '[test]\ncoverage = true\ncoverageThreshold = 0.9\n' >bunfig.toml
t
printf '[test]\ncoverage = true\ncoverageThreshold = { lines = 0.3, functions = 0.2 }\ncoveragePathIgnorePatterns = ["src/b*"]\n' >bunfig.toml
t
cp a.test.ts b.test.ts
# Which worker is done first differs.
"$BAO" test --parallel=2 2>&1 | grep -E "src/|All files|pass$|fail$|expect"

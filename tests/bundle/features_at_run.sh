# expected: recorded from bun 1.4.5
# `--feature` for what runs from its sources: programs and tests.
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT
cd "$T" || exit 1
cat > main.ts <<'END'
import { feature as on } from "bun:bundle";
if (on("ONE")) console.log("one"); else console.log("not one");
console.log(on("TWO") ? "two" : "not two");
END
cat > some.test.ts <<'END'
import { feature } from "bun:bundle";
import { expect, test } from "bun:test";
test("feature", () => { let is = "off"; if (feature("ONE")) is = "on"; console.log("test:", is); expect(1).toBe(1); });
END
"$BAO" main.ts
"$BAO" --feature=ONE main.ts
"$BAO" run --feature ONE --feature TWO ./main.ts
"$BAO" --feature one main.ts
"$BAO" test ./some.test.ts 2> /dev/null | grep test:
"$BAO" test --feature=ONE ./some.test.ts 2> /dev/null | grep test:

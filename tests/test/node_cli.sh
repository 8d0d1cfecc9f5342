# --test: the files of node:test, each in a process. Recorded with BAO=node (25.9).
. support/lib.sh
clean() {
  sed -E -e "s#$work#DIR#g" -e 's/duration_ms: [0-9.]+/duration_ms: N/' -e 's/duration_ms [0-9.]+/duration_ms N/' \
    -e 's/\([0-9.]+ms\)/(N)/' -e "s/^( *location: .*):[0-9]+'/\\1:C'/" -e '/^ *stack: \|-$/,/^ *\.\.\.$/{/\.\.\.$/!d}' -e '/^ *code: /d' -e '/Subtest\|^ok\|^not ok/s/`//g'
}
n() {
  echo "\$ $*"
  "$BAO" "$@" 2>"$work/.err" >"$work/.out"
  code=$?
  clean <"$work/.out"
  [ -s "$work/.err" ] && { echo "--- stderr"; clean <"$work/.err" | head -3; }
  echo "--- exit code $code"
}

file a.test.mjs <<'JS'
import { describe, it, test } from "node:test";
import assert from "node:assert";
test("sums", () => assert.equal(1 + 1, 2));
describe("a suite", () => {
  it("passes", () => {});
  it("is skipped", { skip: "later" }, () => {});
  it("is to do", { todo: true }, () => {});
});
console.log("text of a");
JS
file sub/b_test.cjs <<'JS'
const { test } = require("node:test");
test("fails", () => {
  throw new TypeError("of b");
});
test("of the environment", (t) => {
  t.diagnostic(`context ${process.env.NODE_TEST_CONTEXT}`);
});
JS
file test/any.js <<'JS'
require("node:test").test("in the folder test", () => {});
JS
file latest.js <<'JS'
throw new Error("not a test");
JS
file node_modules/p/test.js <<'JS'
throw new Error("of a package");
JS
n --test --test-reporter=tap
n --test --test-reporter=tap --test-name-pattern=sums a.test.mjs
n --test --test-reporter=tap --test-shard=2/2 "*.test.mjs" "test/*.js"
n --test --test-reporter=tap --test-isolation=none test/any.js sub/b_test.cjs
n --test no-such-file.js
file c.test.mjs <<'JS'
process.exit(3);
JS
n --test --test-reporter=tap c.test.mjs
file setup.mjs <<'JS'
export function globalSetup() { console.log("before all"); }
JS
n --test --test-reporter=spec --test-global-setup=setup.mjs test/any.js
n --test --test-reporter=tap --test-reporter-destination=out.tap --test-reporter=dot --test-reporter-destination=stdout test/any.js
clean <out.tap
file own.mjs <<'JS'
export default async function* (source) {
  for await (const { type, data } of source) if (type === "test:pass" || type === "test:summary") yield `${type} ${data.name ?? data.success}\n`;
}
JS
n --test --test-reporter=./own.mjs test/any.js
file lib.mjs <<'JS'
export function used(value) {
  let sum = 0;
  if (value) {
    sum += 1;
  }
  // The body of an `if` that is not taken counts, not the statement; with its braces.
  if (!value) {
    // none
    sum += 2;
  }
  if (!value) sum += 3;
  if (value) {
    sum += 4;
  } else {
    sum += 5;
  }
  if (!value) {
    sum += 6;
  } else if (value === 7) {
    sum += 7;
  } else {
    sum += 8;
  }
  return sum;
}
export function unused() {
  return 2;
}
JS
file covered.test.mjs <<'JS'
import { test } from "node:test";
import { used } from "./lib.mjs";
test("used", () => void used(true));
JS
mkdir tmp
TMPDIR=$work/tmp
export TMPDIR
# The numbers of branches are not V8's.
covered() { n "$@" | sed -E 's/(\| +[0-9.]+ \|) +[0-9.]+ \|/\1 B |/'; }
covered --test --test-reporter=tap --experimental-test-coverage covered.test.mjs
covered --test --test-reporter=tap --experimental-test-coverage --experimental-test-isolation=none covered.test.mjs
covered --test-reporter=tap --experimental-test-coverage covered.test.mjs
file stopped.test.mjs <<'JS'
import { test } from "node:test";
import "./lib.mjs";
test("stops the run", () => {
  process.kill(process.ppid, "SIGINT");
  return new Promise((resolve) => setTimeout(resolve, 10000));
});
JS
n --test --test-reporter=dot --experimental-test-coverage stopped.test.mjs >/dev/null
echo "left in the temporary folder:" $(ls tmp)
file mocked.mjs <<'JS'
export default "real";
export const name = "real";
JS
file mocking.test.mjs <<'JS'
import { mock, test } from "node:test";
const used = async (name, options) => {
  if (options !== undefined) {
    try {
      var mocked = mock.module("./mocked.mjs", options);
    } catch (error) {
      return console.log(name, error.code, error.message.split("\n")[0]);
    }
  }
  console.log(name, JSON.stringify(await import("./mocked.mjs")));
  mocked?.restore();
};
test("mocks", async (t) => {
  console.log(typeof mock.module, typeof t.mock.module, "module" in mock);
  if (mock.module === undefined) return;
  await used("real");
  await used("exports", { exports: { default: 1, name: "exports" } });
  await used("older", { defaultExport: 2, namedExports: { name: "older" } });
  await used("named", { exports: { name: "named" } });
  await used("both", { exports: {}, namedExports: {} });
  await used("all", { exports: {}, namedExports: {}, defaultExport: 1 });
  await used("no object", { exports: 1 });
});
JS
n --no-warnings --test-reporter=dot mocking.test.mjs
n --no-warnings --test-reporter=dot --experimental-test-module-mocks mocking.test.mjs

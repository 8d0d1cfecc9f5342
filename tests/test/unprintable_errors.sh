# Values thrown that do not want to be shown, and names that do not want to be printed: a result for each, and reports that can be read.
. support/lib.sh
file a.test.ts <<'TS'
import { test, expect } from "bun:test";
const bad = () => { throw new Error("no"); };
const guarded = () => {
  const error = new Error("guarded");
  for (const name of ["message", "stack", "name", "cause", "code", "errors", "own"]) Object.defineProperty(error, name, { enumerable: true, get: bad });
  return error;
};
const handler = { get: bad, ownKeys: bad, getPrototypeOf: bad, getOwnPropertyDescriptor: bad, has: bad };
test("getters", () => { throw guarded(); });
test("getters later", async () => { await 1; throw guarded(); });
test("toString", () => { throw { toString: bad, [Symbol.toPrimitive]: bad, [Symbol.for("nodejs.util.inspect.custom")]: bad }; });
test("no prototype", async () => { await 1; throw Object.create(null); });
test("proxy", () => { throw new Proxy({}, handler); });
test("proxy of an error", async () => { await 1; throw new Proxy(new Error("inner"), handler); });
test("odd name and message", async () => { await 1; throw Object.assign(new Error(), { name: Symbol("name"), message: { toString: bad } }); });
test("circle of causes", async () => { await 1; const a: any = new Error("a"); const b: any = new Error("b", { cause: a }); a.cause = b; throw a; });
test("its own cause", () => { const a: any = new Error("a"); a.cause = a; throw a; });
test("aggregate", () => { throw new AggregateError([new Error("one"), new TypeError("two"), 3], "many"); });
test("aggregate of itself", async () => { await 1; const a = new AggregateError([new Error("one")], "circle"); a.errors.push(a); throw a; });
test("properties", () => { throw Object.assign(new Error("p"), { code: "E_X", extra: { a: 1 } }); });
test("symbol", () => { throw Symbol("s"); });
test("undefined", async () => { throw undefined; });
TS
file b.test.ts <<'TS'
import { test, expect } from "bun:test";
test("two\nlines", () => {});
test("\x1b[31mred\x1b[0m \x00\x07 \uD800 \uFFFE ]]> &<\"'", () => { throw new Error("\x1b[31mred\x1b[0m \x00\x07 \uD800 \uFFFE ]]>\n  - a: b"); });
test("# SKIP \\ ok 1", () => { expect("\x00\uDC00").toBe("\uFFFF"); });
test("n".repeat(1_000_000), () => { throw new Error("m".repeat(1_000_000)); });
TS
echo 'setTimeout(() => { throw new Error("between"); }, 0); await Bun.sleep(20); test("never", () => {});' >c.test.ts
"$BAO" test ./a.test.ts >out 2>err
echo "exit code $?"
grep -vE '^ *[0-9]+ \|| +\^$' err | mask
for mode in --no-isolate --isolate --parallel=2; do
  for reporter in junit json tap; do
    "$BAO" test $mode --reporter=default --reporter=$reporter --reporter-outfile=report.$reporter >out 2>err
    echo "$mode $reporter: exit code $?, $([ "$(wc -c <err)" -lt 60000 ] && echo bounded)"
  done
  python3 - <<'PY'
import json, re, xml.dom.minidom
cases = xml.dom.minidom.parse("report.junit").getElementsByTagName("testcase")
print("junit", len(cases), sum(1 for case in cases if case.getElementsByTagName("failure")))
report = json.load(open("report.json"))
print("json", report["numTotalTests"], report["numFailedTests"], report["numFailedTestSuites"], report["success"])
tap = open("report.tap").read()
points = re.findall(r"^(not )?ok (\d+)", tap, re.M)
print("tap", re.findall(r"^1\.\.\d+$", tap, re.M), [int(number) for _, number in points] == list(range(1, len(points) + 1)), sum(1 for no, _ in points if no))
print("no control characters", not re.search("[\x00-\x08\x0b-\x1f\x7f]", tap))
PY
done

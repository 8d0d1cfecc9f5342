# node:test in a program: errors that nothing catches, the end of a run with open handles, plans, clocks that tests fake. The
# marks and their order are those of Node 25.9 (--test-reporter=spec).
. support/lib.sh
n() {
  echo "\$ $1"
  timeout 20 "$BAO" "$1" 2>&1 | grep -vE '^ +at |duration_ms|^test at|suites|skipped|todo' | sed -E 's/ \([0-9.]+ms\)//'
}
file uncaught.mjs <<'JS'
import { describe, it, afterEach } from "node:test";
describe("errors that nothing catches", () => {
  afterEach(() => console.log("afterEach"));
  it("thrown while done is waited for", (t, done) => { t.after(() => console.log("after 1")); setTimeout(() => { throw Error("x"); }, 9); });
  it("goes on", (t, done) => done());
  it("rejected", async () => { setTimeout(() => Promise.reject(new Error("y")), 1); await new Promise(() => { setInterval(() => {}, 50).unref(); }); });
  it("goes on again", () => {});
});
JS
n uncaught.mjs
file open.mjs <<'JS'
import { test, after } from "node:test";
import net from "node:net";
const server = net.createServer().listen(0);
after(() => { console.log("closing"); server.close(); });
test("a server is open", () => {});
test("and stays open", async () => { await 1; });
JS
n open.mjs
file plans.mjs <<'JS'
import { test } from "node:test";
const later = (t, turns) => {
  t.plan(1);
  let promise = Promise.resolve();
  for (let i = 0; i < turns; i++) promise = promise.then(() => {});
  promise.then(() => t.assert.ok(1));
};
for (const turns of [0, 3, 4]) test(`turns ${turns}`, (t) => later(t, turns));
for (const turns of [0, 3, 4]) test(`async, turns ${turns}`, async (t) => later(t, turns));
JS
n plans.mjs
file clocks.mjs <<'JS'
import { test } from "node:test";
test("another performance", (t) => {
  const before = performance;
  globalThis.performance = Object.create(Object.getPrototypeOf(before));
  t.after(() => { globalThis.performance = before; });
});
test("another setTimeout", { timeout: 5000 }, async (t) => {
  const before = setTimeout;
  globalThis.setTimeout = () => { throw new Error("faked"); };
  t.after(() => { globalThis.setTimeout = before; });
  await t.waitFor(() => true);
});
JS
n clocks.mjs
file order.mjs <<'JS'
import { test, afterEach } from "node:test";
afterEach(() => console.log("afterEach"));
test("passes", (t) => { t.after(() => console.log("t.after")); });
test("fails", (t) => { t.after(() => console.log("t.after")); throw new Error("failed"); });
JS
n order.mjs
file hooks.test.mjs <<'JS'
import { before, test } from "node:test";
before();
test("a hook without a function is none", () => {});
JS
t
file broken.ts <<'JS'
throw new Error("in the preload");
JS
"$BAO" test --preload ./broken.ts --reporter=json hooks 2>/dev/null | grep -v '^bao test' | "$BAO" -e '
const report = JSON.parse(await Bun.stdin.text());
console.log(report.success, report.runExecError.message.split("\n").find((line) => line.includes("in the preload") && line.startsWith("error")));'

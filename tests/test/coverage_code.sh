# --coverage: what counters do to code (nothing), and what is counted in it. The lines that ran are those that vitest 5 with its
# Istanbul provider finds.
. support/lib.sh
file src/shapes.ts <<'TS'
export enum Kind { Small = 1, Large = Small << 1 }
export interface None { a: number }
namespace Inner {
  export const one = 1;
}
export class Shape<T = string> {
  #secret = () => this.size;
  static made = 0;
  ["computed"] = () => 1;
  handler = function () { return this; };
  constructor(readonly size: number, private other?: T) {
    Shape.made++;
  }
  get secret() { return this.#secret; }
  async *[Symbol.asyncIterator]() { yield Inner.one }
  static { if (Shape.made > 1) Shape.made = 0 }
}
export const arrow = (a: number, f = () => a, g = class {}): [() => number, string, string] => [f, f.name, g.name]
export const first = () => 1, second = function () { return 2 }, third = (4, 3);
export default () => "default";
label: for (let i = 0, n = second(); i < n; i++)
  for (;;)
    if (i) continue label
    else if (third > 3) break label; else break
do first(); while (third < 1)
export function pick(value: unknown, { deep = [] as number[], ...rest } = {}) {
  switch (value) {
    case 1: return 'one'
    case 2:
    case 3: {
      return 'more'
    }
    default:
      try { throw value as Error } catch { return (value ?? deep) && (rest || deep) ? 'other' : `none ${value || 1}` }
      finally { void 0 }
  }
}
export function strict() {
  'use strict'
  return this
}
/* istanbul ignore next */
export function ignored() {
  return 1;
}
export const half = (x?: number) => x /* v8 ignore next */ ?? 2;
// c8 ignore start
if (third > 100) {
  throw new Error();
}
// c8 ignore stop
/* v8 ignore else */
if (third) { Shape.made += 0 }
TS
file src/ignored.js <<'JS'
/* istanbul ignore file */
exports.x = 1;
JS
file src/common.cjs <<'JS'
"use strict"
exports.a = function () { return this === undefined }
Object.defineProperty(exports, "b", { enumerable: true, get: function () { return exports.a.name } });
module.exports.c = eval("1 + 1")
JS
file src/stack.ts <<'TS'
export function fail(x: boolean) { if (x && !!x) return x ? failed() : null; else throw 1 }
function failed() { const error = new Error("here"); return error.stack!.split("\n")[1] + error.stack!.split("\n")[2] }
TS
file src/worker.js <<'JS'
import { parentPort, workerData } from "node:worker_threads";
function answer(x) {
  return x ? "yes" : "no";
}
parentPort.postMessage(answer(workerData));
JS
file src/view.jsx <<'JS'
export const View = ({ on, name = "x" }) => on ? <b id={name && "y"}>{name || "z"}</b> : null;
JS
file node_modules/dep/index.js <<'JS'
module.exports = function dep() { return 1 };
JS
file code.test.ts <<'TS'
import { test, expect } from "bun:test";
import made, * as shapes from "./src/shapes";
import { a, b, c } from "./src/common.cjs";
import { fail } from "./src/stack";
import dep from "dep";
import { Worker } from "node:worker_threads";
const { Shape, arrow, pick, Kind } = shapes;

test("code does what it did", async () => {
  expect(Kind.Large).toBe(2);
  const shape = new Shape(2);
  expect(shape.secret()).toBe(2);
  expect([shape.secret.name, shape.handler.name, shape.computed.name]).toEqual(["#secret", "handler", "computed"]);
  const [f, ...names] = arrow(1);
  expect([f(), ...names]).toEqual([1, "f", "g"]);
  expect([shapes.first.name, shapes.second.name, made.name, arrow.name]).toEqual(["first", "second", "default", "arrow"]);
  for await (const one of shape) expect(one).toBe(1);
  expect([1, 3, 0, null].map((value) => pick(value))).toEqual(["one", "more", "none 1", "other"]);
  expect(shapes.half(1)).toBe(1);
  expect((0, shapes.strict)()).toBeUndefined();
  expect([a(), b, c, dep()]).toEqual([true, "", 2, 1]);
  expect(require("./src/ignored.js").x).toBe(1);
  expect(arrow.toString.call(dep)).toContain("dep() { return 1 }");
});

test("errors are where they are", () => {
  expect(fail(true)!.match(/stack.ts:\d+:\d+/g)).toEqual(["stack.ts:2:35", "stack.ts:1:61"]);
});

test("workers are counted", async () => {
  const worker = new Worker(new URL("./src/worker.js", import.meta.url), { workerData: true });
  expect(await new Promise((done) => worker.once("message", done))).toBe("yes");
  await worker.terminate();
});

test("nothing to see", () => {
  for (const name in globalThis) if (name.startsWith("__bao")) throw new Error(name);
});
TS
file view.test.jsx <<'JS'
import { View } from "./src/view";
test("jsx", () => expect(typeof View).toBe("function"));
JS
t code
t code --coverage --coverage-reporter=text,lcov
grep -E "^(SF|FN|DA|BRDA)" coverage/lcov.info >all.info
cat all.info
# Nothing changes with modules of their own, or in several processes.
for how in --isolate --parallel=2; do
  "$BAO" test code $how --coverage --coverage-reporter=lcov >/dev/null 2>&1
  grep -E "^(SF|FN|DA|BRDA)" coverage/lcov.info | cmp - all.info && echo "$how: the same"
done
cp code.test.ts again.test.ts
"$BAO" test code again --parallel=2 --coverage --coverage-reporter=lcov >/dev/null 2>&1
grep -A1000 common.cjs coverage/lcov.info | grep -m3 ^DA
"$BAO" test code again --coverage --coverage-reporter=lcov >/dev/null 2>&1
grep -A1000 common.cjs coverage/lcov.info | grep -m3 ^DA

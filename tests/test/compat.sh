# Imports of @jest/globals and vitest, `bun:test` outside of `bao test`.
. support/lib.sh
file jest.test.ts <<'TS'
import { test, expect, jest, beforeAll } from "@jest/globals";
const f = jest.fn((x: number) => x + 1);
beforeAll(() => { f(1); });
test("jest", () => { expect(f).toHaveBeenCalledTimes(1); expect(f.mock.results[0]!.value).toBe(2); });
TS
file vitest.test.ts <<'TS'
import { test, expect, vi, suite } from "vitest";
suite("suite", () => {
  test("vi", () => { const f = vi.fn(); f(); expect(f).toHaveBeenCalled(); });
});
TS
file common.test.cjs <<'JS'
const { test, expect } = require("bun:test");
test("common", () => { expect(require("@jest/globals").test).toBe(test); });
JS
t
file outside.ts <<'TS'
import { test, expect } from "bun:test";
try { test("x", () => {}); } catch (error: any) { console.log(error.message); }
TS
"$BAO" outside.ts

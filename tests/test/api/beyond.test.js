// What Bun does not have, or has otherwise: answers are those of Jest or vitest.
import { expect, test, mock, spyOn, jest, vi } from "bun:test";

const attempt = (name, call) => {
  try { call(); console.log(name, "passes"); } catch (error) { console.log(name, JSON.stringify(error.message)); }
};

test("messages", () => {
  attempt("hidden characters", () => expect("a\r\nb\u200b").toBe("a\nb"));
  attempt("lines in a property", () => expect({ a: "x\ny" }).toEqual({ a: "x\nz" }));
  attempt("alike", () => expect([, 1]).toStrictEqual([undefined, 1]));
  attempt("matchers in a difference", () => expect({ a: [1], b: 1.4 }).toEqual({ a: expect.arrayContaining([3]), b: expect.closeTo(1.55, 1) }));
  attempt("a thrown value", () => expect(() => { throw new Error("boom"); }).toThrow(expect.objectContaining({ message: "bam" })));
  attempt("long texts", () => expect("x".repeat(3000)).toBe("y"));
  expect.extend({ toBeFive(received, wanted) { return { pass: received === 5, message: () => `${this.isNot ? "five" : "not five"} ${wanted}` }; } });
  attempt("extended", () => expect(4).toBeFive("w"));
  attempt("extended not", () => expect(5).not.toBeFive("w"));
  attempt("extended asymmetric", () => expect({ a: 4 }).toEqual({ a: expect.toBeFive() }));
});

test("promises", async () => {
  const reasons = [];
  const note = (error) => reasons.push(error.message.split("\n")[0]);
  await expect(Promise.resolve(1)).resolves.toBe(2).catch(note);
  await expect(Promise.reject(new Error("r"))).rejects.toThrow("q").catch(note);
  await expect(async () => { throw new Error("r"); }).rejects.toThrow("r");
  await expect(async () => { throw new Error("r"); }).toThrow("q").catch(note);
  await expect.poll(() => reasons.length, { interval: 1 }).toBe(3);
  console.log(reasons);
});

test("mocked classes and accessors", () => {
  const Made = mock(function (x) { this.x = x; });
  const made = new Made(3);
  console.log(made.x, made instanceof Made, Made.mock.instances[0] === made);
  const Class = mock(class { constructor(a) { this.a = a; } get double() { return this.a * 2; } });
  console.log(new Class(4).double, Class.mock.calls);
  const o = { get p() { return 5; }, v: 3 };
  const get = spyOn(o, "p", "get").mockReturnValue(7);
  console.log(o.p, get.mock.calls.length, (get.mockRestore(), o.p));
  const replaced = jest.replaceProperty(o, "v", 4);
  console.log(o.v, (replaced.replaceValue(5), o.v), (replaced.restore(), o.v));
});

test("stubs", async () => {
  vi.stubEnv("BAO_STUBBED", "1");
  vi.stubGlobal("stubbed", 2);
  console.log(process.env.BAO_STUBBED, stubbed);
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  console.log(process.env.BAO_STUBBED, typeof stubbed);
  let tries = 0;
  console.log(await vi.waitFor(() => { if (++tries < 3) throw new Error("not yet"); return tries; }, { interval: 1 }));
  vi.useFakeTimers();
  const log = [];
  setTimeout(async () => { await null; log.push("a"); setTimeout(() => log.push("b"), 10); }, 10);
  await vi.advanceTimersByTimeAsync(20);
  console.log(log, vi.getTimerCount());
  setInterval(() => {}, 1);
  attempt("endless", () => vi.runAllTimers());
  vi.useRealTimers();
});

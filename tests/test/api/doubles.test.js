// Mock functions, spies and faked time.
import { expect, test, mock, spyOn, jest, vi, setSystemTime } from "bun:test";

const show = (...values) => console.log(...values.map((value) => typeof value === "string" ? value : JSON.stringify(value)));

test("mock functions", async () => {
  const f = mock((a) => a + 1);
  f(1);
  f.call({ z: 1 }, 2);
  show(f.mock.calls, f.mock.contexts, f.mock.results, f.mock.lastCall, f.mock.invocationCallOrder.length, f.length, f._isMockFunction);
  const g = mock();
  show(g() === undefined, g.mockReturnValue(3) === g, g(), g.mockReturnValueOnce(4)(), g(), g.mockImplementation(() => 9)());
  show(g.mockImplementationOnce(() => 1)(), g(), g.mockReturnThis().call("x") == "x");
  g.mockClear();
  show(g.mock.calls);
  g.mockReset();
  show(g() === undefined, g.getMockImplementation() === undefined);
  const thrower = mock(() => { throw new Error("e"); });
  try { thrower(); } catch {}
  show(thrower.mock.results.map(({ type, value }) => [type, value.message]));
  const later = mock().mockResolvedValue(3).mockRejectedValueOnce(new Error("q"));
  show(await later().catch((error) => error.message), await later());
  const w = mock(() => 1);
  let inside;
  w.withImplementation(() => 2, () => { inside = w(); });
  show(inside, w());
  show(mock().mockName("named").getMockName(), jest.fn(() => 5)(), vi.fn()() === undefined, mock(7)());
  const passes = (call) => { try { call(); return true; } catch { return false; } };
  const u = mock();
  u(undefined);
  u({ a: undefined });
  show(passes(() => expect(u).toHaveBeenCalledWith()), passes(() => expect(u).toHaveBeenCalledWith(undefined)), passes(() => expect(u).toHaveBeenCalledWith({})));
  jest.clearAllMocks();
  show(f.mock.calls, w());
});

test("spies", () => {
  const o = { m(a) { return a * 2; }, v: 3 };
  const original = o.m;
  const s = spyOn(o, "m");
  show(o.m(2), s.mock.calls, o.m === s, spyOn(o, "m") === s);
  s.mockReturnValue(1);
  show(o.m(2));
  s.mockRestore();
  show(o.m === original);
  class C { k = 3; m() { return this.k; } }
  const sp = spyOn(C.prototype, "m");
  const c = new C();
  show(c.m(), sp.mock.contexts[0] === c);
  mock.restore();
  show(C.prototype.m === sp);
  {
    using u = spyOn(o, "m");
    u.mockReturnValue(100);
    show(o.m());
  }
  show(o.m(1));
});

test("time", () => {
  show(jest.isFakeTimers(), jest.useFakeTimers({ now: 5 }) === jest, jest.isFakeTimers(), Date.now());
  const log = [];
  setTimeout((a) => log.push(`a${a}`), 100, 1);
  const every = setInterval(() => log.push(`i${Date.now() - 5}`), 30);
  show(jest.getTimerCount(), jest.advanceTimersByTime(65) === jest, log.splice(0), Date.now());
  jest.advanceTimersToNextTimer();
  show(log.splice(0));
  jest.runOnlyPendingTimers();
  show(log.splice(0), jest.getTimerCount());
  clearInterval(every);
  setTimeout(() => { log.push(1); setTimeout(() => log.push(2), 10); }, 10);
  jest.runAllTimers();
  show(log.splice(0), jest.getTimerCount());
  jest.setSystemTime(new Date("2020-01-01T00:00:00Z"));
  jest.advanceTimersByTime(1000);
  show(new Date().toISOString(), Object.hasOwn(setTimeout, "clock"));
  jest.useRealTimers();
  show(jest.isFakeTimers(), new Date().getFullYear() > 2024, Object.hasOwn(setTimeout, "clock"));
  for (const call of [() => jest.advanceTimersByTime(1), () => jest.useFakeTimers().advanceTimersByTime(-5), () => jest.advanceTimersByTime("x")]) {
    try { call(); } catch (error) { show(error.name, error.message); }
  }
  jest.useRealTimers();
  setSystemTime(new Date(10));
  show(Date.now(), new Date().getTime(), new Date().constructor === Date, new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format());
  setSystemTime();
  show(Date.now() > 1e12);
});

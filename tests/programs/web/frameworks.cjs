// Test frameworks run suites through their APIs. Durations, stacks and empty lines are taken out of what they print.
const log = console.log,
  util = require("util");
console.log = (...a) =>
  log(
    util
      .format(...a)
      .replace(/ \(\d+ms\)/g, "")
      .replace(/\n\s+at .*/g, "")
      .replace(/\n\s*(?=\n|$)/g, "")
      .replace(/\(\/.*?suite\.cjs\)/, "(FILE)"),
  );
const mochaExports = require("mocha"),
  Mocha = mochaExports.default ?? mochaExports,
  fs = require("fs"),
  tape = require("tape"),
  sinon = require("sinon"),
  jasmineExports = require("jasmine"),
  Jasmine = jasmineExports.default ?? jasmineExports;
fs.writeFileSync(
  "suite.cjs",
  `const assert = require("assert"), { expect } = require("chai");
describe("outer", function () { let n = 0; before(() => { n = 1; }); beforeEach(async () => { await null; n++; }); afterEach(function () { this.currentTest.title; });
  it("sync", () => { assert.strictEqual(n, 2); }); it("async", async () => { await new Promise((r) => setTimeout(r, 2)); expect({ a: [1, { b: 2 }] }).to.deep.equal({ a: [1, { b: 2 }] }); }); it("callback", (done) => setImmediate(done));
  it("fails", () => { assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] }); }); it("chai fails", () => { expect([1, 2]).to.include(3); }); it("throws", () => { expect(() => { throw new RangeError("r"); }).to.throw(RangeError, /r/); });
  it("times out", function (done) { this.timeout(10); }); it("pending"); it.skip("skipped", () => {}); describe("inner", () => { it("rejects", async () => { throw new TypeError("rej"); }); it("retries", function () { this.retries(2); if (++globalThis.tries < 3) throw new Error("again"); }); }); }); globalThis.tries = 0;`,
);
const runMocha = () =>
  new Promise((done) => {
    const mocha = new Mocha({ reporter: "spec", color: false });
    mocha.addFile(fs.realpathSync("suite.cjs"));
    mocha.loadFilesAsync().then(() =>
      mocha.run((failures) => {
        log("failures", failures);
        done();
      }),
    );
  });
const runTape = () =>
  new Promise((done) => {
    const t = tape.createHarness();
    const s = t.createStream();
    let text = "";
    s.on("data", (c) => (text += c)).on("end", () => {
      log(text.replace(/\n +(at|stack): [^]*?(?=\n  \.\.\.)/g, ""));
      done();
    });
    t("one", (a) => {
      a.plan(3);
      a.equal(1, 1, "eq");
      a.deepEqual({ a: [1] }, { a: [1] });
      setTimeout(() => a.ok(true), 2);
    });
    t("two", async (a) => {
      a.notOk(false);
      a.throws(() => {
        throw new Error("x");
      }, /x/);
    });
    t("bad", (a) => {
      a.equal(1, 2);
      a.end();
    });
  });
const runSinon = () => {
  const clock = sinon.useFakeTimers({ now: 1e12 });
  const spy = sinon.spy();
  setTimeout(spy, 1000, "a");
  setInterval(spy, 400);
  clock.tick(1300);
  const when = new Date().toISOString();
  clock.restore();
  log(spy.callCount, spy.args, when);
  const o = { m: (x) => x };
  const stub = sinon.stub(o, "m").withArgs(1).returns("one");
  log(o.m(1), o.m(2), stub.calledOnce);
  o.m.restore();
  const mock = sinon.mock(o);
  mock.expects("m").twice();
  o.m();
  try {
    mock.verify();
  } catch (e) {
    log(e.name, e.message.split("\n")[0]);
  }
};
const runJasmine = async () => {
  const j = new Jasmine();
  j.exitOnCompletion = false;
  j.clearReporters();
  j.addReporter({
    specDone: (r) =>
      log(
        r.fullName,
        r.status,
        r.failedExpectations.map((f) => f.message),
      ),
    jasmineDone: (r) => log(r.overallStatus),
  });
  j.randomizeTests(false);
  j.env.describe("j", () => {
    j.env.it("passes", async () => {
      j.env.expect([1, { a: 2 }]).toEqual([1, { a: 2 }]);
    });
    j.env.it("fails", () => {
      j.env.expect({ a: 1, b: "x" }).toEqual({ a: 2, b: "x" });
    });
    j.env.it("spies", () => {
      const s = jasmine.createSpy("s").and.returnValue(3);
      s(1);
      j.env.expect(s).toHaveBeenCalledWith(2);
    });
  });
  await j.execute();
};
(async () => {
  await runMocha();
  await runTape();
  runSinon();
  await runJasmine();
})();

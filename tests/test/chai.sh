# chai's assertions, which vitest has beside Jest's.
. support/lib.sh
file bdd.test.ts <<'TS'
import { expect, test, vi } from "vitest";
const bad = (f: () => any) => { try { f() } catch (e: any) { return e.message } return "no error" };
test("chai", async () => {
  expect(1).to.equal(1); expect(1).to.not.equal(2); expect({ a: 1 }).to.deep.equal({ a: 1 }); expect({ a: 1 }).to.eql({ a: 1 });
  expect("x").to.be.a("string"); expect([]).to.be.an("array").that.is.empty; expect(null).to.be.null; expect(undefined).to.be.undefined;
  expect([1, 2, 3]).to.include(2).and.have.lengthOf(3); expect([1, 2]).to.have.length(2); expect([1, 2, 3]).to.have.length.above(2);
  expect({ a: { b: [1, 2] } }).to.have.nested.property("a.b[1]", 2); expect({ a: 1 }).to.have.property("a").that.equals(1);
  expect({ a: 1, b: 2 }).to.include({ a: 1 }); expect({ a: 1, b: 2 }).to.have.all.keys("a", "b"); expect({ a: 1, b: 2 }).to.include.keys("a"); expect({ a: 1 }).to.have.any.keys("a", "c");
  expect([3, 1, 2]).to.have.members([1, 2, 3]); expect([1, 2, 3]).to.have.ordered.members([1, 2, 3]); expect([{ a: 1 }]).to.deep.include({ a: 1 });
  expect(() => { throw new TypeError("boom") }).to.throw(TypeError, /boom/); expect(() => {}).to.not.throw(); expect(() => { throw new Error("x") }).to.throw("x");
  expect(5).to.be.above(4).and.below(6); expect(5).to.be.within(1, 9); expect(5).to.be.at.least(5); expect(1.5).to.be.closeTo(1, 0.6);
  expect("abc").to.match(/b/); expect("abc").to.have.string("bc"); expect(2).to.be.oneOf([1, 2]); expect(new Date()).to.be.instanceOf(Date);
  expect(true).to.be.true; expect(false).to.be.false; expect(1).to.be.ok; expect(NaN).to.be.NaN; expect("").to.exist; expect(4).to.satisfy((x: number) => x > 3);
  const o = { n: 1 }; expect(() => { o.n += 2 }).to.increase(o, "n").by(2);
  await expect(Promise.resolve(4)).resolves.to.equal(4); await expect(Promise.reject(new Error("q"))).rejects.to.be.instanceOf(Error);
  const f = vi.fn(); f(1); expect(f).to.have.been.calledWith(1); expect(f).to.have.been.called; expect(f).to.have.been.calledOnce;
  expect(3).to.be.a("number").and.toBe(3); expect(1).to.be.not.toBe(2);
  expect(Object.freeze({})).to.be.frozen; expect(class { m() {} }).to.respondTo("m"); expect(Symbol()).to.be.a("symbol"); expect(Promise.resolve()).to.be.a("promise");
  expect({ a: { b: 1 } }).to.containSubset({ a: {} });
  console.log(bad(() => expect(1).to.equal(2))); console.log(bad(() => expect(1, "why").to.be.a("string"))); console.log(bad(() => expect([1]).to.be.empty));
  console.log(bad(() => expect({ a: 1 }).to.have.property("b"))); console.log(bad(() => expect({ a: 1 }).to.not.have.property("a"))); console.log(bad(() => expect(() => {}).to.throw(TypeError)));
  console.log(bad(() => expect([1, 2]).to.include(3))); console.log(bad(() => expect({ a: 1 }).to.deep.equal({ a: 2 }))); console.log(bad(() => expect(1).to.be.above(2)));
  console.log(bad(() => expect(true).to.be.false), bad(() => expect([1, 2]).to.have.lengthOf(3)));
  await expect.poll(() => 3).to.equal(3);
});
TS
file assert.test.ts <<'TS'
import { assert, test, expect } from "vitest";
test("assert", () => {
  assert(1); assert.equal(1, "1" as any); assert.strictEqual(1, 1); assert.deepEqual({ a: [1] }, { a: [1] }); assert.isTrue(true); assert.isNotNull(1);
  assert.typeOf("x", "string"); assert.instanceOf(new Map(), Map); assert.include([1, 2], 2); assert.match("a", /a/); assert.throws(() => { throw new Error("x") }, /x/);
  assert.lengthOf([1], 1); assert.hasAllKeys({ a: 1 }, ["a"]); assert.sameMembers([1, 2], [2, 1]); assert.isArray([]); assert.isFunction(() => {}); assert.isDefined(1);
  assert.propertyVal({ a: 1 }, "a", 1); assert.notInclude("abc", "d"); assert.closeTo(1, 1.1, 0.2); assert.isAbove(2, 1); assert.exists(0); assert.isObject({});
  expect(() => assert.strictEqual(1, 2, "msg")).toThrow("msg: expected 1 to equal 2"); expect(() => assert.fail("no")).toThrow("no"); expect(() => assert(0, "zero")).toThrow("zero");
});
TS
t

// The messages of failed assertions, word for word.
const assert = require("assert");
const show = (fn) => {
  try {
    fn();
    console.log("passed");
  } catch (error) {
    console.log(`--- ${error.name} ${error.code} ${error.operator} ${error.generatedMessage}\n${error.message}`);
  }
};
show(() => assert.strictEqual(1, 2));
show(() => assert.strictEqual("a longer text here", "a longer word here"));
show(() => assert.strictEqual(1, 2, "own message"));
show(() => assert.strictEqual({}, {}));
show(() => assert.strictEqual(new TypeError("one"), new TypeError("two")));
show(() => assert.equal(1, 2));
show(() => assert.notEqual(1, 1));
show(() => assert.deepEqual({ a: 1 }, { a: 2 }));
show(() => assert.notDeepEqual([1], [1]));
show(() => assert.deepStrictEqual({ a: 1, b: [1, 2, 3], c: "x" }, { a: 1, b: [1, 3], c: "y" }));
show(() => assert.deepStrictEqual([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6, 7, 0, 9]));
show(() => assert.deepStrictEqual(new Map([[1, { a: 1 }]]), new Map([[1, { a: 2 }]])));
show(() => assert.deepStrictEqual(new Set([1]), [1]));
show(() => assert.deepStrictEqual(new Date(0), new Date(1)));
show(() => assert.deepStrictEqual(/a/g, /a/));
show(() => assert.notDeepStrictEqual({ a: 1 }, { a: 1 }));
show(() => assert.notStrictEqual(5, 5));
show(() => assert.partialDeepStrictEqual({ a: 1, b: 2 }, { a: 1, b: 3 }));
show(() => assert.partialDeepStrictEqual({ a: 1, b: { c: [1, 2, 3] } }, { b: { c: [1, 3] } }));
show(() => assert.ok(0));
show(() => assert(false, "with message"));
show(() => assert.ok());
show(() => assert.fail());
show(() => assert.fail(new RangeError("mine")));
show(() => assert.throws(() => {}));
show(() => assert.throws(() => {}, TypeError, "msg"));
show(() => assert.throws(() => { throw new Error("wrong"); }, TypeError));
show(() => assert.throws(() => { throw new Error("wrong"); }, /right/));
show(() => assert.throws(() => { throw new Error("wrong"); }, { message: "right", name: "Error" }));
show(() => assert.throws(() => { throw new Error("wrong"); }, () => false));
show(() => assert.throws(() => { throw new Error("same"); }, "same"));
show(() => assert.throws("not a function"));
show(() => assert.doesNotThrow(() => { throw new Error("bad"); }, "hint"));
show(() => assert.match("abc", /x/));
show(() => assert.doesNotMatch("abc", /b/));
show(() => assert.match(5, /x/));
show(() => assert.ifError(new Error("late")));
show(() => assert.ifError(null));
show(() => assert.strictEqual(1));
show(() => assert.strict.equal("1", 1));
show(() => new assert.Assert({ diff: "full" }).deepStrictEqual({ a: 1 }, { a: 2 }));
show(() => assert.strictEqual(1, 2, (actual, expected) => `${actual} is not ${expected}`));
show(() => assert.equal(1, 2, "%s and %d", "text", 3));
(async () => {
  const later = async (promise) => { try { await promise; console.log("passed"); } catch (error) { console.log(`--- ${error.operator}\n${error.message}`); } };
  await later(assert.rejects(Promise.resolve(1)));
  await later(assert.rejects(Promise.reject(new Error("no")), /yes/));
  await later(assert.rejects(async () => { throw new TypeError("ok"); }, TypeError));
  await later(assert.doesNotReject(Promise.reject(new Error("no"))));
  await later(assert.rejects(5));
})();

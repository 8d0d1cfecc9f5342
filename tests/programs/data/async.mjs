import async from "async";
const out = [];
await async.eachLimit([1, 2, 3, 4], 2, async (n) => {
  out.push("s" + n);
  await new Promise((r) => setTimeout(r, 4 * n));
  out.push("e" + n);
});
console.log(out.join(" "));
console.log(
  await async.mapSeries([1, 2], async (x) => x * 2),
  await async.auto({ a: async () => 1, b: ["a", async ({ a }) => a + 1], c: ["a", "b", async (r) => r.a + r.b] }),
);
async.waterfall([(cb) => cb(null, 1, 2), (a, b, cb) => setImmediate(cb, null, a + b)], (err, r) =>
  console.log("waterfall", err, r),
);
console.log("parallel", await async.parallel({ one: (cb) => setTimeout(cb, 5, null, 1), two: (cb) => cb(null, 2) }));
const q = async.queue(
  (t, cb) =>
    setImmediate(() => {
      console.log("job", t);
      cb(t === "bad" ? new Error("bad job") : null, t);
    }),
  2,
);
q.error((e, t) => console.log("queue error", e.message, t));
q.push(["a", "bad", "c"]);
await q.drain();
let n = 0;
await async
  .retry({ times: 4, interval: 1 }, async () => {
    if (++n < 3) throw new Error("no");
    return n;
  })
  .then((r) => console.log("retry", r));
await async
  .series([
    async () => {
      throw new RangeError("stop");
    },
  ])
  .catch((e) => console.log(e.name));
await new Promise((done, fail) => async.timeout((cb) => setTimeout(cb, 40), 5)((e) => fail(e))).catch((e) =>
  console.log(e.code, e.message),
);
console.log(
  await async.sortBy([3, 1, 2], async (x) => -x),
  await async.reduce([1, 2, 3], 0, async (a, b) => a + b),
  await async.some([1, 2], async (x) => x > 1),
  await async.groupBy(["a", "bb", "cc"], async (s) => s.length),
);

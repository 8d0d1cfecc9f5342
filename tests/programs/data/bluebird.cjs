const P = require("bluebird");
P.config({ cancellation: true });
const fs = P.promisifyAll(require("fs"));
(async () => {
  console.log(
    await P.map([1, 2, 3], (x) => P.delay(5 - x).return(x * 2), { concurrency: 2 }),
    await P.props({ a: P.resolve(1), b: 2 }),
    await P.reduce([1, 2, 3], (a, b) => a + b),
    await P.any([P.reject(new Error("x")), P.delay(1).return("any")]),
  );
  await P.reject(new TypeError("t"))
    .catch(RangeError, () => console.log("no"))
    .catch(TypeError, (e) => console.log("caught", e.message))
    .finally(() => console.log("finally"));
  await P.delay(50)
    .timeout(5, "late")
    .catch(P.TimeoutError, (e) => console.log(e.name, e.message));
  await fs
    .statAsync("/definitely/missing")
    .catch({ code: "ENOENT" }, (e) => console.log("filter", e.code, e.cause && e.cause.syscall));
  const c = new P((_, __, onCancel) => onCancel(() => console.log("cancelled")));
  c.cancel();
  await P.delay(2);
  console.log(c.isCancelled());
  console.log(
    await P.coroutine(function* (x) {
      const a = yield P.resolve(x);
      return a + (yield P.resolve(1));
    })(4),
    await P.using(
      P.resolve("r").disposer(() => console.log("disposed")),
      (r) => r + "!",
    ),
    P.resolve(1).inspect?.().value?.() ?? P.resolve(1).value(),
  );
  await P.all([P.reject(new Error("a")), P.resolve(1)].map((p) => p.reflect())).each((i) =>
    console.log(i.isFulfilled() ? i.value() : i.reason().message),
  );
  P.onPossiblyUnhandledRejection((e) => console.log("unhandled", e.message));
  P.reject(new Error("lost"));
  await P.delay(5);
})();

// util.debounce and util.throttle (Node 26).
const util = require("util");
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
(async () => {
  let calls = 0;
  const debounced = util.debounce(function add(a, b) { calls++; return a + b; }, 20);
  const results = await Promise.all([debounced(1, 1), debounced(2, 2), debounced(3, 3)]);
  console.log(results, calls, debounced.name, debounced.length, debounced.pendingCount, debounced.pending);
  const strict = util.debounce((x) => x, 20, { rejectOnCancel: true });
  console.log((await Promise.allSettled([strict(1), strict(2)])).map((r) => r.value ?? r.reason.name));
  const leading = util.debounce((x) => x, 20, { leading: true });
  console.log(await leading(1), leading.pending, await Promise.all([leading(2), leading(3)]));
  const cancelled = debounced(1, 1);
  debounced.cancel("why");
  console.log(await cancelled.catch((error) => [error.name, error.code, error.cause]));
  const flushed = debounced(4, 4);
  debounced.flush();
  console.log(await flushed);

  const order = [];
  const start = performance.now();
  const throttled = util.throttle(async (x) => { order.push(x); return x; }, 2, 40);
  const all = Promise.all([1, 2, 3, 4, 5].map((x) => throttled(x)));
  console.log(order, throttled.pendingCount, throttled.hasImmediateCapacity());
  console.log(await all, order, performance.now() - start >= 75);
  const dropping = util.throttle((x) => x, 1, 1000, { overflow: "drop" });
  console.log(await dropping(1), await dropping(2).catch((error) => error.code));
  const controller = new AbortController();
  const limited = util.throttle(() => sleep(5), 10, 10, { concurrency: 1, signal: controller.signal });
  limited();
  const queued = limited();
  console.log(limited.activeCount, limited.pendingCount);
  controller.abort("stop");
  console.log(await queued.catch((error) => [error.name, error.cause]), await limited().catch((error) => error.cause));
  for (const bad of [() => util.debounce(1, 1), () => util.throttle(() => {}, 0, 1), () => util.debounce(() => {}, -1)]) {
    try { bad(); } catch (error) { console.log(error.code); }
  }
})();

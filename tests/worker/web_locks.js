// navigator.locks: what Node 25.8.1 prints.
const { locks } = navigator;
const failure = (promise) => promise.then((value) => `no error: ${value}`, (error) => `${error.name} | ${error.code} | ${error.message}`);
const log = [];
const wait = (turns) => new Promise((done) => turns === 0 ? done() : setImmediate(() => wait(turns - 1).then(done)));

(async () => {
  console.log(Object.prototype.toString.call(locks), locks === navigator.locks, typeof LockManager);
  console.log(await locks.request("a", (lock) => [lock.name, lock.mode, lock.constructor.name].join()));
  console.log(await failure(locks.request("a", async () => { throw new RangeError("mine"); })));
  // Shared ones run together, an exclusive one alone, and nobody overtakes.
  await Promise.all(["shared", "shared", "exclusive", "shared"].map((mode, index) =>
    locks.request("b", { mode }, async () => {
      log.push(`+${index}`);
      await wait(3);
      log.push(`-${index}`);
    })));
  console.log(log.join(" "));
  let release;
  const held = locks.request("c", () => new Promise((done) => release = done));
  const pending = locks.request("c", { mode: "shared" }, () => "got it");
  const shown = await locks.query();
  for (const list of [shown.held, shown.pending]) console.log(list.map(({ name, mode, clientId }) => [name, mode, typeof clientId]));
  console.log(await locks.request("c", { ifAvailable: true }, (lock) => lock));
  const controller = new AbortController();
  const aborted = failure(locks.request("c", { signal: controller.signal }, () => "never"));
  controller.abort(new RangeError("enough"));
  console.log(await aborted);
  release("released");
  console.log(await held, await pending);
  const stolen = failure(locks.request("d", () => new Promise(() => {})));
  await wait(2);
  console.log(await locks.request("d", { steal: true }, () => "thief"), (await stolen).slice(0, 15));
  for (const args of [
    [], ["x"], ["x", 1], ["-x", () => 1], ["x", { mode: "z" }, () => 1], ["x", { ifAvailable: true, steal: true }, () => 1],
    ["x", { steal: true, mode: "shared" }, () => 1], ["x", { signal: AbortSignal.abort() }, () => 1], ["x", null, () => 1],
  ]) console.log(await failure(locks.request(...args)));
})();

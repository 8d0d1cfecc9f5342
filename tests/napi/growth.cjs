// expected: Node 25.9 prints the same (with --expose-gc in the place of Bun.gc)
// 10,000 loads of an addon and 10,000 calls that make one of everything: memory and what the addon has to free do not grow with them. The
// same, shorter, with a collection at every seventh allocation.
const { spawnSync } = require("node:child_process");

const MIB = 1 << 20;

async function run(file, times, collect) {
  const resident = async () => {
    await collect(() => false);
    return process.memoryUsage.rss();
  };
  const load = () => {
    const module = { exports: {} };
    process.dlopen(module, file);
    return module.exports;
  };
  const addon = load();
  const batch = async (calls) => {
    let same = 0;
    for (let i = 0; i < calls; i++) {
      const fresh = load();
      let given;
      if ((i & 1 ? fresh : addon).use((object) => (given = object)) === given && given.buffer.byteLength === 1024) same++;
      // The loop frees what a collection has found.
      if (i % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
      // What grows is not what waits for a collection.
      if (i % 1000 === 999) await collect(() => false);
    }
    return same;
  };
  let same = await batch(times / 5);
  const before = await resident();
  same += await batch(times - times / 5);
  await collect(() => addon.count() === 0);
  const grown = (await resident()) - before;
  // The record of an environment for each load, and room that the system's allocator keeps. What a call makes is larger by far.
  return { same, left: addon.count(), grown: grown < 12 * MIB ? "little" : `${Math.round(grown / MIB)} MiB` };
}

if (process.argv[2] !== undefined) {
  const { collect } = require("./support/build.cjs");
  run(process.argv[2], 500, collect).then(console.log);
} else {
  const { build, collect } = require("./support/build.cjs");
  const file = build("growth.c");
  run(file, 10_000, collect).then((result) => {
    console.log(result);
    const env = { ...process.env, BAO_GC_STRESS: "7" };
    const child = spawnSync(process.execPath, [...process.execArgv, __filename, file], { env, encoding: "utf8" });
    console.log(child.stdout.trim(), child.signal, child.stderr);
  });
}

// expected: recorded from bun 1.4.5. Values that kill() takes and refuses, signals that abort before or during spawnSync.
for (const value of ["", Number.NaN, null, undefined, "SIGUSR1", 9, 32, -1, 1.5, true, {}]) {
  const child = Bun.spawn({ cmd: ["sleep", "60"] });
  try {
    child.kill(value);
    await child.exited;
    console.log(String(value), child.signalCode);
  } catch (error) {
    console.log(String(value), error.name, error.code, error.message);
    child.kill(9);
    await child.exited;
  }
}
for (const run of [Bun.spawn, Bun.spawnSync]) {
  for (const [cmd, options] of [
    [["true"], { signal: AbortSignal.abort() }],
    [Object.defineProperty(["true"], "length", { value: 2 ** 32 - 1 }), {}],
  ]) {
    try {
      run(cmd, options);
      console.log("runs");
    } catch (error) {
      console.log(error.name, error.code);
    }
  }
}
const { exitCode, signalCode, success, exitedDueToTimeout } = Bun.spawnSync({ cmd: ["sleep", "60"], signal: AbortSignal.timeout(20) });
console.log(exitCode, signalCode, success, exitedDueToTimeout);

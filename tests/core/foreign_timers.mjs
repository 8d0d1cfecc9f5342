// expected: recorded from node 25.9.0
// clearTimeout and clearInterval take timers of other libraries (undici's, which a fake clock hands on): what has an `_onTimeout` is marked as
// stopped, and a timer of the same time goes on.
setTimeout(() => console.log("goes on"), 5);
for (const clear of [clearTimeout, clearInterval]) {
  const foreign = { _onTimeout() {}, _idleTimeout: 5, _idleStart: 1 };
  clear(foreign);
  clear(foreign);
  console.log(foreign._onTimeout, foreign._idleTimeout, foreign._destroyed, foreign._idleStart);
}

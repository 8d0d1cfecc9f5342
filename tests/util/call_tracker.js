// assert.CallTracker, which Node 25 has no more: recorded from Bun 1.4.5, which has Node 24's.
const assert = require("node:assert");
const tracker = new assert.CallTracker();
function add(a, b) {
  return a + b;
}
const tracked = tracker.calls(add, 2);
const never = tracker.calls();
console.log(tracked(1, 2), tracked.call({ self: 1 }, 3, 4), tracked.length, tracked.name);
console.log(tracker.getCalls(tracked));
console.log(tracker.report().map(({ stack, ...rest }) => [rest, stack instanceof Error]));
try {
  tracker.verify();
} catch (error) {
  console.log(error.code, error.message);
}
tracker.calls(3);
try {
  tracker.verify();
} catch (error) {
  console.log(error.code, error.message);
}
tracker.reset(tracked);
console.log(tracker.getCalls(tracked), tracker.report().length);
never();
tracker.reset();
for (const call of [
  () => tracker.getCalls(add),
  () => tracker.reset(add),
  () => tracker.calls(add, -1),
  () => tracker.calls(add, "1"),
  () => tracker.calls(0),
]) {
  try {
    call();
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
const empty = new assert.strict.CallTracker();
empty.verify();
console.log(Object.keys(assert).includes("CallTracker"));

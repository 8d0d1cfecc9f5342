// expected: written by hand
// Bun.gc(true) collects before it returns. Bun.gc() and Bun.gc(false) return at once, as in Bun, and the collection comes at the end of the
// turn, once for all calls.
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

for (const args of [[], [false], [true]]) {
  const list = Array.from({ length: 20 }, (_, i) => new WeakRef({ i }));
  let finalized = 0;
  const registry = new FinalizationRegistry(() => finalized++);
  for (let i = 0; i < 20; i++) registry.register({ i }, i);
  // A WeakRef keeps what it was made of until the end of the turn.
  await turn();
  const sizes = [Bun.gc(...args), Bun.gc(...args)];
  const isGone = () => list.every((ref) => ref.deref() === undefined);
  console.log(args, sizes.every((size) => size > 0), "at once:", isGone());
  for (let tries = 0; tries < 100 && !isGone(); tries++) await turn();
  for (let tries = 0; tries < 100 && finalized < 20; tries++) await turn();
  console.log("later:", isGone(), finalized);
}
// It is no reason for the process to go on.
Bun.gc();
// Nor does it need what a program may have put in the place of a timer.
globalThis.setImmediate = () => console.log("not called");
Bun.gc();
await turn();

// expected: recorded from node 25.9.0
// Who awaits the running code is in the stacks of errors ("at async f"): names and order. Only the function of a method is compared, and
// no place: Node's is the await, Bun's and bao's what it awaits. Promise.all has a line of its own in Node, which is left out.
function names(stack) {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line) && !line.includes("Promise.all"))
    .map((line) => line.trim().replace(/^at /, "").replace(/\(?(file:\/\/)?[^ ()]*\/async_frames\.mjs:\d+:\d+\)?/, "").trim())
    .map((name) => name.replace(/^(async )?(A|B|Object|Function)\./, "$1"))
    .join(" < ");
}
async function note(title, run) {
  try {
    await run();
    console.log(title, "no error");
  } catch (error) {
    console.log(`${title}: ${names(error.stack)}`);
  }
}

async function three() {
  await null;
  throw new Error("x");
}
async function two() {
  await three();
}
async function one() {
  await two();
}
const arrow = async () => {
  await one();
};
class A {
  async method() {
    await arrow();
  }
  static async fixed() {
    await new A().method();
  }
}
const object = {
  async own() {
    await A.fixed();
  },
};
async function* steps() {
  yield 1;
  await one();
}
async function* over() {
  for await (const step of steps()) yield step;
}
async function loop() {
  for await (const _ of over()) {
  }
}
async function returned() {
  return one();
}
async function all() {
  await Promise.all([one()]);
}
async function chained() {
  await one()
    .then((value) => value)
    .finally(() => {});
}
async function rejected() {
  try {
    await Promise.reject(1);
  } catch {
    throw new Error("after a rejection");
  }
}
async function waitsForRejected() {
  await rejected();
}
async function inCallback() {
  await null;
  [1].forEach(function callback() {
    throw new Error("in a callback");
  });
}
async function waitsForCallback() {
  await inCallback();
}
async function beforeAwait() {
  throw new Error("before");
}
async function waitsForBefore() {
  await beforeAwait();
}

const outer = Error.stackTraceLimit;
Error.stackTraceLimit = 30;
await note("three awaits", () => one());
await note("methods", () => object.own());
await note("generators", () => loop());
await note("returned", () => returned());
await note("Promise.all", () => all());
await note("then", () => chained());
await note("rejected", () => waitsForRejected());
await note("callback", async () => {
  try {
    await waitsForCallback();
  } catch (error) {
    // Node has a frame of the native function.
    error.stack = error.stack.replace(/\n.*forEach.*/, "");
    throw error;
  }
});
await note("before an await", () => waitsForBefore());
for (const limit of [1, 2, 3, 4]) {
  Error.stackTraceLimit = limit;
  await note(`limit ${limit}`, () => arrow());
}
Error.stackTraceLimit = outer;

// Two that await the same code, in turns.
const hot = async () => {
  for (let i = 0; i < 2; i++) await i;
  return new Error("hot");
};
async function red() {
  return await hot();
}
async function green() {
  return await hot();
}
const counts = new Map();
for (let i = 0; i < 600; i++) {
  const text = names((await (i % 3 ? red() : green())).stack);
  counts.set(text, (counts.get(text) ?? 0) + 1);
}
for (const [text, count] of counts) console.log(count, text);

async function captured() {
  await null;
  const whole = {};
  Error.captureStackTrace(whole);
  const below = {};
  Error.captureStackTrace(below, captured);
  return [whole.stack, below.stack].map(names);
}
async function waitsForCaptured() {
  return await captured();
}
console.log((await waitsForCaptured()).join("\n"));

Error.prepareStackTrace = (_, sites) => sites.map((site) => `${site.getFunctionName()} ${site.isAsync()}`).join(", ");
try {
  await two();
} catch (error) {
  console.log(error.stack);
}

// expected: recorded from node 25.9.0
// Async functions whose first call is a long loop of awaits: the loop becomes hot in the frame that was first resumed in the
// interpreter. What is called from it, in JavaScript or by native code, has not been resumed and must wait for its turn.
const log = [];
const ROUNDS = 3000;

// The order of an inner function's steps and the loop's own, at the beginning, in the middle and at the end.
function isShown(i) {
  return i < 2 || i === ROUNDS / 2 || i === ROUNDS - 1;
}

async function plain(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += await i;
  return sum;
}

async function callsAsync(n) {
  async function inner(i) {
    const got = await i;
    if (isShown(i)) log.push(`inner ${got}`);
    return got;
  }
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const promise = inner(i);
    if (isShown(i)) log.push(`called ${i}`);
    sum += await promise;
    if (isShown(i)) log.push(`awaited ${i}`);
  }
  return sum;
}

// The inner function is called by native code: by a sort, a getter of JSON.stringify, a replacement, a constructor.
async function callsByNative(n) {
  async function inner(name, i) {
    const got = await i;
    if (isShown(i)) log.push(`${name} ${got}`);
  }
  class Made {
    constructor(i) {
      inner("made", i);
    }
  }
  let sum = 0;
  for (let i = 0; i < n; i++) {
    [2, 1].sort(() => (inner("sort", i), 1));
    JSON.stringify({
      get a() {
        inner("getter", i);
      },
    });
    "x".replace("x", () => (inner("replace", i), ""));
    Reflect.construct(Made, [i]);
    if (isShown(i)) log.push(`called ${i}`);
    sum += await i;
    if (isShown(i)) log.push(`awaited ${i}`);
  }
  return sum;
}

// Jobs in between, thenables, rejected promises, and frames left by exceptions.
async function mixed(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    if (i % 3 === 0) Promise.resolve(i).then((v) => isShown(v) && log.push(`job ${v}`));
    if (i % 5 === 0) sum += await { then: (f) => f(i) };
    else if (i % 7 === 0) {
      try {
        await Promise.reject(new Error(i));
      } catch (e) {
        sum += Number(e.message);
      }
    } else sum += await (i % 2 ? i : Promise.resolve(i));
    if (isShown(i)) log.push(`mixed ${i}`);
  }
  return sum;
}

async function* steps(n) {
  for (let i = 0; i < n; i++) {
    await i;
    yield i;
  }
}

async function overSteps(n) {
  let sum = 0;
  for await (const i of steps(n)) {
    if (isShown(i)) log.push(`step ${i}`);
    sum += i;
  }
  return sum;
}

// Two loops at once, so that each await suspends, and one that goes on alone at the end.
async function turns(name, n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum += await i;
    if (i % 1000 === 0) log.push(`${name} ${i}`);
  }
  return sum;
}

const sums = [];
for (const run of [plain, callsAsync, callsByNative, mixed, overSteps]) {
  sums.push(await Promise.resolve().then(() => run(ROUNDS)));
}
sums.push(...(await Promise.all([turns("a", ROUNDS), turns("b", ROUNDS / 2)])));
console.log(sums.join());
console.log(log.join("\n"));

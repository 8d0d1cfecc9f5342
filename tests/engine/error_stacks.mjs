// expected: written by hand
// The stacks of errors in hot code: of closures of one script with names of their own, of calls from several places and depths,
// with other limits, in code that is compiled anew, after collections, and in asynchronous functions.
const seen = new Map();
function note(name, error) {
  const frames = error.stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim().replace(/^at /, "").replace(/\(?(file:\/\/)?[^ ()]*\/error_stacks\.mjs:(\d+):(\d+)\)?/, "$2:$3"));
  const text = `${name}: ${frames.slice(0, 4).map((frame) => frame.replace(/ \(.* > Function/, "(Function")).join(" < ")}`;
  seen.set(text, (seen.get(text) ?? 0) + 1);
}

// The script is the same, the names are not.
const named = (name) => ({ [name]: () => new Error() })[name];
const [red, green] = [named("red"), named("green")];
const call = (f) => f();
function closures() {
  note("closure", call(red));
  note("closure", call(green));
}

// Functions without a name, one of them with two closures.
const nameless = [() => new Error(), () => [0].map(() => new Error())[0]];
const unnamed = (n) => [() => [n, new Error()]][0];
const [one, two] = [unnamed(1), unnamed(2)];
function anonymous() {
  for (const f of nameless) note("anonymous", f());
  note(`closure ${one()[0]}`, one()[1]);
  note(`closure ${two()[0]}`, call(two)[1]);
}

// One place, called from two.
const make = () => new Error();
function places() {
  note("first", make());
  note("second", make()); note("second", make());
}

function deep(n) {
  return n === 0 ? new Error() : deep(n - 1);
}
function depths() {
  note("depth 1", deep(1));
  note("depth 2", deep(2));
}

function limits() {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  note("limit 1", deep(1));
  Error.stackTraceLimit = 0;
  note("limit 0", deep(1));
  Error.stackTraceLimit = before;
}

let tag = "a";
function types() {
  note(`type ${tag}`, [0].map((x) => make(x))[0]);
}

async function waits() {
  await undefined;
  note("await", make());
}
function* yields() {
  yield make();
}

for (let round = 0; round < 4000; round++) {
  closures();
  anonymous();
  places();
  depths();
  limits();
  tag = round % 2 ? "a" : "b";
  types();
  for (const error of yields()) note("yield", error);
  if (round % 500 === 499) {
    Bun.gc(true);
    // Other scripts where those were that the collection has freed.
    for (let i = 0; i < 50; i++) note(`eval ${i % 2}`, new Function(`${"\n".repeat(i % 2)}return new Error();`)());
  }
  if (round % 100 === 0) await waits();
}
for (const [text, count] of seen) console.log(count, text);

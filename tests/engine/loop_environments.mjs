// expected: recorded from node 25.9.0
// Each step of a loop has variables of its own, which functions keep: few and many, in generators and async functions, with `eval`.
const call = (functions) => functions.map((f) => f()).join();

const both = [];
for (let i = 0, j = 10; i < 3; i++, j--) both.push(() => [i, j], () => (i += 100));
console.log(call(both), call(both));

const many = [];
for (let a = 0, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7, k = 8, l = 9, m = 10, n = 11, o = 12, p = 13, q = 14, r = 15, s = 16, t = 17; a < 4; a++, t++)
  many.push(() => a + b + c + d + e + f + g + h + k + l + m + n + o + p + q + r + s + t);
console.log(call(many));

const sloppy = new Function("call", `
  const found = [];
  for (let i = 0; i < 3; i++) {
    found.push(() => eval("i"));
    eval("var v" + i + " = i");
  }
  return call(found) + " " + v2;`);
console.log(sloppy(call));

for (let i = 0; i < 2; i++) {
  const inner = [];
  for (let j = 0; j < 2; j++) inner.push(() => i * 10 + j);
  console.log(call(inner));
}

function* steps() {
  for (let i = 0; i < 3; i++) yield () => i++;
}
const yielded = [...steps()];
console.log(call(yielded), call(yielded));

async function awaits(n) {
  const kept = [];
  for (let i = 0, text = ""; i < n; i++, text += "x") {
    let resolve;
    const promise = new Promise((f) => (resolve = f));
    queueMicrotask(() => resolve(i));
    const one = await promise;
    kept.push(() => (one === i && text.length === i ? 0 : 1));
  }
  return kept.reduce((sum, f) => sum + f(), 0);
}
console.log(await awaits(30000));

// More than the nursery holds.
const all = [];
for (let i = 0, object = {}; i < 300000; i++, object = { i }) all.push(() => i - (object.i ?? 0));
console.log(all.reduce((sum, f) => sum + f(), 0));

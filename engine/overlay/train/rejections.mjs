// Part of train.sh: what bench/ does not do often: rejections, thenables, constructors of promises, iterators, destructuring.
class Derived extends Promise {}
const thenable = { then: (resolve) => resolve(1) };
let total = 0;

async function fails(i) {
  if (i % 2) throw new Error(`no ${i}`);
  await null;
  return i;
}

function* numbers(n) {
  for (let i = 0; i < n; i++) yield i;
}

for (let i = 0; i < 20000; i++) {
  try {
    total += await fails(i);
  } catch (error) {
    total += error.message.length;
  } finally {
    total++;
  }
  total += await thenable;
  total += await new Promise((resolve) => resolve(1));
  total += await Derived.resolve(1).then((x) => x + 1);
  total += (await Promise.all([1, Promise.resolve(2), fails(2)])).length;
  total += (await Promise.allSettled([fails(1), fails(2)])).length;
  total += await Promise.race([fails(2), 3]).finally(() => {});
  const [first, ...rest] = numbers(5);
  const { length, ...others } = { length: first, a: 1, b: 2 };
  total += rest.length + length + Object.keys({ ...others, i }).length;
}
console.log(total);

// expected: recorded from bun 1.4.5. A sleep that is longer than a timer can be is none of a millisecond.
for (const long of [Infinity, 1e15, 2 ** 31]) Bun.sleep(long).then(() => console.log("woke up after", long));
for (const short of [-1, Number.NaN, 0, 20]) {
  await Bun.sleep(short);
  console.log(short);
}
process.exit();

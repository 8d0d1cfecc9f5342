import * as R from "ramda";
console.log(
  R.pipe(
    R.filter((x) => x % 2),
    R.map(R.multiply(2)),
    R.sum,
  )([1, 2, 3]),
  R.compose(R.toUpper, R.trim)(" a "),
  R.curry((a, b, c) => a + b + c)(1)(R.__, 3)(2),
);
console.log(
  R.evolve({ a: R.inc, b: { c: R.negate } }, { a: 1, b: { c: 2 }, d: 3 }),
  R.view(R.lensPath(["x", 0, "y"]), { x: [{ y: 1 }] }),
  R.over(R.lensProp("n"), R.add(1), { n: 1 }),
  R.assocPath(["a", "b", 0], 1, {}),
);
console.log(
  R.groupBy(R.prop("t"), [{ t: 1 }, { t: 2 }, { t: 1 }]),
  R.sortWith(
    [R.descend(R.prop("a")), R.ascend(R.prop("b"))],
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
      { a: 1, b: 1 },
    ],
  ),
  R.equals(new Map([[1, [2]]]), new Map([[1, [2]]])),
  R.uniq([{ a: 1 }, { a: 1 }]),
);
console.log(
  R.transduce(R.compose(R.map(R.inc), R.take(2)), R.flip(R.append), [], [1, 2, 3]),
  R.converge(R.divide, [R.sum, R.length])([1, 2, 6]),
  R.toString(() => 1),
  R.toString({ a: [new Date(0), undefined, "x"] }),
  R.type(/x/),
  R.mergeDeepRight({ a: { b: 1 } }, { a: { c: 2 } }),
);

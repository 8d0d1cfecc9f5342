const _ = require("underscore");
console.log(
  _.VERSION,
  _.chain([3, 1, 2])
    .sortBy()
    .map((x) => x * 2)
    .value(),
  _.groupBy([1.2, 1.7, 2.1], Math.floor),
  _.pluck([{ a: 1 }], "a"),
  _.where([{ a: 1, b: 2 }, { a: 2 }], { a: 1 }),
  _.isEqual({ a: [1, { b: NaN }] }, { a: [1, { b: NaN }] }),
);
console.log(
  _.template("<% for (const x of xs) { %>[<%- x %>]<% } %>")({ xs: ["<", 1] }),
  _.zip([1, 2], ["a"]),
  _.object(["a"], [1]),
  _.debounce.length,
  _.partial((a, b) => a - b, _, 1)(5),
  _.compose(
    (x) => x + 1,
    (x) => x * 2,
  )(3),
  _.range(0, -3, -1),
  _.invert({ a: 1 }),
  _.mapObject({ a: 1 }, (v) => v + 1),
  _.memoize((x) => x)(1),
);

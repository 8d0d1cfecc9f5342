const _ = require("lodash");
console.log(_.VERSION);
const users = [
  { user: "barney", age: 36, tags: ["a", "b"] },
  { user: "fred", age: 40, tags: [] },
  { user: "pebbles", age: 1, tags: ["c"] },
];
console.log(
  _(users)
    .sortBy("age")
    .map((o) => `${o.user} is ${o.age}`)
    .head(),
);
console.log(
  _.groupBy(users, (o) => o.age > 30),
  _.orderBy(users, ["age"], ["desc"]).map((u) => u.user),
  _.keyBy(users, "user").fred.age,
);
console.log(
  _.merge({ a: [{ b: 2 }, { d: 4 }] }, { a: [{ c: 3 }, { e: 5 }] }),
  _.defaultsDeep({ a: { b: 2 } }, { a: { b: 1, c: 3 } }),
);
const deep = {
  map: new Map([[1, { x: 1 }]]),
  set: new Set([1]),
  date: new Date(0),
  re: /x/gi,
  typed: new Uint8Array([1, 2]),
  sym: Symbol.for("s"),
  error: undefined,
};
const copy = _.cloneDeep(deep);
console.log(copy, _.isEqual(copy, deep), copy.map !== deep.map);
console.log(
  _.camelCase("Foo Bar-baz_qux"),
  _.kebabCase("fooBarBaz"),
  _.startCase("--foo-bar--"),
  _.deburr("déjà vu"),
  _.words("fred, barney, & pebbles"),
  _.truncate("hi-diddly-ho there, neighborino", { length: 24, separator: /,? +/ }),
);
console.log(
  _.template("hello <%= user %> <% _.forEach(list, x => { %><i><%- x %></i><% }) %> ${user}")({
    user: "fred",
    list: ["<a>", "&"],
  }),
);
console.log(
  _.get({ a: [{ b: { c: 3 } }] }, "a[0].b.c"),
  _.set({}, "x[0].y", 1),
  _.has({ a: { b: 2 } }, "a.b"),
  _.unset({ a: 1 }, "a"),
);
console.log(
  _.chunk(_.range(7), 3),
  _.zipObjectDeep(["a.b[0].c", "a.b[1].d"], [1, 2]),
  _.xor([2, 1], [2, 3]),
  _.flattenDeep([1, [2, [3, [4]]]]),
);
console.log(
  _.curry((a, b, c) => [a, b, c])(1)(_, 3)(2),
  _.partialRight((a, b) => a + b, "x")("y"),
  _.flow([(a, b) => a + b, (n) => n * n])(1, 2),
);
console.log(
  _.sumBy(users, "age"),
  _.meanBy(users, "age"),
  _.maxBy(users, "age").user,
  _.countBy("mississippi"),
  _.partition([1, 2, 3, 4], (n) => n % 2),
);
console.log(
  _.isPlainObject(Object.create(null)),
  _.isArguments(
    (function () {
      return arguments;
    })(),
  ),
  _.isNative(Array.prototype.push),
  _.toPath("a[0].b['c.d']"),
  _.inRange(3, 2, 4),
);
const memo = _.memoize((o) => o.n * 2);
console.log(
  memo({ n: 2 }),
  memo.cache.constructor.name,
  _.uniqueId("p") !== _.uniqueId("p"),
  _.escape("<&>'\""),
  _.unescape("&lt;&#39;"),
);
const debounced = _.debounce((x) => console.log("debounced", x), 20);
debounced(1);
debounced(2);
const throttled = _.throttle((x) => console.log("throttled", x), 30, { trailing: false });
throttled("a");
throttled("b");
_.defer((x) => console.log("deferred", x), "d");
_.delay(() => console.log("delayed"), 60);

// Recorded from Node 25.8.1: lines of a custom inspector stand as deep as their object.
const custom = Symbol.for("nodejs.util.inspect.custom");
class Lines { [custom]() { return "first\nsecond"; } }
class Inner { [custom](depth, options, inspect) { return `Inner ${inspect({ text: "x".repeat(60), more: "y".repeat(60) }, options)}`; } }
console.log(new Lines(), [new Lines()], { a: { b: new Lines() } }, new Map([["k", new Lines()]]));
console.log([new Inner()], { a: [new Inner()] });

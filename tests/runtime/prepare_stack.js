// expected: Node 25 prints the same
// A function of the program's that makes stacks may itself read one: it gets the text.
Error.prepareStackTrace = (error) => error.stack;
console.log(new Error("read in its own preparation").stack.split("\n")[0]);
Error.prepareStackTrace = (error, sites) => [sites.length > 0, typeof new Error("another").stack];
console.log(new TypeError("x").stack);
Error.prepareStackTrace = () => {
  throw new RangeError("from the preparation");
};
try {
  new Error("y").stack;
} catch (error) {
  Error.prepareStackTrace = undefined;
  console.log(error.message);
}
Error.prepareStackTrace = (_error, sites) => sites.length > 0;
console.log(new Error("z").stack);

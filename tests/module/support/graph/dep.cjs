const x = typeof X === "undefined" ? "none" : X;
const shadowed = (() => {
  const X = "own";
  return X;
})();
module.exports = {
  x,
  shadowed,
  id: module.id,
  isMain: require.main === module,
  keys: () => Object.keys(require.cache),
  load: (specifier) => require(specifier),
  stack: new Error("here").stack,
};

// expected: written by hand
// A parent that is no constructor: the words are the same in cold and in hot code.
class Default extends null {}
class Written extends null {
  constructor(...args) {
    super(...args);
  }
}
class One extends null {
  constructor(a) {
    super(a);
  }
}
function words(run) {
  const seen = new Map();
  for (let round = 0; round < 30000; round++) {
    try {
      run(round);
    } catch (error) {
      const text = `${error.name}: ${error.message}`;
      seen.set(text, (seen.get(text) ?? 0) + 1);
    }
  }
  return [...seen].join(" ");
}
console.log(words(() => new Default()));
console.log(words((n) => new Default(n, 2)));
console.log(words((n) => new Written(n)));
console.log(words((n) => new One(n)));

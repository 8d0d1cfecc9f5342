// expected: recorded from node 25.9.0
// Names that a pattern of an array declares: which uses are before their initialization, and which are not.
const attempt = (name, run) => {
  try {
    console.log(name, run());
  } catch (error) {
    console.log(name, error.constructor.name);
  }
};
const throwing = {
  *[Symbol.iterator]() {
    yield 1;
    throw new RangeError("second");
  },
};

attempt("after", () => {
  const [a, b] = [1, 2];
  let sum = 0;
  for (let i = 0; i < 3; i++) sum += a * b + i;
  return sum;
});
attempt("before", () => {
  for (let i = 0; i < 2; i++) if (i === 1) a;
  const [a] = [1];
  return a;
});
attempt("in a closure before", () => {
  const read = () => a;
  const early = (() => {
    try {
      return read();
    } catch (error) {
      return error.constructor.name;
    }
  })();
  const [a] = [7];
  return `${early} ${read()}`;
});
attempt("in its own source", () => {
  const [a, b] = [1, a];
  return b;
});
attempt("in a default", () => {
  const [a = b, b] = [undefined, 2];
  return a;
});
attempt("a default of what is there", () => {
  const [a, b = a + 1] = [1];
  return b;
});
attempt("a pattern that throws, caught outside", () => {
  let read;
  try {
    read = () => a + b;
    var [x] = [1];
    const [a, b] = throwing;
  } catch {
    try {
      return read();
    } catch (error) {
      return `${error.constructor.name} ${x}`;
    }
  }
});
attempt("in one case of a switch", () => {
  const results = [];
  for (const which of [0, 1, 0])
    try {
      switch (which) {
        case 0:
          let [a, b] = [which, 5];
          results.push(a + b);
          break;
        case 1:
          results.push(b);
      }
    } catch (error) {
      results.push(error.constructor.name);
    }
  return results.join();
});
attempt("in a branch", () => {
  const results = [];
  for (const which of [true, false])
    try {
      if (which) [a] = [1];
      results.push(a);
    } catch (error) {
      results.push(error.constructor.name);
    }
  let [a] = [2];
  return results.join();
});
attempt("assignment before", () => {
  [a] = [1];
  let [a] = [2];
  return a;
});
attempt("assignment after", () => {
  let [a, b] = [1, 2];
  for (let i = 0; i < 3; i++) [a, b] = [b, a + b];
  return `${a} ${b}`;
});
attempt("assignment to a constant", () => {
  const [a] = [1];
  [a] = [2];
  return a;
});
attempt("shadowed", () => {
  const [a] = [1];
  let inner;
  try {
    inner = (() => {
      {
        a;
        const [a] = [2];
      }
    })();
  } catch (error) {
    inner = error.constructor.name;
  }
  return `${a} ${inner}`;
});
attempt("shadowed by a block", () => {
  const [a] = [1];
  const results = [a];
  {
    const [a] = [2];
    results.push(a);
    {
      try {
        results.push(a.b, c);
      } catch (error) {
        results.push(error.constructor.name);
      }
      let [c] = [3];
      results.push(c);
    }
  }
  results.push(a);
  return results.join();
});
attempt("loops with patterns", () => {
  const results = [];
  for (const [key, value] of Object.entries({ x: 1, y: 2 })) for (let i = 0; i < 2; i++) results.push(key + value + i);
  for (let [i, j] = [0, 3]; i < j; i++, j--) results.push(i + j);
  return results.join();
});
attempt("catch", () => {
  try {
    throw [1, 2];
  } catch ([a, b]) {
    return [0, 1].map(() => a + b).join();
  }
});
attempt("a generator that ends in the pattern", () => {
  const log = [];
  function* run() {
    try {
      const [a] = [yield 1];
      log.push(a);
    } finally {
      try {
        later();
      } catch (error) {
        log.push(error.constructor.name);
      }
    }
    function later() {
      return b;
    }
    const [b] = [1];
  }
  const first = run();
  first.next();
  first.return();
  const second = run();
  second.next();
  second.next(5);
  return log.join();
});
attempt("with parameters", () => {
  const f = ([a, b], [c] = [a + b]) => [0, 1].map((i) => a + b + c + i).join();
  return f([1, 2]);
});
attempt("arrays that are changed", () => {
  const own = [1, 2];
  own[Symbol.iterator] = function* () {
    yield 10;
    yield 20;
  };
  const [a, b] = own;
  let sum = 0;
  for (let i = 0; i < 2; i++) sum += a + b;
  return sum;
});

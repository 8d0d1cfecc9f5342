// expected: recorded from node 25.9.0
// What a catch block gets in hot code, where machine code jumps from `throw` to the catch block of the same function.
const rounds = 20000;
function simple(n) {
  let sum = 0;
  for (let i = 0; i < n; i++)
    try {
      throw i;
    } catch (error) {
      sum += error;
    }
  return sum;
}
function sometimes(n) {
  let sum = 0;
  for (let i = 0; i < n; i++)
    try {
      if (i % 3 === 1) throw { i };
      if (i % 7 === 2) throw `${i}`;
      sum++;
    } catch ({ i: value = 5, length = 0 }) {
      sum += value + length;
    }
  return sum;
}
// The variables of a block that functions keep are those of where the try block began.
function environments(n) {
  let sum = 0;
  const kept = [];
  for (let i = 0; i < n; i++) {
    let outer = i;
    kept[i & 7] = () => outer++;
    try {
      let inner = 2 * i;
      kept[(i + 1) & 7] = () => inner;
      for (let k = 0; k < 3; k++) {
        kept[(i + 2) & 7] = () => k;
        if ((i + k) % 4 === 3) throw inner + k;
      }
      sum += kept[(i + 1) & 7]();
    } catch (error) {
      let after = error;
      kept[(i + 3) & 7] = () => after + outer;
      sum += outer + kept[(i + 3) & 7]();
    }
    sum += kept[i & 7]();
  }
  return sum % 1000003;
}
// A loop in the try block that was entered before its code was ready.
function inside(n) {
  let sum = 0;
  try {
    for (let i = 0; ; i++) {
      const add = () => i;
      sum += add();
      if (i === n) throw -sum;
    }
  } catch (error) {
    return `${error} ${sum}`;
  }
}
// Iterators are closed and finally blocks run first.
let closed = 0;
class Numbers {
  #at = 0;
  [Symbol.iterator]() {
    return this;
  }
  next() {
    return { value: this.#at++, done: false };
  }
  return() {
    closed++;
    return {};
  }
}
function cleanup(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    try {
      for (const value of new Numbers()) if (value === 2) throw value + i;
    } catch (error) {
      sum += error;
    }
    try {
      try {
        if (i & 1) throw i;
      } finally {
        sum += 3;
      }
    } catch (error) {
      sum += error;
    } finally {
      sum++;
    }
    try {
      for (const name in { a: 1, b: 2 }) if (name === "b") throw name;
    } catch (error) {
      sum += error.length;
    }
  }
  return `${sum} ${closed}`;
}
function nested(n) {
  let text = "";
  let sum = 0;
  outer: for (let i = 0; i < n; i++) {
    try {
      switch (i % 5) {
        case 0:
          throw "a";
        case 1:
          try {
            throw "b";
          } catch (error) {
            throw error + "c";
          }
        case 2:
          try {
            throw "d";
          } catch {
            continue outer;
          } finally {
            sum++;
          }
        case 3:
          try {
            throw new Error("e");
          } catch (error) {
            if (i > n) break outer;
            sum += error.message.length;
          }
        default:
          sum += 10;
      }
    } catch (error) {
      sum += error.length;
      if (i < 5) text += error;
    }
  }
  return text + sum;
}
function* steps(n) {
  for (let i = 0; i < n; i++) {
    try {
      yield i;
      if (i % 3 === 0) throw i * 2;
      yield -1;
    } catch (error) {
      yield error;
    }
  }
}
function generator(n) {
  let sum = 0;
  const all = steps(n);
  for (let step = all.next(); !step.done; step = step.value === -1 && sum % 11 === 0 ? all.throw(4) : all.next()) sum += step.value;
  return sum;
}
async function asynchronous(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    try {
      if (i % 64 === 0) await i;
      throw i;
    } catch (error) {
      sum += error;
    }
  }
  return sum;
}
// What is thrown in a function that machine code holds in another one, and what has no catch block.
const check = (i) => {
  try {
    if (i % 5 === 0) throw i;
    return 1;
  } catch (error) {
    return error;
  }
};
const fails = (i) => {
  if (i % 9 === 0) throw i;
  return i;
};
function inlined(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum += check(i);
    try {
      sum += fails(i);
    } catch (error) {
      sum -= error;
    }
  }
  return sum;
}
// Calls throw in the same block, and the first to throw in the catch block ends the function.
function mixed(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    let stage = 0;
    try {
      stage = 1;
      fails(i);
      stage = 2;
      if (i % 2) throw stage;
      stage = 3;
    } catch (error) {
      sum += stage * 100 + (error % 10);
      if (i === n - 1) throw sum;
    }
  }
  return sum;
}
const parameters = (a, b = a, ...rest) => {
  try {
    a++;
    if (a & 1) throw arguments_(a, b, rest);
    return a;
  } catch (error) {
    return error + a;
  }
};
const arguments_ = (a, b, rest) => a + b + rest.length;
function called(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += parameters(i, 3, 4, 5);
  return sum;
}

for (const run of [simple, sometimes, environments, inside, cleanup, nested, generator, inlined, mixed, called])
  for (const n of [10, rounds]) {
    try {
      console.log(run.name, run(n));
    } catch (error) {
      console.log(run.name, "threw", error);
    }
  }
console.log(asynchronous.name, await asynchronous(rounds));

// for-of over arrays: what a program can see of the iteration is the same whether the engine goes by index or by an iterator.
const log = (...args) => console.log(...args);
const over = (list, visit) => {
  const seen = [];
  for (const x of list) {
    seen.push(x);
    if (visit?.(x, seen) === "stop") break;
  }
  return seen;
};
// Often enough for every tier of the engine.
const warm = (name, run) => {
  let text;
  for (let i = 0; i < 3000; i++) {
    const now = JSON.stringify(run());
    if (text !== undefined && now !== text) throw new Error(`${name}: ${text}, then ${now}`);
    text = now;
  }
  log(name, text);
};

warm("plain", () => over([1, 2, 3]));
warm("empty", () => over([]));
warm("holes", () => over([1, , 3]));
warm("break", () => over([1, 2, 3], (x) => (x === 2 ? "stop" : undefined)));
warm("grows", () => {
  const list = [1, 2];
  return over(list, (x, seen) => { if (seen.length < 5) list.push(x * 10); });
});
warm("shrinks", () => {
  const list = [1, 2, 3, 4];
  return over(list, () => { list.pop(); });
});
warm("emptied", () => {
  const list = [1, 2, 3, 4];
  return over(list, () => { list.length = 0; });
});
warm("shifted", () => {
  const list = [1, 2, 3, 4, 5];
  return over(list, () => { list.shift(); });
});
warm("hole made", () => {
  const list = [1, 2, 3];
  return over(list, () => { delete list[1]; });
});
warm("getter made", () => {
  const list = [1, 2, 3];
  return over(list, (x) => { if (x === 1) Object.defineProperty(list, 1, { get() { return this === list ? "own" : "other"; } }); });
});
warm("sparse", () => {
  const list = [1, 2];
  let count = 0;
  for (const x of list) {
    if (count++ === 0) list[5000] = x;
    if (count > 6) break;
  }
  return count;
});
warm("kinds", () => [over([1.5, "a", null, undefined, true].map(String)), over("añ😀"), over(new Set([1, 2])), over(new Map([[1, 2]])),
  over(new Uint8Array([7, 8])), (function () { return over(arguments); })(1, 2), over([1, 2].values()), over([1, 2].entries())]);
warm("subclass", () => {
  class List extends Array {
    *[Symbol.iterator]() { yield "own"; }
  }
  class Plain extends Array {}
  return [over(List.of(1, 2)), over(Plain.of(1, 2))];
});
warm("own iterator", () => {
  const list = [1, 2];
  list[Symbol.iterator] = function* () { yield "own"; };
  return over(list);
});
warm("a return that is no iterator's", () => {
  const list = [1, 2];
  let called = 0;
  list.return = () => { called++; return {}; };
  for (const x of list) break;
  try {
    for (const x of list) throw 1;
  } catch {}
  (() => { for (const x of list) return x; })();
  return called;
});
warm("closures", () => {
  const list = [];
  for (let x of [1, 2, 3]) list.push(() => x++ + x);
  return list.map((f) => f());
});
warm("labels", () => {
  const seen = [];
  outer: for (const a of [1, 2, 3]) {
    for (const b of [10, 20, 30]) {
      if (b === 20) continue outer;
      if (a === 3) break outer;
      seen.push(a + b);
    }
  }
  return seen;
});
warm("patterns", () => {
  const seen = [];
  for (const [a, { b = 5, ...rest } = {}] of [[1, { b: 2, c: 3 }], [4]]) seen.push(a, b, rest);
  let x, y;
  for ([x, ...y] of [[1, 2, 3], [4]]) seen.push(x, y);
  const target = {};
  for (target.last of [1, 2]);
  return [seen, target];
});
warm("finally", () => {
  const seen = [];
  const run = (how) => {
    for (const x of [1, 2, 3]) {
      try {
        if (x === 2 && how === "return") return "returned";
        if (x === 2 && how === "throw") throw new Error("thrown");
        if (x === 2 && how === "break") break;
        if (x === 2 && how === "continue") continue;
        seen.push(how + x);
      } finally {
        seen.push("finally" + x);
      }
    }
    return "end";
  };
  for (const how of ["return", "throw", "break", "continue"]) {
    try { seen.push(run(how)); } catch (error) { seen.push(error.message); }
  }
  return seen;
});
warm("generators", () => {
  const seen = [];
  function* walk(list) {
    try {
      for (const x of list) yield x;
    } finally {
      seen.push("closed");
    }
  }
  for (const x of walk([1, 2, 3])) if (x === 2) break;
  const walker = walk([4, 5]);
  seen.push(walker.next().value, walker.return("early"), walker.next());
  const thrower = walk([6]);
  thrower.next();
  try { thrower.throw(new Error("in")); } catch (error) { seen.push(error.message); }
  function* outer() { for (const x of [1, 2]) yield* walk([x, x * 10]); }
  seen.push([...outer()]);
  return seen;
});
warm("an iterator is closed", () => {
  const seen = [];
  const list = { [Symbol.iterator]: () => ({ i: 0, next() { return { done: this.i > 2, value: this.i++ }; }, return() { seen.push("return"); return {}; } }) };
  for (const x of list) if (x === 1) break;
  try { for (const x of list) throw 1; } catch { seen.push("caught"); }
  (() => { for (const x of list) return; })();
  // Arrays and others at one place.
  for (const both of [[1, 2], list, [3]]) for (const x of both) { seen.push(x); if (x === 1) break; }
  return seen;
});
warm("frozen", () => over(Object.freeze([1, 2])));
warm("proxy", () => over(new Proxy([1, 2], {})));
warm("eval", () => (0, eval)("var s = 0; for (var x of [1, 2, 3]) s += x; s"));

const errors = [() => { for (const x of undefined); }, () => { for (const x of null); }, () => { for (const x of 5); }, () => { for (const x of {}); },
  () => { for (const x of { [Symbol.iterator]: () => 1 }); }, () => { for (const [a] of [null]); }, () => { for (x of [1]); let x; }];
for (const run of errors) {
  try { run(); log("no error"); } catch (error) { log(error.name); }
}

async function later(list) {
  const seen = [];
  for (const x of list) {
    seen.push(await x);
    if (seen.length === 3) return seen;
  }
  return seen;
}
log(await later([1, Promise.resolve(2), 3, 4]), await later([]));
async function* source() { for (const x of [1, 2, 3]) yield x; }
const heard = [];
for await (const x of source()) { heard.push(x); if (x === 2) break; }
for await (const x of [Promise.resolve(7), 8]) heard.push(x);
log(heard);

// The program's own iteration of arrays: from the next loop on, and seen at places that have only seen arrays.
const loop = () => over([1, 2]);
log(loop());
const { next } = Object.getPrototypeOf([][Symbol.iterator]());
const prototype = Object.getPrototypeOf([][Symbol.iterator]());
prototype.next = function () { const result = next.call(this); return { done: result.done, value: result.done ? undefined : `n${result.value}` }; };
log(loop());
prototype.next = next;
log(loop());
let returned = 0;
prototype.return = () => { returned++; return {}; };
for (const x of [1, 2]) break;
log(returned);
delete prototype.return;
const { [Symbol.iterator]: values } = Array.prototype;
Array.prototype[Symbol.iterator] = function* () { yield "patched"; };
log(loop());
Array.prototype[Symbol.iterator] = values;
log(loop());

import {
  produce,
  produceWithPatches,
  enablePatches,
  enableMapSet,
  applyPatches,
  original,
  current,
  isDraft,
  createDraft,
  finishDraft,
  setAutoFreeze,
} from "immer";
enablePatches();
enableMapSet();
const base = { a: { b: [1, { c: 2 }] }, m: new Map([["k", { v: 1 }]]), s: new Set([1]), keep: { x: 1 } };
const [next, patches, inverse] = produceWithPatches(base, (d) => {
  d.a.b[1].c++;
  d.a.b.push(3);
  d.m.get("k").v = 9;
  d.s.add(2);
  delete d.a.b[0];
});
console.log(next, base.a.b, next.keep === base.keep, Object.isFrozen(next.a));
console.log(JSON.stringify(patches), JSON.stringify(inverse), applyPatches(next, inverse).a);
try {
  next.a.b = 1;
} catch (e) {
  console.log(e.name);
}
console.log(
  produce({ n: 1 }, (d) => {
    console.log(isDraft(d), original(d), current(d));
    d.n = 2;
  }),
  produce([3, 1, 2], (d) => void d.sort()),
);
const d = createDraft({ z: [] });
d.z.push(1);
console.log(finishDraft(d));
class P {
  constructor() {
    this.q = 1;
  }
}
P.prototype[Symbol.for("immer-draftable")] = true;
console.log(
  produce(new P(), (x) => {
    x.q = 5;
  }),
);

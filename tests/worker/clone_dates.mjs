// expected: recorded from node 25.9.0
// structuredClone of dates: by themselves, of a class of the program's, with properties, twice in one object.
const d = new Date(5);
d.extra = 1;
const c = structuredClone(d);
console.log(c instanceof Date, c.getTime(), c.extra, c !== d, Number.isNaN(structuredClone(new Date(NaN)).getTime()));
class D extends Date {}
const e = structuredClone(new D(7));
console.log(e.constructor.name, e.getTime());
const o = { a: d, b: d };
const p = structuredClone(o);
console.log(p.a === p.b, p.a.getTime());

// structuredClone of Blobs and Files, alone and inside other values; as Node 25 (Node 20 does not clone Files).
(async () => {
const b = new Blob(["hello"], { type: "text/plain" }); const f = new File(["x"], "a.txt", { lastModified: 5 });
const c = structuredClone(b); console.log(c instanceof Blob, c.type, await c.text(), c !== b);
const o = { list: [b, f, b], map: new Map([["k", f]]), d: new Date(0) }; o.self = o;
const r = structuredClone(o); console.log(r.list[0] === r.list[2], r.list[1].name, r.list[1].lastModified, r.map.get("k") === r.list[1], r.self === r, r.d instanceof Date, r.d !== o.d);
console.log(structuredClone({ a: 1 }));
})();

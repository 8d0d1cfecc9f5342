// zlib: gzip, deflate and their inverses, synchronous, on text and JSON as programs have it.
const zlib = require("node:zlib");
const rows = [];
for (let i = 0; i < 20000; i++) rows.push({ id: i, name: "Name " + (i * 7919 % 1009), value: Math.round(i * 1234.567) / 100 });
const large = Buffer.from(JSON.stringify(rows));
const small = Buffer.from(JSON.stringify(rows.slice(0, 20)));
let sum = 0;
for (let i = 0; i < 6; i++) sum += zlib.gunzipSync(zlib.gzipSync(large)).length;
for (let i = 0; i < 4000; i++) sum += zlib.inflateSync(zlib.deflateSync(small)).length;
const packed = zlib.gzipSync(large);
for (let i = 0; i < 100; i++) sum += zlib.gunzipSync(packed).length;
console.log(sum);

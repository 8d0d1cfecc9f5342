// Random values: shapes, ranges, and that they differ.
const crypto = require("node:crypto");
console.log(crypto.randomBytes(10).length, crypto.randomBytes(0).length, crypto.randomBytes(16).equals(crypto.randomBytes(16)));
const buffer = Buffer.alloc(20);
console.log(crypto.randomFillSync(buffer, 10) === buffer, buffer.subarray(0, 10).every((byte) => byte === 0), buffer.subarray(10).some((byte) => byte !== 0));
const numbers = new Set();
for (let i = 0; i < 1000; i++) numbers.add(crypto.randomInt(-2, 3));
console.log([...numbers].sort((a, b) => a - b).join());
const uuids = new Set(Array.from({ length: 1000 }, () => crypto.randomUUID()));
console.log(uuids.size, [...uuids].every((uuid) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid)));
console.log(globalThis.crypto === crypto.webcrypto, typeof globalThis.crypto.randomUUID(), Object.prototype.toString.call(globalThis.crypto));
const values = new Uint16Array(100);
console.log(globalThis.crypto.getRandomValues(values) === values, values.some((value) => value !== 0));
for (const call of [() => globalThis.crypto.getRandomValues(new Float64Array(1)), () => globalThis.crypto.getRandomValues(new Uint8Array(65537)), () => crypto.randomInt(2 ** 50, 0)]) {
  try {
    call();
  } catch (error) {
    console.log(error.name, error.code);
  }
}
globalThis.crypto.subtle.digest("MD5", values).catch((error) => console.log(error.name, error.message));
crypto.randomBytes(8, (error, bytes) => {
  console.log("randomBytes", error, bytes.length);
  crypto.randomFill(new Uint32Array(4), 2, (error, view) => {
    console.log("randomFill", error, view[0], view[1], view[2] !== 0 || view[3] !== 0);
    crypto.randomInt(3, (error, number) => console.log("randomInt", error, number >= 0 && number < 3));
  });
});

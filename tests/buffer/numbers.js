// Number accessors of Buffer: values at the edges of every width, and the text of every kind of range error.
const buf = Buffer.alloc(16);
const show = (label, fn) => {
  try {
    console.log(label, fn());
  } catch (e) {
    console.log(label, e.name, e.code, e.message);
  }
};

for (const bits of [8, 16, 32]) {
  for (const order of bits === 8 ? [""] : ["LE", "BE"]) {
    for (const value of [0, 1, 2 ** (bits - 1) - 1, 2 ** (bits - 1), 2 ** bits - 1, 2 ** bits, -1, 1.9]) {
      show(`UInt${bits}${order} ${value}`, () => {
        buf[`writeUInt${bits}${order}`](value, 3);
        return `${buf[`readUInt${bits}${order}`](3)} ${buf[`readInt${bits}${order}`](3)} ${buf.toString("hex")}`;
      });
      show(`Int${bits}${order} ${-value}`, () => {
        buf[`writeInt${bits}${order}`](-value, 3);
        return `${buf[`readInt${bits}${order}`](3)} ${buf.toString("hex")}`;
      });
    }
  }
}
for (let size = 1; size <= 6; size++) {
  for (const order of ["LE", "BE"]) {
    const max = 2 ** (size * 8) - 1;
    show(`UInt${order} ${size}`, () => {
      const end = buf[`writeUInt${order}`](max - 5, 2, size);
      return `${end} ${buf[`readUInt${order}`](2, size)} ${buf[`readInt${order}`](2, size)} ${buf.toString("hex")}`;
    });
    show(`Int${order} ${size}`, () => {
      const end = buf[`writeInt${order}`](-(2 ** (size * 8 - 1)), 2, size);
      return `${end} ${buf[`readInt${order}`](2, size)} ${buf.toString("hex")}`;
    });
    show(`UInt${order} ${size} too large`, () => buf[`writeUInt${order}`](max + 1, 2, size));
    show(`Int${order} ${size} too small`, () => buf[`writeInt${order}`](-max, 2, size));
  }
}
for (const value of [0n, 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, -1n, -(2n ** 63n), -(2n ** 63n) - 1n]) {
  for (const kind of ["BigInt64LE", "BigInt64BE", "BigUInt64LE", "BigUInt64BE"]) {
    show(`${kind} ${value}`, () => {
      buf[`write${kind}`](value, 4);
      return `${buf[`read${kind}`](4)} ${buf.toString("hex")}`;
    });
  }
}
for (const value of [0, -0, 1.5, Math.PI, 1e40, -Infinity, NaN, 5e-324]) {
  for (const kind of ["FloatLE", "FloatBE", "DoubleLE", "DoubleBE"]) {
    show(`${kind} ${value}`, () => {
      buf[`write${kind}`](value, 5);
      return `${buf[`read${kind}`](5)} ${buf.toString("hex")}`;
    });
  }
}
for (const offset of [undefined, 13, 16, -1, 1.5, NaN, Infinity, "0", null]) {
  show(`readInt32LE(${offset})`, () => buf.readInt32LE(offset) | 0);
  show(`writeDoubleBE(1, ${offset})`, () => buf.writeDoubleBE(1, offset));
  show(`readUIntBE(${offset}, 3)`, () => buf.readUIntBE(offset, 3));
}
for (const size of [0, 7, 1.5, "2", undefined]) show(`readIntLE(0, ${size})`, () => buf.readIntLE(0, size));
show("short buffer", () => Buffer.alloc(3).readUInt32LE(0));
show("aliases", () => buf.readUint16LE === buf.readUInt16LE && buf.writeBigUint64BE === buf.writeBigUInt64BE);

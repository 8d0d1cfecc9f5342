// expected: written by hand
// Calls of C functions: every type, more arguments than registers, values that do not fit, results that must be made by the engine.
const { dlopen, linkSymbols, CFunction, CString, ptr, read, toArrayBuffer, toBuffer, viewSource } = require("bun:ffi");
const { build, attempt, folder } = require("./support/build.cjs");

const symbols = {};
const kinds = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "bool", "char", "ptr"];
for (const kind of kinds) symbols[`same_${kind}`] = { args: [kind], returns: kind };
Object.assign(symbols, {
  ten: { args: Array(10).fill("int"), returns: "int" },
  ten_floats: { args: [...Array(9).fill("double"), "float"], returns: "double" },
  mixed: { args: ["i8", "f64", "f32", "i64", "bool", "u16", "int", "int", "cstring", "f64"], returns: "double" },
  sum: { args: ["buffer", "usize"], returns: "int" },
  length: { args: ["cstring"], returns: "int" },
  hello: { returns: "cstring" },
  nothing: { returns: "cstring" },
  get_memory: { returns: "ptr" },
  bad_nan: { returns: "f64" },
  get_deallocate: { returns: "ptr" },
  get_freed: { returns: "int" },
});
const file = build("basic.c");
const library = dlopen(file, symbols);
const c = library.symbols;

const values = [
  0,
  -1,
  255,
  1.9,
  NaN,
  2 ** 32 + 5,
  2 ** 63,
  true,
  null,
  undefined,
  "5",
  -3n,
  2n ** 64n + 9n,
  { valueOf: () => 7 },
  {},
];
for (const kind of kinds) {
  for (let round = 0; round < 2; round++) {
    const shown = values.map((value) =>
      String(attempt(() => c[`same_${kind}`](value))).replace(/TypeError: .*/, "error"),
    );
    if (round === 1) console.log(kind, shown.join(" "));
  }
}
console.log(attempt(() => c.same_i32(Symbol("s"))).slice(0, 10));
console.log(c.same_i32(1, 2, 3), c.same_i32(), c.same_ptr());
console.log(c.ten(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), c.ten_floats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10.5));
console.log(c.mixed(-1, 0.5, 0.25, 2 ** 40, true, 65535, 7, 8, Buffer.from("text\0"), 2));
console.log(c.mixed(-1, 0.5, 0.25, 2n ** 40n, 1, 65535, 7, 8, "text", 2));
console.log(
  c.sum(new Uint8Array([1, 2, 3]), 3),
  c.sum(new Uint8Array(0), 0),
  c.sum(new DataView(new ArrayBuffer(2)), 2),
);
for (const value of [null, 5, "x", [1], new ArrayBuffer(1)]) console.log(attempt(() => c.sum(value, 0)));
// C's address of a buffer holds while somebody has the buffer.
const terminated = Buffer.from("abc\0");
console.log(
  c.hello(),
  c.nothing(),
  c.length(null),
  c.length("äb"),
  c.length(new CString(c.same_ptr(ptr(terminated)))),
);
console.log(Object.is(c.bad_nan(), NaN), c.bad_nan() + 1, terminated.length);

// Small arrays are moved out of their objects before C sees where they are.
const small = Array.from({ length: 50 }, (_, i) => new Uint8Array([i, i, i]));
const addresses = small.map((array) => ptr(array));
Bun.gc(true);
console.log(small.every((array, i) => ptr(array) === addresses[i] && read.u8(addresses[i], 2) === i));
console.log(
  ptr(small[7], 1) - ptr(small[7]),
  attempt(() => ptr(small[7], 4)),
  attempt(() => ptr(new Uint8Array(0))),
);
for (const value of [null, 5, {}]) console.log(attempt(() => ptr(value)));

const memory = c.get_memory();
console.log(
  read.u8(memory),
  read.u16(memory, 1),
  read.i32(memory, 2),
  read.u64(memory),
  read.f32(memory, 3),
  read.u8(BigInt(memory), 4),
);
for (const args of [[0], [], ["x"], [memory, "x"], [100]]) console.log(attempt(() => read.u8(...args)));
console.log(toBuffer(memory, 2, 3), toBuffer(memory).length, new Uint8Array(toArrayBuffer(memory, 0, 2)));
for (const args of [[], [null], [0], [memory, 0, 0], [memory, 0, 2 ** 53], [memory, "x"]])
  console.log(attempt(() => toBuffer(...args)));
toBuffer(memory, 0, 4)[0] = 99;
console.log(read.u8(memory));
(() => toArrayBuffer(memory, 0, 4, 0, c.get_deallocate()))();
for (let i = 0; i < 20 && c.get_freed() === 0; i++) {
  Bun.gc(true);
  toArrayBuffer(memory, 0, 1);
}
console.log("freed", c.get_freed());

const add = new CFunction({ ptr: c.ten.ptr, args: Array(10).fill("int"), returns: "int" });
console.log(
  add(1, 0, 0, 0, 0, 0, 0, 0, 0, 1),
  add.native === add,
  linkSymbols({ a: { ptr: c.hello.ptr, returns: "cstring" } }).symbols.a(),
);
console.log(viewSource({ f: { args: ["int", "ptr"], returns: "cstring" } }).join(""));

for (const [name, wanted] of [
  ["./nowhere.so", { f: {} }],
  [__filename, { f: {} }],
  [file, { absent: {} }],
  [file, {}],
  [file, { ten: { args: ["what"] } }],
  [file, { ten: { returns: "what" } }],
  [file, { ten: { args: ["void"] } }],
  [file, { ten: { returns: "napi_value" } }],
  [file, { ten: 5 }],
  [null, { f: {} }],
]) {
  console.log(
    attempt(() => dlopen(name, wanted))
      .replaceAll(__dirname, "")
      .slice(0, 120),
  );
}

// A function that makes the library go while its arguments are read.
const again = dlopen(file, { ten: symbols.ten, hello: symbols.hello });
console.log(attempt(() => again.symbols.ten({ valueOf: () => (again.close(), 1) }, 2, 3, 4, 5, 6, 7, 8, 9, 10)));
library.close();
library.close();
console.log(
  attempt(() => c.hello()),
  attempt(() => c.ten(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
);

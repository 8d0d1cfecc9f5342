// expected: written by hand; Node 25 prints the same
// Classes, wrapped pointers, references, finalizers, buffers whose bytes stay where they are.
const { build, collect } = require("./support/build.cjs");
const { Box, wrap, keep, kept, drop, fill, lend, onto } = require(build("objects.c"));

class Derived extends Box {
  constructor(value) {
    super(value * 2);
  }
  twice() {
    return this.value * 2;
  }
}

const describe = (f) => {
  try {
    return f();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
};

async function main() {
  (() => {
    const box = new Box(4);
    box.value += 1;
    const derived = new Derived(8);
    const [symbol] = Object.getOwnPropertySymbols(Box.prototype);
    console.log(box[symbol], Object.getOwnPropertyDescriptor(Box.prototype, "get").enumerable);
    console.log(box.value, box.get(), derived.twice(), derived instanceof Box, Box.name, Object.keys(box).length);
    console.log(
      describe(() => Box.prototype.get.call({})),
      describe(() => Object.create(Box.prototype).get()),
    );
    console.log(Object.prototype.toString.call(box), typeof Box, Box.living());
    const frozen = Object.freeze({ a: 1 });
    const proxy = new Proxy({}, { get: () => 1 });
    console.log(wrap(frozen), wrap(frozen), wrap(proxy), wrap(box), Reflect.ownKeys(frozen).length);
  })();
  await collect(() => Box.living() === 0);
  console.log("living:", Box.living());

  keep({ strong: true }, 1);
  await collect(() => false);
  console.log(kept());
  drop();
  (() => keep({ weak: true }, 0))();
  await collect(() => kept() === undefined);
  console.log(kept());
  drop();

  for (const of of [{}, 1, null, undefined]) console.log(describe(() => onto(of)));

  for (const size of [1, 8, 64, 96, 200]) {
    const made = [
      new Uint8Array(size),
      Buffer.alloc(size),
      new Uint8Array(new ArrayBuffer(size)),
      new DataView(new ArrayBuffer(size)),
    ];
    for (const view of made) {
      fill(view, () => {
        for (let i = 0; i < 200; i++) new Uint8Array(i);
        Bun.gc(true);
      });
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      if (!bytes.every((byte) => byte === 7)) console.log("bytes have moved", size, view);
    }
  }
  (() =>
    console.log(
      new Uint8Array(lend()).every((byte) => byte === 3),
      Box.living(),
    ))();
  await collect(() => Box.living() === 0);
  console.log("living:", Box.living());
  // Left for the end.
  globalThis.left = new Box(1);
}
if (typeof Bun === "undefined") globalThis.Bun = { gc };
main();

// expected: recorded from node 25.9.0
// What goes on with suspended WebAssembly is no value of the program's: its `then` is not looked up.
let reads = 0;
Object.defineProperty(Function.prototype, "then", {
  configurable: true,
  get() {
    reads++;
    return undefined;
  },
});

// (import "m" "f" (func (result i32))) (func (export "g") (result i32) call 0)
const bytes = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 2, 7, 1, 1, 109, 1, 102, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 103, 0, 1,
  10, 6, 1, 4, 0, 16, 0, 11,
]);
const module = new WebAssembly.Module(bytes);

async function run(name, work) {
  const f = new WebAssembly.Suspending(work);
  const { g } = new WebAssembly.Instance(module, { m: { f } }).exports;
  const call = WebAssembly.promising(g);
  const results = new Set();
  reads = 0;
  for (let i = 0; i < 20; i++) results.add(await call().catch((error) => error.message));
  console.log(name, ...results, "reads:", reads);
}

await run("settled", async () => 42);
await run("later", () => new Promise((resolve) => setImmediate(resolve, 43)));
await run("rejected", () => Promise.reject(new Error("no")));
delete Function.prototype.then;

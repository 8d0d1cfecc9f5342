// WebAssembly.compileStreaming and instantiateStreaming: what Node 25.8.1 prints.
const bytes = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 115, 105, 120, 0, 0, 10, 6, 1, 4, 0, 65, 6, 11,
);
const wasm = (init = {}) => new Response(bytes, { headers: { "content-type": "application/wasm" }, ...init });
const failure = (promise) => promise.then(() => "no error", (error) => [error.constructor.name, error.code, error.message].join(" | "));

(async () => {
  console.log(WebAssembly.Module.exports(await WebAssembly.compileStreaming(wasm())));
  const { module, instance } = await WebAssembly.instantiateStreaming(Promise.resolve(wasm()));
  console.log(module instanceof WebAssembly.Module, instance.exports.six());
  const stream = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const chunked = await WebAssembly.instantiateStreaming(new Response(stream, { headers: { "content-type": "application/wasm" } }), {});
  console.log(chunked.instance.exports.six());
  for (const method of ["compileStreaming", "instantiateStreaming"]) {
    const run = WebAssembly[method];
    console.log(method, run.length, typeof run);
    console.log(await failure(run(1)));
    console.log(await failure(run()));
    console.log(await failure(run(new Response(bytes))));
    console.log(await failure(run(new Response(bytes, { headers: { "content-type": "application/wasm;a=b" } }))));
    console.log(await failure(run(wasm({ status: 404 }))));
    const used = wasm();
    await used.arrayBuffer();
    console.log(await failure(run(used)));
    console.log(await failure(run(Promise.reject(new RangeError("mine")))));
    const broken = new ReadableStream({ pull: (controller) => controller.error(new RangeError("broken")) });
    console.log(await failure(run(new Response(broken, { headers: { "content-type": "application/wasm" } }))));
    const invalid = await run(new Response("text", { headers: { "content-type": "application/wasm" } })).catch((error) => error);
    console.log(invalid instanceof WebAssembly.CompileError);
  }
})();

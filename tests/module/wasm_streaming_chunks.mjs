// expected: recorded from bun 1.4.5. A stream of WebAssembly whose chunks are not bytes ends at once, also if it has no end itself.
for (const chunk of ["text", () => new Uint8Array(8), () => new ArrayBuffer(8)]) {
  const body = new ReadableStream({
    pull(controller) {
      const value = typeof chunk === "function" ? chunk() : chunk;
      if (typeof value === "object") structuredClone(value, { transfer: [value.buffer ?? value] });
      try {
        controller.enqueue(value);
      } catch (error) {
        controller.error(error);
      }
    },
  });
  const response = new Response(body, { headers: { "content-type": "application/wasm" } });
  await WebAssembly.compileStreaming(response).then(
    () => console.log("compiled"),
    (error) => console.log(error.name, error.message),
  );
}

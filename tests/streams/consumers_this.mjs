// expected: recorded from bun 1.4.5. Bun's consumers of a ReadableStream throw for another `this`, and reject for a locked stream.
for (const name of ["text", "json", "bytes", "blob"]) {
  for (const value of [null, {}, "text"]) {
    try {
      ReadableStream.prototype[name].call(value);
      console.log("nothing thrown");
    } catch (error) {
      console.log(name, error.code);
    }
  }
  const stream = new Response("x").body;
  stream.getReader();
  await stream[name]().then(
    () => console.log("read"),
    (error) => console.log(error.name),
  );
}

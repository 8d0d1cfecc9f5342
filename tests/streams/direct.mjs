// Direct streams give bytes: what is written in one go is one chunk. readMany() gives all chunks that come together.
// expected: recorded from bun 1.4.5 but for "flush", which gives what is written before it at once, and `size`
const direct = (pull) => new ReadableStream({ type: "direct", pull });
async function chunks(name, stream) {
  const reader = stream.getReader();
  const out = [];
  for (let next; !(next = await reader.read()).done; ) out.push(`${next.value.constructor.name} ${Buffer.from(next.value)}`);
  console.log(name, out);
}
await chunks("text", direct((c) => { c.write("hé"); c.write("llo"); c.close(); }));
await chunks("flush", direct((c) => { c.write("hello"); console.log(c.flush(), c.flush()); c.write("world"); c.end(); }));
await chunks("mixed", direct((c) => { c.write(new Uint8Array([65])); c.write("b"); c.write(new Uint8Array([67]).buffer); }));
await chunks("turns", direct(async (c) => { c.write("a"); await 1; c.write("b"); await Bun.sleep(1); c.write("c"); c.close(); }));
const bytes = new Uint8Array([120]);
await chunks("kept", direct((c) => { c.write(bytes); bytes[0] = 121; c.close(); }));
console.log(await new Response(direct((c) => { c.write("a"); c.write("é"); })).text());
const parts = [];
for await (const part of direct((c) => { c.write("a"); c.write("b"); c.close(); })) parts.push(part);
console.log(Buffer.concat(parts).toString());
try {
  await direct((c) => { c.write("a"); c.close(new Error("stop")); }).getReader().read();
} catch (error) {
  console.log(error.message);
}

const pulled = new ReadableStream({ pull(c) { c.enqueue("a"); c.enqueue("b"); c.close(); } }).getReader();
console.log((await pulled.readMany()).value, (await pulled.readMany()).done);
const ready = new ReadableStream({ start(c) { c.enqueue("a"); c.enqueue("b"); } }).getReader();
console.log((await ready.readMany()).value);

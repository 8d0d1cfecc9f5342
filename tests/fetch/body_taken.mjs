// The memory of a body is given back when its text has been made: nobody else may have it then.
const text = "a body of more than a page, ".repeat(300);
const bytes = new TextEncoder().encode(text);

async function served(use) {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: use });
  const response = await fetch(server.url, { method: "POST", body: text });
  console.log(await response.text());
  await server.stop(true);
}

await served(async (request) => {
  const copy = request.clone();
  const first = await request.text();
  const second = await copy.bytes();
  return new Response(`cloned ${first === text} ${second.length === bytes.length && second[4000] === bytes[4000]}`);
});
await served(async (request) => {
  const copy = request.clone();
  const moved = new Request(request);
  const first = await moved.text();
  const second = await copy.text();
  return new Response(`moved after a clone ${first === text} ${second === text}`);
});
await served(async (request) => {
  const copy = request.clone();
  const moved = new Request(request);
  const first = await moved.bytes();
  first.fill(0);
  return new Response(`bytes of a clone are its own ${(await copy.text()) === text}`);
});
await served(async (request) => {
  const blob = await request.blob();
  return new Response(`blob ${(await blob.text()) === text} ${(await blob.text()) === text}`);
});
await served(async (request) => {
  await request.text();
  return new Response(`once ${request.bodyUsed} ${await request.text().catch((error) => error.name)}`);
});

// What a program has given stays its own.
const response = new Response(bytes);
console.log((await response.text()) === text, bytes.length);
const blob = new Blob([bytes]);
console.log((await new Response(blob).text()) === text, (await new Response(blob).text()) === text);
const first = new Response(bytes.buffer);
const second = first.clone();
console.log((await first.text()) === (await second.text()), bytes.buffer.byteLength);

// As in Bun a Request of any method may have a body, and nobody asks for `duplex`; fetch sends none with GET. Blobs as forms, and files to
// Infinity. The output is Bun's but for `duplex`, which it does not have.
const made = (name, init) => {
  const request = new Request("http://127.0.0.1:1/", init);
  console.log(name, request.method, request.body !== null, request.duplex);
  return request;
};
console.log(await made("get", { body: "x" }).text());
console.log(await made("head", { method: "HEAD", body: "y" }).text());
const copy = new Request(new Request("http://x/", { method: "POST", body: "z" }), { method: "GET" });
console.log(copy.method, await copy.text());
console.log(await made("stream", { method: "POST", body: new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode("streamed")); c.close(); } }) }).text());
for (const request of ["http://127.0.0.1:1/", new Request("http://127.0.0.1:1/", { body: "x" })]) {
  await fetch(request, typeof request === "string" ? { body: "x" } : undefined).catch((error) => console.log(error.name, error.message));
}
const form = await new Blob(["a=b&c=d"], { type: "application/x-www-form-urlencoded" }).formData();
console.log([...form].join(" "));
await new Blob(["a=b"]).formData().catch((error) => console.log(error.name));
const { size } = Bun.file(import.meta.path);
console.log(Bun.file(import.meta.path).slice(0, Infinity).size === size, Bun.file(import.meta.path).slice(10, Infinity).size === size - 10);

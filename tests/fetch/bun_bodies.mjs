// Bodies as Bun takes them: requests with GET and a body, streams without `duplex`, forms of Blobs; fetch sends no body with GET.
// expected: recorded from bun 1.4.5 but for the errors of forms, which are the standard's TypeErrors
for (const method of ["GET", "HEAD", "OPTIONS"]) {
  const request = new Request("http://x/", { method, body: "abc" });
  console.log(request.method, await request.text());
}
for (const method of ["GET", "HEAD"]) {
  for (const target of ["http://127.0.0.1:1/", new Request("http://127.0.0.1:1/", { method, body: "abc" })]) {
    await fetch(target, { method, body: "abc" }).catch((error) => console.log(method, error.name, error.message));
  }
}
const posted = new Request("http://x/", { method: "POST", body: "abc" });
console.log(await new Request(posted, { method: "GET" }).text(), posted.bodyUsed);
const body = new Blob(["from a stream"]).stream();
console.log(await new Request({ url: "http://x/", body }).text());
console.log(await new Request("http://x/", { method: "POST", body: new Blob(["another"]).stream() }).text());

const form = new Blob(["a=1&b=2&a=3"], { type: "application/x-www-form-urlencoded" });
console.log(JSON.stringify([...(await form.formData())]));
const parts = new FormData();
parts.append("text", "é");
parts.append("file", new Blob(["content"]), "name.txt");
const response = new Response(parts);
const copy = new Blob([await response.bytes()], { type: response.headers.get("content-type") });
const read = await copy.formData();
console.log(read.get("text"), read.get("file").name, await read.get("file").text());
for (const type of ["", "text/plain", "multipart/form-data"])
  await new Blob(["x"], { type }).formData().catch((error) => console.log(JSON.stringify(type), error.name));
await Blob.prototype.formData.call({}).catch((error) => console.log(error.name, error.code));

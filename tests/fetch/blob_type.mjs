// expected: written by hand
// The type of a body's Blob is its media type in lower case (File API), but for a boundary, which counts as it is written.
const form = new FormData();
form.append("field", new Blob(["content"]));
for (const body of [new Request("http://x/", { method: "POST", body: form }), new Response(form)]) {
  const boundary = body.headers.get("content-type").split("=")[1];
  const blob = await body.blob();
  console.log(blob.type === `multipart/form-data;boundary=${boundary}`, boundary === boundary.toLowerCase());
  console.log(await (await new Response(blob).formData()).get("field").text());
  console.log(await (await blob.formData()).get("field").text());
}
for (const type of ["Text/PLAIN; Charset=UTF-8", "a/b; C=D", "nonsense", ""]) {
  for (const body of ["text", null, new Blob(["text"]), new Uint8Array(4), new Blob(["text"]).stream()]) {
    console.log(JSON.stringify((await new Response(body, { headers: { "content-type": type } }).blob()).type));
  }
}

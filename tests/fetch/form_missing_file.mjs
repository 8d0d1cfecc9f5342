// expected: recorded from bun 1.4.5
// A form with a file that cannot be read is no body: the error comes when the body is made, not when it is sent.
const form = new FormData();
form.append("field", "1");
form.append("file", Bun.file("/no/such/file"));
form.append("named", Bun.file(import.meta.path), "own.mjs");
for (const [name, make] of [
  ["Response", () => new Response(form)],
  ["Request", () => new Request("http://x/", { method: "POST", body: form })],
  ["fetch", () => fetch("http://127.0.0.1:1/", { method: "POST", body: form })],
]) {
  try {
    await make();
    console.log(name, "is made");
  } catch (error) {
    console.log(name, error.code, error.syscall, error.path, error.message);
  }
}
form.delete("file");
const read = await new Response(form).formData();
console.log(read.get("field"), read.get("named").name, (await read.get("named").text()).startsWith("// expected"));

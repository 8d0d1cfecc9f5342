// structuredClone() of objects of the web platform: what Node 25.8.1 prints.
const values = {
  URL: new URL("http://a"), URLSearchParams: new URLSearchParams("a=1"), URLPattern: new URLPattern(), Headers: new Headers(),
  Request: new Request("http://a"), Response: new Response(), FormData: new FormData(), MessageEvent: new MessageEvent("x"),
  ReadableStream: new ReadableStream(), WritableStream: new WritableStream(), TransformStream: new TransformStream(),
  Blob: new Blob(["text"], { type: "a/b" }), File: new File(["text"], "name"),
};
for (const [name, value] of Object.entries(values)) {
  try {
    const copy = structuredClone(value);
    console.log(name, Object.prototype.toString.call(copy), copy.size, copy.type, copy.name);
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
}
const error = new DOMException("text", "AbortError");
const copy = structuredClone(error);
console.log(copy instanceof DOMException, copy !== error, copy.name, copy.message, copy.code, copy.stack === error.stack);

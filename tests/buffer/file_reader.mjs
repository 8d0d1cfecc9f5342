// FileReader as in browsers and Deno: events in order, kinds of results, encodings, abort, one read at a time.
const read = (how, blob, ...rest) => new Promise((resolve) => {
  const reader = new FileReader();
  const events = [];
  for (const name of ["loadstart", "progress", "load", "abort", "error", "loadend"]) {
    reader.addEventListener(name, (event) => events.push(`${name}:${event.loaded}/${event.total}`));
  }
  reader.onloadend = () => resolve([reader.result, events.join(" "), reader.readyState, reader.error]);
  reader[how](blob, ...rest);
});

console.log(...await read("readAsText", new Blob(["hällo"])));
console.log(...await read("readAsText", new Blob([])));
console.log(...await read("readAsText", new Blob([new Uint8Array([0xe4])]), "latin1"));
console.log(...await read("readAsText", new Blob([new Uint8Array([0xe4])], { type: "text/plain;charset=windows-1252" })));
console.log(...await read("readAsText", new Blob([new Uint8Array([0xff, 0xfe, 104, 0, 105, 0])]), "utf-8"));
console.log(...await read("readAsDataURL", new Blob(["hi"], { type: "text/x-hi" })));
console.log(...await read("readAsBinaryString", new Blob([new Uint8Array([0, 200])])));
const [buffer] = await read("readAsArrayBuffer", new Blob(["abc", "def"]));
console.log(buffer instanceof ArrayBuffer, buffer.byteLength);

const file = new FileReader();
file.readAsText(Bun.file("/nonexistent/file"));
await new Promise((resolve) => { file.onerror = resolve; });
console.log(file.result, file.error.name, file.readyState === FileReader.DONE);

const busy = new FileReader();
busy.readAsText(new Blob(["x"]));
try {
  busy.readAsText(new Blob(["y"]));
} catch (error) {
  console.log(error.name);
}
busy.onabort = (event) => console.log("abort", event.loaded, busy.result, busy.readyState);
busy.abort();
busy.abort();
for (const bad of [() => busy.readAsText(), () => busy.readAsText("text"), () => FileReader.prototype.readyState, () => FileReader()]) {
  try {
    bad();
    console.log("no error");
  } catch (error) {
    console.log(error.name);
  }
}
console.log(Object.prototype.toString.call(busy), FileReader.LOADING, busy.DONE, busy.onload, typeof ProgressEvent);

// A blob: URL is looked up when the request is made, and only the very URL revokes it.
const url = URL.createObjectURL(new Blob(["kept"]));
const request = new Request(url);
URL.revokeObjectURL(`${url}#part`);
console.log(await (await fetch(url)).text());
URL.revokeObjectURL(url);
console.log(await (await fetch(request.clone())).text());
console.log(await fetch(url).then(String, (error) => error.name));

// Locks whose names are no well-formed text are different ones.
await navigator.locks.request("\ud800", () => navigator.locks.request("\ufffd", async (lock) => {
  const { held } = await navigator.locks.query();
  console.log(lock instanceof Lock, navigator.locks instanceof LockManager, held.map(({ name }) => escape(name)).sort().join());
}));

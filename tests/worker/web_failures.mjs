// expected: recorded from bun 1.4.5
// What the web's Worker tells when its program fails: an event with the words and without the value, which stays in the worker; a URL
// that stands for nothing is an event, too, one that cannot be parsed an exception. process.on("worker") gets the object that was made.
let made;
process.on("worker", (worker) => console.log("made", worker === made));
const failure = (url) =>
  new Promise((resolve) => {
    const worker = (made = new Worker(url));
    const seen = [];
    worker.onerror = (event) => seen.push(event.constructor.name, event.error);
    worker.onmessage = (event) => seen.push(event.data);
    worker.addEventListener("close", (event) => resolve([...seen, event.code]));
  });
console.log(JSON.stringify(await failure("data:text/javascript,throw 5")));
console.log(JSON.stringify(await failure("data:text/javascript,throw new RangeError('wrong')")));
console.log(JSON.stringify(await failure("blob:nothing at all")));
const url = URL.createObjectURL(new Blob(["postMessage('runs')"], { type: "text/javascript" }));
URL.revokeObjectURL(url);
console.log(JSON.stringify(await failure(url)));
for (const make of [() => new Worker("file://:!:!:!!!!"), () => new Worker(import.meta.url, { preload: ["file://:!:!:!!!!"] })]) {
  try {
    make();
  } catch (error) {
    console.log(error.name, error.message);
  }
}

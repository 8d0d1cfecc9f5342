// EventEmitter: emit with 0 to 4 arguments, several listeners, once, adding and removing.
const { EventEmitter } = require("node:events");
class Source extends EventEmitter {}
const source = new Source();
let sum = 0;
source.on("one", value => { sum += value; });
source.on("three", (a, b, c) => { sum += a + b + c; });
source.on("three", function () { sum += this.listenerCount("three"); });
source.on("none", () => { sum++; });
for (let i = 0; i < 8000000; i++) {
  source.emit("one", 1);
  source.emit("three", 1, 2, 3);
  source.emit("none");
  source.emit("nobody", i);
}
for (let i = 0; i < 500000; i++) {
  const emitter = new EventEmitter();
  emitter.once("end", () => { sum++; });
  const data = () => { sum++; };
  emitter.on("data", data);
  emitter.emit("data", i);
  emitter.emit("end");
  emitter.off("data", data);
}
console.log(sum);

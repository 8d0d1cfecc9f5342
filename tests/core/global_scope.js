// The global object as an event target: the names are Bun's; "error" events are the HTML standard's (Bun does not dispatch them).
console.log(self === globalThis, Object.keys(globalThis).includes("self"));
globalThis.addEventListener("mine", function (event) {
  console.log("mine", this === globalThis, event.target === globalThis, event.type);
}, { once: true });
console.log(dispatchEvent(new Event("mine")), dispatchEvent(new Event("mine")));
const { addEventListener: add, removeEventListener: remove } = globalThis;
remove("mine", null);
process.on("uncaughtException", (error) => console.log("process", error.message));
const listener = (event) => {
  console.log(event.constructor.name, event.cancelable, event.message, event.error?.message);
  if (event.error?.message !== "passed on") event.preventDefault();
};
add("error", listener);
queueMicrotask(() => { throw new Error("microtask"); });
setTimeout(() => {
  reportError(new Error("reported"));
  reportError("text");
  new EventTarget().dispatchEvent(new Event("x"));
  setTimeout(() => { throw new Error("passed on"); });
  setTimeout(() => {
    remove("error", listener);
    reportError(new Error("to process"));
    console.log("end");
  }, 5);
}, 1);

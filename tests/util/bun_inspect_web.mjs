// Bun.inspect of elements, timers, events, forms and prototypes.
// expected: recorded from bun 1.4.5 but for what it loses: numbers, objects and empty texts as children, names of arrow functions
const element = (type, props = {}, key = null) => ({ $$typeof: Symbol.for("react.element"), type, key, ref: null, props, _owner: null });
const newElement = (type, props = {}) => ({ $$typeof: Symbol.for("react.transitional.element"), type, key: null, props });
const fragment = Symbol.for("react.fragment");
function Foo() {}
class Baz {}
const Arrow = () => {};
const show = (value, options) => console.log(Bun.inspect(value, options));
show(element("div"));
show(newElement("div", { children: "text" }));
show(element("div", { a: 1, b: "x", c: true, d: null, e: undefined, f: Foo, g: { x: 1 }, h: [1, 2] }));
show(element("div", { a: 'quo"te', children: "te\"xt <" }, "k"));
show(element(Foo));
show(element(Baz, { a: 1 }, 5));
show(element(Arrow));
show(element(() => {}));
show(element(fragment, { children: "x" }));
show(element("div", { children: [element("p", { children: "x" }), "str", 5, null, true, element(Foo)] }));
show(element("div", { children: element("p", { a: 1, children: [element("b"), "t"] }) }));
show(element("div", { children: 5 }));
show(element("div", { "data-x": 1, children: "" }));
show([element("div"), { a: element("div", { children: [element("p"), "x"] }) }]);
show({ $$typeof: 1, type: "not one" });
const timeout = setTimeout(() => {}, 1);
const interval = setInterval(() => {}, 1000);
console.log(Bun.inspect(timeout) === `Timeout (#${+timeout})`, Bun.inspect(interval) === `Timeout (#${+interval}, repeats)`);
clearInterval(interval);
clearTimeout(timeout);
show(new URLSearchParams("a=1&b=2&a=3"));
const form = new FormData();
for (const value of ["1", "2", "3"]) form.append("a", value);
show(form);
show(new MessageEvent("message", { data: { a: 1 } }));
show({ event: new ErrorEvent("error", { message: "m", error: 5 }) });
const size = new Set();
Object.defineProperty(size, "size", { value: Set });
show(size);
for (const Class of [Request, Response, Blob, FormData, URL, URLSearchParams, Headers, Event, MessageEvent, CloseEvent, WebSocket, EventTarget])
  if (Bun.inspect(Class.prototype).length === 0) console.log(Class.name);
class Own {
  [Symbol.for("nodejs.util.inspect.custom")]() {
    throw new Error("own");
  }
}
try {
  show(new Own());
} catch (error) {
  console.log(error.message);
}

// expected: recorded from node 25.9.0
// What structuredClone makes of errors: the language's own, those that a program has changed, and classes of its own.
const show = (name, error) => {
  const copy = structuredClone(error);
  const place = error.stack.split("\n").find((line) => line.includes("at "));
  console.log(
    name,
    JSON.stringify(copy.message),
    copy.name,
    Object.prototype.toString.call(copy),
    copy instanceof Error,
    copy.constructor.name,
    copy !== error,
    Object.hasOwn(copy, "message"),
    Object.hasOwn(copy, "cause") ? copy.cause : "no cause",
    copy.stack.includes(place),
    Object.keys(copy).join(),
  );
};
for (const Class of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
  for (let i = 0; i < 3; i++) show(Class.name, new Class("text " + i));
}
show("no message", new TypeError());
show("cause", new Error("outer", { cause: "inner" }));
show("undefined cause", new Error("outer", { cause: undefined }));
show("own name", Object.assign(new Error("x"), { name: "RangeError" }));
show("other name", Object.assign(new TypeError("x"), { name: "Mine" }));
show("own properties", Object.assign(new Error("x"), { code: "E", data: { a: 1 } }));
show("number", Object.assign(new Error("x"), { message: 12 }));
class Mine extends RangeError {}
show("class", new Mine("mine"));
const thrown = (() => {
  try {
    null.property;
  } catch (error) {
    return error;
  }
})();
console.log("thrown", structuredClone(thrown).name, structuredClone(thrown).message === thrown.message);
const gone = new Error("gone");
delete gone.message;
show("deleted", gone);
const getter = new Error("x");
Object.defineProperty(getter, "message", { get: () => "read" });
console.log("getter", JSON.stringify(structuredClone(getter).message));
const named = new Error("x");
Object.defineProperty(named, "name", {
  get() {
    throw new Error("from the getter");
  },
});
try {
  structuredClone(named);
} catch (error) {
  console.log(error.message);
}
const inner = structuredClone({ list: [new TypeError("inner")], again: thrown });
console.log(inner.list[0] instanceof TypeError, inner.list[0].message, inner.again.name);
TypeError.prototype.name = "Changed";
console.log(structuredClone(new TypeError("x")).constructor.name);

// expected: recorded from node 25.9.0
// run() and exit() with the value that is there switch nothing: what enterWith() does inside stays.
import { AsyncLocalStorage } from "node:async_hooks";

const plain = new AsyncLocalStorage();
const others = new AsyncLocalStorage({ defaultValue: "default" });

plain.exit(() => plain.enterWith("of exit"));
console.log(plain.getStore());
plain.enterWith("same");
plain.run("same", () => plain.enterWith("of run"));
console.log(plain.getStore());
plain.run("other", () => plain.enterWith("gone"));
console.log(plain.getStore());
others.run("default", () => others.enterWith("of the default"));
console.log(others.getStore());
others.exit(() => others.enterWith("gone"));
console.log(others.getStore());
others.enterWith(NaN);
others.run(NaN, () => others.enterWith("of NaN"));
console.log(others.getStore());

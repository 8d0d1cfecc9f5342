// expected: recorded from node 25.9.0. import() looks up no `then` of functions of its own.
let looks = 0;
Object.defineProperty(Object.prototype, "then", {
  configurable: true,
  get() {
    looks++;
    return undefined;
  },
});
await import("data:text/javascript,");
await import("data:text/javascript,await 1");
await import("data:text/javascript,throw 1").catch(() => {});
delete Object.prototype.then;
console.log(looks);

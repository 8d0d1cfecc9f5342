// Storage and sessionStorage: what Node 25.8.1 prints.
const attempt = (run) => {
  try {
    return run();
  } catch (error) {
    return [error.constructor.name, error.name, error.code, error.message].join(" | ");
  }
};
const storage = sessionStorage;
console.log(storage instanceof Storage, storage.length, typeof storage.nothing);
storage.setItem("a", 1);
storage.b = { toString: () => "two" };
storage["c c"] = null;
console.log(storage.length, storage.a, storage.getItem("b"), storage["c c"], storage.getItem("none"), storage.key(9));
console.log(Object.keys(storage).sort(), JSON.stringify(storage), "a" in storage, "z" in storage);
console.log(Object.getOwnPropertyDescriptor(storage, "a"), delete storage.a, storage.a, delete storage.none);
storage.removeItem("b");
storage.removeItem("none");
console.log(storage.length, storage.key(0));
storage.getItem = "mine";
console.log(typeof storage.getItem, storage.getItem("getItem"));
console.log(attempt(() => new Storage()));
console.log(attempt(() => storage.setItem("a")));
console.log(attempt(() => storage.getItem()));
console.log(attempt(() => storage.key()));
console.log(attempt(() => storage.setItem("big", "x".repeat(6_000_000))), storage.getItem("big"));
console.log(attempt(() => Storage.prototype.getItem.call({}, "a")));
storage.clear();
console.log(storage.length, Object.keys(storage));

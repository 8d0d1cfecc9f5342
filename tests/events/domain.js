// Recorded from Node 25.8.1: which domain is active, and which one gets an error.
const domain = require("domain");
const EventEmitter = require("events");
const name = (value) => (value ? value.name : value);
console.log(name(process.domain), name(domain.active), domain._stack.length);
const outer = Object.assign(domain.create(), { name: "outer" });
const inner = Object.assign(domain.create(), { name: "inner" });
outer.on("error", (error) => console.log("outer:", error.message, name(error.domain), error.domainThrown, domain._stack.length, name(process.domain)));
inner.on("error", (error) => {
  console.log("inner:", error.message, name(error.domain), error.domainThrown, domain._stack.length, name(process.domain));
});
outer.run(() => {
  inner.run(() => {
    console.log(name(process.domain), domain._stack.length);
    const emitter = new EventEmitter();
    emitter.emit("error", new Error("emitted"));
    console.log(name(process.domain), domain._stack.length);
    setTimeout(() => {
      console.log("timer", name(process.domain));
      throw new Error("timer");
    }, 5);
    setTimeout(() => console.log("later timer", name(process.domain)), 10);
  });
});
console.log(name(process.domain), name(domain.active), domain._stack.length);
outer.run(() => {
  outer.run(() => new EventEmitter().emit("error", new Error("entered twice")));
});
// After the timers above, which are due before.
setTimeout(() => require("net").createServer().listen(0, "127.0.0.1", function () {
  this.close();
  outer.run(() => {
    const server = require("net").createServer(() => {
      server.close();
      console.log("connection", name(process.domain));
      throw new Error("connection");
    });
    server.listen(0, "127.0.0.1", () => require("net").connect(server.address().port, "127.0.0.1").on("error", () => {}).on("end", function () { this.destroy(); }).resume());
    setTimeout(() => process.exit(), 200).unref();
  });
}), 20);

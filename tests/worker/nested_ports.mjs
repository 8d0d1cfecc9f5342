// A port whose message holds a port, whose message holds a port, and so on: closing the first one ends them all, without a deep stack.
// expected: recorded from node 25.9.0
let head = new MessageChannel();
const tail = head;
for (let depth = 0; depth < 20_000; depth++) {
  const next = new MessageChannel();
  head.port2.postMessage(null, [next.port1]);
  head.port2.close();
  head = next;
}
head.port2.on("close", () => console.log("closed"));
tail.port1.close();
console.log("done");

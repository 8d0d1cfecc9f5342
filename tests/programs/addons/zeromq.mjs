import { Push, Pull, Request, Reply } from "zeromq";
const push = new Push(),
  pull = new Pull();
await push.bind("tcp://127.0.0.1:0");
pull.connect(push.lastEndpoint);
(async () => {
  for (let i = 0; i < 3; i++) await push.send(["m" + i, "part"]);
})();
let n = 0;
for await (const [a, b] of pull) {
  console.log(a.toString(), b.toString());
  if (++n === 3) break;
}
const reply = new Reply(),
  request = new Request();
await reply.bind("inproc://x");
request.connect("inproc://x");
(async () => {
  for await (const [m] of reply) {
    await reply.send(m.toString().toUpperCase());
    break;
  }
})();
await request.send("hi");
console.log((await request.receive()).toString());
push.close();
pull.close();
reply.close();
request.close();

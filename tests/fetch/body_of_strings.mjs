// expected: recorded from node 25.9
// A body is bytes, also one made of an iterable of strings.
import { Readable } from "node:stream";
async function* strings() {
  yield "é";
  yield new Uint8Array([1]);
}
for (const body of [strings(), Readable.from(["a", "bc"])]) {
  for await (const chunk of new Response(body).body) console.log(chunk);
}
const request = () => new Request("http://x/", { method: "POST", duplex: "half", body: Readable.from(["hé", "b"]) });
for await (const chunk of request().body) console.log(chunk);
console.log(await request().text());

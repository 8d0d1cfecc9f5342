// expected: recorded from node 25.9.0
// Streams of blobs: chunks, readers with memory of their own, cancelling, files that are empty or change.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blob-streams-"));
const file = (name, text) => {
  const at = path.join(folder, name);
  fs.writeFileSync(at, text);
  return fs.openAsBlob(at);
};
const text = (bytes) => new TextDecoder().decode(bytes);

async function collect(blob) {
  let all = "";
  for await (const chunk of blob.stream()) all += text(chunk);
  return all;
}

console.log(await collect(new Blob()) === "", await collect(new Blob(["abc", new Uint8Array(0), "", new Blob(["def"])])));
console.log((await collect(new Blob(["x".repeat(200000)]))).length);

// Each stream has its own bytes.
const shared = new Blob(["abc"]);
const { value: first } = await shared.stream().getReader().read();
first.fill(0);
console.log(await shared.text(), await collect(shared));

// A reader with memory of its own.
const own = new Blob(["abcdef"]).stream().getReader({ mode: "byob" });
let part = await own.read(new Uint8Array(4));
console.log(part.done, text(part.value));
part = await own.read(new Uint8Array(4));
console.log(part.done, text(part.value));
part = await own.read(new Uint8Array(4));
console.log(part.done, part.value.byteLength);
await own.closed;
const none = new Blob().stream().getReader({ mode: "byob" });
part = await none.read(new Uint8Array(4));
console.log(part.done, part.value.byteLength, part.value.buffer.byteLength);

// Cancelled before, between and after reads.
const unread = new Blob(["abc"]).stream();
console.log(await unread.cancel("why"), (await unread.getReader().read()).done);
const half = new Blob(["abc", "def"]).stream().getReader();
await half.read();
console.log(await half.cancel(), (await half.read()).done);

// Two reads at once, and a copy for each of two branches.
const twice = new Blob(["abc"]).stream().getReader();
console.log((await Promise.all([twice.read(), twice.read()])).map(({ done }) => done).join());
const [left, right] = new Blob(["abc"]).stream().tee();
console.log(await new Response(left).text(), await new Response(right).text());

// Files: whole, a range, an empty one among others, one that has changed.
const whole = await file("whole", "0123456789");
console.log(await collect(whole), await collect(whole.slice(2, 5)), await collect(new Blob(["<", whole.slice(8), ">"])));
const empty = await file("empty", "");
console.log(await collect(empty) === "", await collect(new Blob(["<", empty, ">"])));
const changed = await file("changed", "before");
fs.writeFileSync(path.join(folder, "changed"), "after that");
console.log(await collect(changed).catch((error) => error.name));
const filled = await file("filled", "");
fs.writeFileSync(path.join(folder, "filled"), "no more empty");
console.log(await collect(filled).catch((error) => error.name));
const leaves = whole.stream().getReader();
const pending = leaves.read();
await leaves.cancel();
console.log((await pending).done);

const stream = new Blob(["abc"]).stream();
console.log(stream instanceof ReadableStream, stream.locked, Object.prototype.toString.call(stream));
fs.rmSync(folder, { recursive: true });

// Files of Bun.file are cloned as the same file; bun:jsc keeps Blobs and Files in its bytes; process.env is a plain object for clones.
// expected: written by hand
import { deserialize, serialize } from "bun:jsc";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
const folder = mkdtempSync("/tmp/bao-stored-");
const path = `${folder}/a.txt`;
writeFileSync(path, "0123456789");
const copies = {
  structuredClone,
  bytes: (value) => deserialize(serialize(value)),
  buffer: (value) => deserialize(serialize(value, { binaryType: "nodebuffer" })),
};
for (const [name, copy] of Object.entries(copies)) {
  console.log(name);
  const { whole, part, descriptor } = copy({
    whole: Bun.file(path),
    part: Bun.file(path, { type: "image/png" }).slice(2, 5),
    descriptor: Bun.file(openSync(path)),
  });
  console.log(whole.name === path, whole.size, await whole.text(), whole.lastModified === Bun.file(path).lastModified);
  console.log(part.type, part.size, await part.text());
  console.log(descriptor.name, await descriptor.text());
  const blob = copy(new Blob(["a", new Uint8Array([98])], { type: "x/y" }));
  console.log(blob instanceof Blob, blob instanceof File, blob.type, await blob.text());
  const [file] = copy([new File(["f"], "f.txt", { type: "t/t", lastModified: 5 })]);
  console.log(file instanceof File, file.name, file.type, file.lastModified, await file.text());
  const error = copy(new DOMException("m", "AbortError"));
  console.log(error instanceof DOMException, error.code, error.message);
}
// What is nothing outside of the process, and bytes that ask for it all the same.
for (const value of [new MessageChannel().port1, new (await import("node:net")).BlockList(), () => {}]) {
  try {
    serialize(value);
  } catch (error) {
    console.log(error.name, error.message);
  }
}
const { serialize: write } = await import("node:v8");
const forged = { "\u0000bao.message": { "\u0000bao.object": ["web/message_port", "receivePort", 1] } };
try {
  deserialize(write(forged));
} catch (error) {
  console.log(error.name, error.message);
}

const { HOME } = process.env;
console.log(structuredClone({ deep: [process.env] }).deep[0].HOME === HOME);
const { port1, port2 } = new MessageChannel();
port2.onmessage = ({ data }) => {
  console.log(data.env.HOME === HOME, data.list[0] === data.env, Object.getPrototypeOf(data.env) === Object.prototype);
  port2.close();
};
port1.postMessage({ env: process.env, list: [process.env] });
for (const value of [{ proxy: new Proxy({}, {}) }, { env: process.env, f() {} }]) {
  try {
    port1.postMessage(value);
  } catch (error) {
    console.log(error.name);
  }
}
rmSync(folder, { recursive: true });

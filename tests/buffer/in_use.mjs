// A buffer that native work is done on cannot be transferred or resized until the work has told its result. Otherwise its memory would be
// freed and given to somebody else while the work goes on.
import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { MessageChannel } from "node:worker_threads";

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "bao-in-use-"));
const SIZE = 65536;
const input = path.join(dir, "in");
fs.writeFileSync(input, Buffer.alloc(SIZE, 0x41));
const fd = fs.openSync(input, "r");
const out = fs.openSync(path.join(dir, "out"), "w");

const attempt = (action) => {
  try {
    action();
    return "done";
  } catch (error) {
    return error.name;
  }
};
const operations = {
  "fs.read": (view, done) => fs.read(fd, view, 0, view.byteLength, 0, done),
  "fs.readv": (view, done) => fs.readv(fd, [view], 0, done),
  "FileHandle.read": (view, done) => fs.promises.open(input).then((handle) => handle.read(view).then(() => handle.close())).then(() => done(null), done),
  "fs.write": (view, done) => fs.write(out, view, 0, view.byteLength, 0, done),
  "fs.promises.writeFile": (view, done) => fs.promises.writeFile(path.join(dir, "whole"), view).then(() => done(null), done),
  "randomFill": (view, done) => crypto.randomFill(view, done),
  "deflate": (view, done) => zlib.deflate(view, done),
};
for (const [name, start] of Object.entries(operations)) {
  // Keeps the pool busy.
  let busy = 6;
  const free = Promise.withResolvers();
  for (let i = busy; i > 0; i--) crypto.pbkdf2("a", "b", 20000, 64, "sha512", () => --busy === 0 && free.resolve());
  let buffer = new ArrayBuffer(SIZE);
  const view = new Uint8Array(buffer).fill(0x42);
  const ended = Promise.withResolvers();
  start(view, (error) => ended.resolve(error ? error.message : "ended"));
  // A file handle is opened first.
  if (name === "FileHandle.read") await new Promise((resolve) => setTimeout(resolve, 0));
  const { port1 } = new MessageChannel();
  const first = new ArrayBuffer(10);
  const tried = name === "FileHandle.read" ? ["-"] : [
    attempt(() => buffer.transfer()), attempt(() => structuredClone(buffer, { transfer: [first, buffer] })), attempt(() => port1.postMessage(buffer, [buffer])),
    first.byteLength,
  ];
  port1.close();
  Bun.gc(true);
  const others = Array.from({ length: 16 }, () => new Uint8Array(SIZE));
  console.log(name, ...tried, await ended.promise, others.some((other) => other.some((byte) => byte !== 0)), attempt(() => buffer.transfer()), buffer.byteLength);
  await free.promise;
}
console.log("written", new Set(fs.readFileSync(path.join(dir, "out"))), new Set(fs.readFileSync(path.join(dir, "whole"))));

// Several operations on one buffer: the last one counts. And resizable buffers, and a WebAssembly memory.
{
  const buffer = new ArrayBuffer(1000);
  const three = Promise.all([0, 100, 200].map((at) => new Promise((resolve) => fs.read(fd, new Uint8Array(buffer, at, 50), 0, 50, 0, resolve))));
  console.log("shared by three", attempt(() => buffer.transfer()));
  // One that is over does not free what others use.
  let free = 0;
  const long = crypto.randomBytes(4 << 20).buffer;
  for (const level of [1, 9]) zlib.deflate(new Uint8Array(long), { level, chunkSize: 8 << 20 }, () => free++);
  const each = new Set();
  while (free < 2) {
    await new Promise((resolve) => fs.read(fd, new Uint8Array(long), 0, 1, 0, resolve));
    if (free === 0) each.add(attempt(() => long.transfer()));
    await new Promise(setImmediate);
  }
  await three;
  console.log("afterwards", ...each, attempt(() => buffer.transfer()), attempt(() => long.transfer()));

  const resizable = new ArrayBuffer(100, { maxByteLength: 10000 });
  let ended = new Promise((resolve) => fs.read(fd, new Uint8Array(resizable), 0, 100, 0, resolve));
  console.log("resizable", attempt(() => resizable.resize(0)), resizable.byteLength);
  await ended;
  console.log("afterwards", attempt(() => resizable.resize(0)), resizable.byteLength);

  const memory = new WebAssembly.Memory({ initial: 1, maximum: 10 });
  const view = new Uint8Array(memory.buffer);
  ended = new Promise((resolve) => fs.read(fd, view, 0, SIZE, 0, resolve));
  console.log("memory", attempt(() => memory.grow(1)), memory.buffer.byteLength / SIZE);
  await ended;
  console.log("afterwards", view[SIZE - 1], attempt(() => memory.grow(1)), memory.buffer.byteLength / SIZE);

  const shared = new SharedArrayBuffer(100);
  await Promise.all([1, 2].map(() => new Promise((resolve) => fs.read(fd, new Uint8Array(structuredClone(shared)), 0, 100, 0, resolve))));
  console.log("shared memory", new Uint8Array(shared)[99]);
}

// Streams hand buffers on by transferring them, once nothing is done on them any more.
{
  const handle = await fs.promises.open(input);
  const reader = handle.readableWebStream({ type: "bytes" }).getReader({ mode: "byob" });
  let total = 0;
  let view = new Uint8Array(10000);
  for (;;) {
    const { done, value } = await reader.read(view);
    if (done) break;
    total += value.byteLength;
    view = new Uint8Array(value.buffer);
  }
  await handle.close();
  console.log("byte stream of a FileHandle", total);
  total = 0;
  for await (const chunk of Bun.file(input).stream()) total += chunk.byteLength;
  console.log("stream of a file", total);
  const small = new Response(Bun.file(input).stream().pipeThrough(new CompressionStream("gzip")).pipeThrough(new DecompressionStream("gzip")));
  console.log("there and back", (await small.arrayBuffer()).transfer().byteLength);
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: async (request) => new Response((await request.arrayBuffer()).transfer()) });
  console.log("over fetch", (await (await fetch(server.url, { method: "POST", body: new Uint8Array(100000) })).arrayBuffer()).transfer().byteLength);
  await server.stop(true);
  const child = Bun.spawn(["cat"], { stdin: "pipe", stdout: "pipe" });
  const bytes = new Uint8Array(300000).fill(1);
  child.stdin.write(bytes);
  await child.stdin.end();
  const back = await new Response(child.stdout).arrayBuffer();
  console.log("through a pipe", back.byteLength, attempt(() => bytes.buffer.transfer()));
}
fs.closeSync(fd);
fs.closeSync(out);
fs.rmSync(dir, { recursive: true });

// Objects of the platform in messages, at any depth. Recorded from Node 25.8.1.
import { MessageChannel, markAsUncloneable, receiveMessageOnPort, Worker } from "node:worker_threads";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { BlockList, SocketAddress } from "node:net";
import { createHistogram } from "node:perf_hooks";

const { port1, port2 } = new MessageChannel();
const there = (value, list) => {
  port1.postMessage(value, list);
  return receiveMessageOnPort(port2).message;
};
const refused = (run) => {
  try {
    run();
    return "cloned";
  } catch (error) {
    return `${error.name} ${error.code} ${error.message}`;
  }
};

{
  const blob = new Blob(["some ", "text"], { type: "text/plain" });
  const file = new File(["of a file"], "name.txt", { type: "a/b", lastModified: 5 });
  for (const copy of [there({ list: [blob, blob], map: new Map([["file", file]]) }), structuredClone({ list: [blob, blob], map: new Map([["file", file]]) })]) {
    const other = copy.map.get("file");
    console.log(copy.list[0] === copy.list[1], copy.list[0] instanceof Blob, copy.list[0].type, await copy.list[0].text());
    console.log(other instanceof File, other.name, other.lastModified, await other.text());
  }
  console.log(await there(blob).text(), (await structuredClone([file])[0].text()).length);
}
{
  const list = new BlockList();
  list.addAddress("1.2.3.4");
  list.addSubnet("8592:757c:efae:4e45::", 64, "ipv6");
  const copy = there({ deep: { list } }).deep.list;
  console.log(BlockList.isBlockList(copy), copy.check("1.2.3.4"), copy.check("1.2.3.5"), copy.rules.length);
  const address = there([new SocketAddress({ address: "::1", port: 80, family: "ipv6", flowlabel: 7 })])[0];
  console.log(address.address, address.port, address.family, address.flowlabel, address instanceof SocketAddress);
}
{
  const histogram = createHistogram();
  for (let i = 1; i <= 100; i++) histogram.record(i);
  const copy = there({ histogram }).histogram;
  console.log(copy.count, copy.min, copy.max, copy.mean, copy.percentile(50), typeof copy.record);
}
{
  const handle = await open(new URL(import.meta.url));
  console.log(refused(() => port1.postMessage({ handle })));
  const { fd } = handle;
  const copy = there({ handle }, [handle]).handle;
  console.log(handle.fd, copy.fd === fd, (await copy.read(Buffer.alloc(2), 0, 2, 0)).buffer.toString());
  await copy.close();
}
{
  const error = new DOMException("a message", "DataCloneError");
  const copy = there({ error }).error;
  console.log(copy instanceof DOMException, copy.name, copy.message, copy.code, copy.stack === error.stack);
}
for (const value of [new URL("http://a/"), new Headers(), new Response(), new Request("http://a/")]) {
  console.log(refused(() => structuredClone({ deep: [value] })));
}
{
  const other = new MessageChannel();
  console.log(refused(() => port1.postMessage({ port: other.port1 })), refused(() => port1.postMessage([new ReadableStream()])));
  console.log(refused(() => port1.postMessage(1, [other.port1, other.port1])), refused(() => port1.postMessage(1, [port1])));
  other.port1.close();
  console.log(refused(() => port1.postMessage(1, [other.port1])));
}
{
  const marked = { a: 1 };
  markAsUncloneable(marked);
  const bytes = new Uint8Array([1, 2]);
  markAsUncloneable(bytes);
  markAsUncloneable(5);
  console.log(refused(() => structuredClone({ marked })), refused(() => port1.postMessage([marked])), there({ bytes, other: { a: 1 } }));
}
{
  const module = new WebAssembly.Module(
    new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11]),
  );
  const worker = new Worker(
    `const { parentPort } = require('worker_threads');
     parentPort.once('message', ({ module, memory }) => {
       new Int32Array(memory.buffer)[1] = 7;
       parentPort.postMessage([new WebAssembly.Instance(module).exports.f(), module]);
     });`,
    { eval: true },
  );
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  worker.postMessage({ module, memory });
  const [[number, back]] = await once(worker, "message");
  console.log(number, back instanceof WebAssembly.Module, new Int32Array(memory.buffer)[1]);
  console.log(structuredClone({ module }).module instanceof WebAssembly.Module, refused(() => structuredClone(new WebAssembly.Instance(module))));
}
port1.close();

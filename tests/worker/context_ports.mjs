// Ports in contexts of node:vm: objects of the context's own classes, whose messages are as well.
import vm from "node:vm";
import { MessageChannel, moveMessagePortToContext } from "node:worker_threads";
import { once } from "node:events";

const context = vm.createContext({ log: console.log });
const { port1, port2 } = new MessageChannel();
context.port = moveMessagePortToContext(port1, context);
vm.runInContext(`
  log(port instanceof Object, port.constructor.name, port.onmessage, typeof port.on);
  port.onmessage = (event) => {
    const { data, ports, type, target } = event;
    log(type, target === port, data instanceof Object, data.list instanceof Array, data.map instanceof Map, ports.length, ports[0] === data.port);
    data.port.onmessage = ({ data }) => log("through the second", data);
    data.port.start();
    data.port.ref();
    data.port.postMessage("from inside");
    port.postMessage({ answer: new Date(0) });
  };
  port.start();
  port.ref();
  for (const value of [() => {}, Symbol()]) {
    try {
      port.postMessage(value);
    } catch (error) {
      log(error instanceof Error, error.constructor.name, error.name, error.code);
    }
  }
  try {
    port.postMessage(1, 2);
  } catch (error) {
    log(error instanceof TypeError, error.code);
  }
  try {
    port.postMessage({ get x() { throw new RangeError("mine"); } });
  } catch (error) {
    log(error instanceof RangeError, error.message);
  }
`, context);

const second = new MessageChannel();
port2.postMessage({ list: [1], map: new Map(), port: second.port1 }, [second.port1]);
const [message] = await once(port2, "message");
console.log(message.answer instanceof Date);
const [inside] = await once(second.port2, "message");
console.log(inside);
second.port2.postMessage("once more");
await new Promise((resolve) => setTimeout(resolve, 5));

// What has no class there: an error as an event.
context.port.onmessageerror = undefined;
vm.runInContext("port.onmessageerror = ({ data, type }) => log(type, data instanceof Error, data.code); port.onmessage = ({ data }) => log(data)", context);
port2.postMessage(new Blob(["x"]));
port2.postMessage("after it");
await new Promise((resolve) => setTimeout(resolve, 5));

// Out of the context again, by a transfer list; then it is of no use there.
const outside = new MessageChannel();
outside.port1.postMessage(null, [context.port]);
const [{ ports: [moved] }] = await Promise.all([new Promise((resolve) => { outside.port2.onmessage = resolve; })]);
port2.postMessage("home");
console.log(await new Promise((resolve) => { moved.onmessage = ({ data }) => resolve(data); }));
vm.runInContext("port.postMessage('nobody hears')", context);
for (const bad of [null, {}, context.port]) {
  try {
    moveMessagePortToContext(bad, context);
  } catch ({ code }) {
    console.log(code);
  }
}
try {
  moveMessagePortToContext(new MessageChannel().port1, {});
} catch ({ code }) {
  console.log(code);
}
for (const port of [port2, second.port2, outside.port1]) port.close();

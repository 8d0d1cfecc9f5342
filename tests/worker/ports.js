// Message ports in one thread. Recorded from Node 25.8.1.
const { MessageChannel, MessagePort, receiveMessageOnPort, BroadcastChannel, markAsUntransferable } = require("node:worker_threads");
const log = (...values) => console.log(...values);
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

async function main() {
  {
    const { port1, port2 } = new MessageChannel();
    log(port1 instanceof MessagePort, port1 instanceof EventTarget);
    const cycle = { list: [1, , 3], map: new Map([["k", new Set([1n])]]), date: new Date(0), text: "\ud800ä" };
    cycle.self = cycle;
    port1.postMessage(cycle);
    port1.postMessage("second");
    const got = receiveMessageOnPort(port2).message;
    log(got, got.self === got, 1 in got.list);
    log(receiveMessageOnPort(port2), receiveMessageOnPort(port2));
    port2.on("message", (value) => log("on", value));
    port2.addEventListener("message", (event) => log("event", event.data, event.type, event.ports.length, event.target === port2));
    port1.postMessage({ a: 1 });
    port1.postMessage(undefined);
    log(port2.hasRef(), port1.hasRef());
    await tick();
    port2.on("close", () => log("port2 close"));
    port1.on("close", () => log("port1 close"));
    port1.close(() => log("callback"));
    port1.postMessage("nothing");
    await tick();
    port2.postMessage("nothing");
  }
  {
    // A port through a port, at any depth; what was posted before it travelled arrives after.
    const outer = new MessageChannel();
    const inner = new MessageChannel();
    inner.port1.postMessage("early");
    outer.port1.postMessage({ deep: [{ port: inner.port2 }] }, [inner.port2]);
    try {
      outer.port1.postMessage(1, [inner.port2]);
    } catch (error) {
      log(error.name, error.code);
    }
    outer.port2.onmessage = ({ data, ports }) => {
      log(ports.length, ports[0] === data.deep[0].port);
      data.deep[0].port.onmessage = ({ data: text }) => {
        log("inner", text);
        if (text === "late") {
          inner.port1.close();
          outer.port1.close();
        }
      };
    };
    await tick();
    inner.port1.postMessage("late");
    await tick();
  }
  {
    const { port1, port2 } = new MessageChannel();
    const buffer = new ArrayBuffer(8);
    new Uint8Array(buffer)[3] = 7;
    port1.postMessage(buffer, [buffer]);
    log(buffer.byteLength, new Uint8Array(receiveMessageOnPort(port2).message)[3]);
    const shared = new SharedArrayBuffer(4);
    port1.postMessage({ shared });
    new Int32Array(receiveMessageOnPort(port2).message.shared)[0] = 5;
    log(new Int32Array(shared)[0]);
    for (const [value, list] of [[() => {}], [Symbol("s")], [{ f() {} }], [1, [port1]], [1, [{}]], [port1], [new WeakMap()], [1, 5], [1, { transfer: 5 }]]) {
      try {
        port1.postMessage(value, list);
        log("sent", typeof value);
      } catch (error) {
        log(error.name, error.code, error instanceof DOMException);
      }
    }
    try {
      port1.postMessage();
    } catch (error) {
      log(error.name, error.message);
    }
    try {
      new MessagePort();
    } catch (error) {
      log(error.name, error.message);
    }
    const kept = new ArrayBuffer(1);
    markAsUntransferable(kept);
    for (const send of [() => port1.postMessage(kept, [kept]), () => structuredClone(kept, { transfer: [kept] })]) {
      try {
        send();
      } catch (error) {
        log(error.name, kept.byteLength);
      }
    }
    port1.unref();
    const error = new RangeError("m", { cause: 1 });
    port1.postMessage(error);
    const copy = receiveMessageOnPort(port2).message;
    log(copy instanceof RangeError, copy.message, copy.cause, copy.stack === error.stack);
    port1.postMessage(new Blob(["blob ", "content"], { type: "text/x" }));
    const blob = receiveMessageOnPort(port2).message;
    log(blob instanceof Blob, blob.type, await blob.text());
    port1.close();
  }
  {
    const one = new BroadcastChannel("room");
    const two = new BroadcastChannel("room");
    const other = new BroadcastChannel("another");
    two.onmessage = ({ data, type }) => log("two", type, data);
    one.onmessage = ({ data }) => log("one", data);
    other.onmessage = () => log("never");
    one.postMessage({ hello: [1] });
    await tick();
    two.postMessage("back");
    await tick();
    log(one.name);
    one.close();
    try {
      one.postMessage(1);
    } catch (error) {
      log(error.name);
    }
    two.close();
    other.close();
  }
  {
    // Streams and ports by structuredClone.
    const { port1, port2 } = new MessageChannel();
    const moved = structuredClone({ port2 }, { transfer: [port2] }).port2;
    moved.onmessage = ({ data }) => {
      log("moved", data);
      moved.close();
    };
    port1.postMessage("hi");
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue("a");
        controller.enqueue({ b: 1 });
        controller.close();
      },
    });
    const copy = structuredClone(stream, { transfer: [stream] });
    for await (const chunk of copy) log("chunk", chunk);
  }
}
main().then(() => log("end"));

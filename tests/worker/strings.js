// Strings of every kind posted alone: through a port, to a worker and back, by structuredClone. Recorded from Node 25.8.1.
const { MessageChannel, receiveMessageOnPort, Worker } = require("node:worker_threads");
const { once } = require("node:events");
const fs = require("node:fs");

const long = JSON.stringify({ text: "abc".repeat(30000) });
const wide = JSON.stringify({ text: "ab€".repeat(30000) });
const texts = {
  empty: "",
  "one character": "x",
  short: "hello world",
  "as long as fits": "x".repeat(37) + "y",
  "one more": "x".repeat(38) + "y",
  latin1: "é".repeat(50),
  "two bytes": "€".repeat(50),
  "two bytes, short": "€uro",
  surrogates: "\u{1f600}".repeat(40),
  "lone surrogates": "\ud800" + "a".repeat(100) + "\udc00",
  zeros: "a\0b".repeat(100),
  json: long,
  "wide json": wide,
  rope: "abc".repeat(1000) + long.length + "def".repeat(1000),
  "large part": long.slice(3, -3),
  "small part": long.slice(100, 200),
  "middle part": long.slice(100, 9000),
  "wide part": wide.slice(11, 50011),
  file: fs.readFileSync(__filename, "latin1").repeat(3).slice(1),
  atom: Object.keys({ ["k".repeat(2000)]: 1 })[0],
  number: String(12345.678),
};

async function main() {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(
    "const { parentPort } = require('worker_threads'); parentPort.on('message', (text) => parentPort.postMessage(text));",
    { eval: true },
  );
  for (const [name, text] of Object.entries(texts)) {
    port1.postMessage(text);
    // Twice: the second time it has what the first has made.
    port1.postMessage(text);
    const first = receiveMessageOnPort(port2).message;
    const second = receiveMessageOnPort(port2).message;
    worker.postMessage(text);
    const [back] = await once(worker, "message");
    const inside = structuredClone({ text, list: [text, text] });
    console.log(name, text.length, first === text, second === text, back === text, structuredClone(text) === text, inside.text === text && inside.list[1] === text);
  }
  // What is appended to a string that another thread has does not show there.
  let growing = "start".repeat(1000);
  worker.postMessage(growing);
  growing += "!";
  growing += "?".repeat(5000);
  const [seen] = await once(worker, "message");
  console.log(seen === "start".repeat(1000), growing.length);
  worker.terminate();
  port1.close();
}
main();

// The iterator-style operators of Readable, compose, Duplex.from, abort signals, consumers.
const { Readable, Duplex, Writable, PassThrough, compose, addAbortSignal, isErrored, isReadable } = require("stream");
const { pipeline, finished } = require("stream/promises");
const consumers = require("stream/consumers");

async function main() {
  const numbers = () => Readable.from([1, 2, 3, 4, 5, 6]);
  console.log(await numbers().filter((n) => n % 2 === 0).map((n) => n * 10).toArray());
  console.log(await numbers().drop(2).take(3).toArray());
  console.log(await numbers().some((n) => n > 5), await numbers().every((n) => n > 1), await numbers().find((n) => n > 3));
  console.log(await numbers().flatMap((n) => [n, -n]).take(4).toArray());
  console.log(await numbers().reduce((sum, n) => sum + n), await numbers().reduce((sum, n) => sum + n, 100));
  await numbers().take(2).forEach((n) => console.log("each", n));

  let running = 0;
  let most = 0;
  const slow = await numbers().map(async (n) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 8 - n));
    running--;
    return n;
  }, { concurrency: 2 }).toArray();
  console.log(slow, most);

  await Readable.from([]).reduce((a, b) => a + b).catch((error) => console.log(error.name, error.code, error.message));
  for (const bad of [() => numbers().map(1), () => numbers().take(-1), () => numbers().map((n) => n, { concurrency: 0 })]) {
    try { bad(); } catch (error) { console.log(error.code); }
  }

  const shout = compose(
    async function* (source) { for await (const chunk of source) yield String(chunk).toUpperCase(); },
    async function* (source) { for await (const chunk of source) yield chunk + "!"; },
  );
  shout.end("composed");
  console.log(await consumers.text(shout));

  const counter = Duplex.from(async function (source) {
    let length = 0;
    for await (const chunk of source) length += chunk.length;
    console.log("length", length);
  });
  counter.write("abc");
  counter.end("de");
  await finished(counter);
  console.log(await Duplex.from(Promise.resolve("later")).toArray());
  console.log(await Duplex.from(["i", "t"]).toArray());

  const controller = new AbortController();
  const stuck = addAbortSignal(controller.signal, new PassThrough());
  setTimeout(() => controller.abort(), 1);
  await finished(stuck).catch((error) => console.log(error.name, error.code, stuck.destroyed, isErrored(stuck), isReadable(stuck)));

  const aborted = AbortSignal.abort();
  await pipeline(numbers(), new Writable({ objectMode: true, write(c, e, cb) { cb(); } }), { signal: aborted })
    .catch((error) => console.log(error.name));

  console.log(await consumers.json(Readable.from(['{"a":', "[1]}"])));
  console.log((await consumers.buffer(Readable.from([Buffer.from("ab"), Buffer.from("cd")]))).toString("hex"));
  console.log((await consumers.arrayBuffer(Readable.from(["xyz"]))).byteLength);
}

main();

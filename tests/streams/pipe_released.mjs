// What a pipe leaves behind: both streams are free again, and nothing is reported.
process.on("unhandledRejection", (reason) => console.log("unhandled", reason));
const source = (chunks, fail) => new ReadableStream({
  pull(controller) {
    if (chunks.length > 0) controller.enqueue(chunks.shift());
    else if (fail) controller.error(new Error(fail));
    else controller.close();
  },
});
const sink = (log, fail) => new WritableStream({
  write(chunk) {
    if (chunk === fail) throw new Error(`not ${chunk}`);
    log.push(chunk);
  },
  close() { log.push("closed"); },
  abort(reason) { log.push(`aborted: ${reason.message}`); },
});
const locks = (...streams) => streams.map((stream) => stream.locked).join();
const outcome = (promise) => promise.then(() => "done", (error) => `${error.name}: ${error.message}`);

for (const [chunks, readFails, writeFails, options] of [
  [["a", "b"], undefined, undefined, {}],
  [["a", "b"], "broken", undefined, {}],
  [["a", "b"], undefined, "b", {}],
  [["a", "b"], undefined, undefined, { preventClose: true }],
  [["a", "b"], "broken", undefined, { preventAbort: true }],
  [["a", "b", "c"], undefined, "b", { preventCancel: true }],
]) {
  const log = [];
  const from = source(chunks, readFails);
  const to = sink(log, writeFails);
  const piped = from.pipeTo(to, options);
  const during = locks(from, to);
  console.log(await outcome(piped), log.join(), during, locks(from, to));
}

{
  const log = [];
  const to = sink(log);
  await source(["a"]).pipeTo(to, { preventClose: true });
  await source(["b"]).pipeTo(to, { preventClose: true });
  const writer = to.getWriter();
  await writer.write("c");
  await writer.close();
  console.log(log.join(), await outcome(writer.closed));
}
{
  const closed = sink([]);
  await closed.close();
  const from = source(["a"]);
  const error = await from.pipeTo(closed).catch((error) => error);
  console.log(error.name, locks(from, closed));
}
{
  const controller = new AbortController();
  const log = [];
  const from = new ReadableStream({ cancel(reason) { log.push(`cancelled: ${reason.message}`); } });
  const to = sink(log);
  const piped = outcome(from.pipeTo(to, { signal: controller.signal }));
  controller.abort(new Error("enough"));
  console.log(await piped, log.sort().join(), locks(from, to));
}
const chain = source(["x", "y"]).pipeThrough(new TransformStream({ transform(chunk, controller) { controller.enqueue(chunk + chunk); } }));
console.log(await Array.fromAsync(chain));
await new Promise((resolve) => setTimeout(resolve, 10));

// WHATWG streams: sources, sinks, backpressure, tee, pipes, byte streams, iteration, errors, adapters.
const { Readable, Writable, Duplex, PassThrough } = require("stream");
const text = (chunk) => new TextDecoder().decode(chunk);

async function main() {
  const log = (...args) => console.log(...args);

  log("# default source and backpressure");
  {
    let pulls = 0;
    const stream = new ReadableStream({
      start(c) { log("start", c.desiredSize); },
      pull(c) { c.enqueue(++pulls); if (pulls === 3) c.close(); },
      cancel(reason) { log("cancel", reason); },
    }, new CountQueuingStrategy({ highWaterMark: 2 }));
    const reader = stream.getReader();
    log(stream.locked, await reader.read(), await reader.read(), await reader.read(), await reader.read());
    await reader.closed;
    reader.releaseLock();
    log(stream.locked);
  }

  log("# writable: order, ready, abort");
  {
    const ws = new WritableStream({
      write(chunk) { log("write", chunk); }, close() { log("close"); },
    }, { highWaterMark: 2 });
    const writer = ws.getWriter();
    log(writer.desiredSize);
    writer.write(1);
    writer.write(2);
    log(writer.desiredSize);
    await writer.ready;
    log("ready", writer.desiredSize);
    await writer.close();
    await writer.write(3).catch((error) => log(error.name));

    const failing = new WritableStream({
      write() { throw new Error("disk full"); }, abort(reason) { log("abort", reason); },
    });
    const w2 = failing.getWriter();
    await w2.write("x").catch((error) => log(error.message));
    await w2.closed.catch((error) => log("closed:", error.message));
    const aborting = new WritableStream({ abort(reason) { log("sink abort", reason); } });
    await aborting.abort("why not");
  }

  log("# transform, pipeThrough, pipeTo");
  {
    const seen = [];
    await new ReadableStream({ start(c) { for (const n of [1, 2, 3]) c.enqueue(n); c.close(); } })
      .pipeThrough(new TransformStream({
        transform(n, c) { c.enqueue(n * 2); }, flush(c) { c.enqueue("end"); },
      }))
      .pipeTo(new WritableStream({ write(chunk) { seen.push(chunk); }, close() { seen.push("closed"); } }));
    log(seen);
    const error = new Error("source failed");
    const sink = new WritableStream({ abort(reason) { log("aborted with", reason.message); } });
    await new ReadableStream({ start(c) { c.error(error); } }).pipeTo(sink).catch((e) => log(e === error));
    const signal = AbortSignal.abort("stop");
    await new ReadableStream({ cancel(r) { log("cancelled", r); } }).pipeTo(new WritableStream(), { signal }).catch((e) => log("pipe:", e));
  }

  log("# tee and iteration");
  {
    const [a, b] = ReadableStream.from(["x", "y"]).tee();
    const collect = async (stream) => { const out = []; for await (const chunk of stream) out.push(chunk); return out; };
    log(await Promise.all([collect(a), collect(b)]));
    const stream = new ReadableStream({ start(c) { c.enqueue(1); c.enqueue(2); }, cancel() { log("cancelled by break"); } });
    for await (const chunk of stream) { log("chunk", chunk); break; }
    log(stream.locked);
  }

  log("# bytes");
  {
    const stream = new ReadableStream({
      type: "bytes",
      pull(c) {
        const { byobRequest } = c;
        if (byobRequest) { byobRequest.view[0] = 65; byobRequest.view[1] = 66; byobRequest.respond(2); }
        else c.enqueue(new TextEncoder().encode("default"));
      },
    });
    const byob = stream.getReader({ mode: "byob" });
    const buffer = new Uint8Array(8);
    const { value } = await byob.read(buffer);
    log(text(value), value.byteLength, value.buffer.byteLength, buffer.byteLength);
    byob.releaseLock();
    log(text((await stream.getReader().read()).value));
    try { new ReadableStream({}).getReader({ mode: "byob" }); } catch (error) { log(error.name); }
  }

  log("# brand checks and shapes");
  {
    for (const fn of [
      () => new ReadableStreamDefaultController(), () => ReadableStream.prototype.getReader.call({}),
      () => new ReadableStream(null), () => new ReadableStream({ type: "nope" }), () => new WritableStream({ type: "x" }),
      () => new ReadableStream({}, { highWaterMark: -1 }), () => new CountQueuingStrategy(),
    ]) {
      try { fn(); log("no error"); } catch (error) { log(error.name); }
    }
    log(String(new ReadableStream()), ReadableStream.length, ReadableStream.prototype.pipeThrough.length,
      Object.keys(ReadableStream.prototype).slice(0, 7).join(), ReadableStream.prototype.values === ReadableStream.prototype[Symbol.asyncIterator]);
    log(new ReadableStream(), new WritableStream(), new CountQueuingStrategy({ highWaterMark: 3 }));
  }

  log("# text");
  {
    const encoded = new ReadableStream({ start(c) { c.enqueue("\ud83d"); c.enqueue("\ude00 ok"); c.close(); } })
      .pipeThrough(new TextEncoderStream());
    let out = "";
    for await (const chunk of encoded.pipeThrough(new TextDecoderStream())) out += chunk;
    log(out, new TextDecoderStream("utf-16le").encoding);
  }

  log("# adapters");
  {
    const fromNode = Readable.toWeb(Readable.from([Buffer.from("no"), Buffer.from("de")]));
    let out = "";
    for await (const chunk of fromNode) out += typeof chunk === "string" ? chunk : text(chunk);
    log(out);
    const node = Readable.fromWeb(new ReadableStream({ start(c) { c.enqueue("we"); c.enqueue("b"); c.close(); } }), { encoding: "utf8" });
    log((await node.toArray()).join(""));
    const written = [];
    const writable = Writable.fromWeb(new WritableStream({ write(chunk) { written.push(text(chunk)); } }));
    await new Promise((resolve) => writable.end("bytes", resolve));
    log(written);
    const { readable, writable: side } = Duplex.toWeb(new PassThrough());
    const writer = side.getWriter();
    writer.write(Buffer.from("through"));
    writer.close();
    let passed = "";
    for await (const chunk of readable) passed += text(chunk);
    log(passed);
  }
}

main();

// The order of events and callbacks of node:stream, across success, failure, destruction and backpressure.
const { Readable, Writable, Duplex, Transform, PassThrough, pipeline, finished } = require("stream");

const log = (...args) => console.log(...args);
const watch = (name, stream, events) => {
  for (const event of events) {
    stream.on(event, (value) => log(name, event, value instanceof Error ? value.message : ""));
  }
  return stream;
};
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
const all = ["resume", "pause", "readable", "end", "prefinish", "finish", "drain", "pipe", "unpipe", "error", "close"];

async function main() {
  log("# writable, buffered writes, end callback");
  {
    const w = watch("w", new Writable({
      highWaterMark: 4,
      write(chunk, encoding, callback) { log("write", String(chunk), encoding); setImmediate(callback); },
      final(callback) { log("final"); callback(); },
    }), all);
    log(w.write("ab"), w.write("cd"), w.writableLength, w.writableNeedDrain);
    w.end("e", () => log("end callback"));
    await finishedPromise(w);
    await tick();
  }

  log("# cork and writev");
  {
    const w = new Writable({
      writev(chunks, callback) { log("writev", chunks.map((c) => String(c.chunk)).join("|"), chunks.allBuffers); callback(); },
    });
    w.cork();
    w.cork();
    w.write("a");
    w.write("b", () => log("b written"));
    w.uncork();
    log("corked", w.writableCorked, w.writableLength);
    w.uncork();
    w.end();
    await finishedPromise(w);
  }

  log("# readable: data, end, close");
  {
    const r = watch("r", new Readable({ read() {} }), ["resume", "pause", "end", "close"]);
    r.on("data", (chunk) => log("data", String(chunk)));
    r.push("x");
    r.push("y");
    r.push(null);
    await tick();
    log(r.readableEnded, r.destroyed, r.readableDidRead, r.readableAborted);
  }

  log("# paused mode and read(n)");
  {
    const r = new Readable({ read() {} });
    r.push("hello ");
    r.push("world");
    await tick();
    log(String(r.read(3)), String(r.read(5)), r.read(20), r.readableLength);
    r.unshift("!");
    r.setEncoding("utf8");
    log(r.read(), r.readableEncoding);
  }

  log("# destroy with an error");
  {
    let written;
    const d = watch("d", new Duplex({
      read() {}, write(chunk, encoding, callback) { written = callback; },
      destroy(error, callback) { log("_destroy", error.message); callback(error); },
    }), all);
    d.write("lost", (error) => log("first", error && error.code));
    d.write("lost too", (error) => log("second", error && (error.code ?? error.message)));
    d.destroy(new Error("boom"));
    d.write("late", (error) => log("late", error.code));
    await tick();
    log(d.destroyed, d.closed, d.errored.message, d.readableAborted, d.writableAborted);
    written();
    await tick();
  }

  log("# construct");
  {
    const w = new Writable({
      construct(callback) { log("construct"); setImmediate(() => { log("constructed"); callback(); }); },
      write(chunk, encoding, callback) { log("write", String(chunk)); callback(); },
    });
    w.write("early");
    w.end();
    await finishedPromise(w);
  }

  log("# transform with flush, backpressure and pipe events");
  {
    const source = watch("source", Readable.from(["a", "b", "c"]), ["end", "close"]);
    const upper = new Transform({
      transform(chunk, encoding, callback) { callback(null, String(chunk).toUpperCase()); },
      flush(callback) { callback(null, "!"); },
    });
    const sink = watch("sink", new Writable({
      highWaterMark: 1, write(chunk, encoding, callback) { log("sink", String(chunk)); setImmediate(callback); },
    }), ["pipe", "unpipe", "finish", "close"]);
    source.pipe(upper).pipe(sink);
    await finishedPromise(sink);
    await tick();
  }

  log("# unpipe and an error of the destination");
  {
    const r = new Readable({ read() {} });
    const w = watch("w", new Writable({ write(c, e, callback) { callback(new Error("full")); } }), ["unpipe", "error", "close"]);
    r.pipe(w);
    r.push("x");
    await tick();
    log(r.destroyed, r.readableFlowing, r.isPaused());
  }

  log("# pipeline: success and failure");
  {
    await new Promise((resolve) => {
      pipeline(Readable.from(["1", "2"]), new PassThrough(), async function* (from) {
        for await (const chunk of from) yield `<${chunk}>`;
      }, async (from) => {
        let text = "";
        for await (const chunk of from) text += chunk;
        return text;
      }, (error, value) => { log("done", error, value); resolve(); });
    });
    await new Promise((resolve) => {
      const broken = new Transform({ transform(chunk, encoding, callback) { callback(new Error("broken")); } });
      const end = new PassThrough();
      pipeline(Readable.from(["1"]), broken, end, (error) => {
        log("failed", error.message, broken.destroyed, end.destroyed);
        resolve();
      });
    });
  }

  log("# errors by code");
  {
    const codes = [];
    const collect = (fn) => { try { fn(); codes.push("none"); } catch (error) { codes.push(error.code); } };
    const w = new Writable({ write(c, e, callback) { callback(); } });
    w.on("error", (error) => codes.push("event " + error.code));
    collect(() => w.write(null));
    collect(() => w.write(5));
    collect(() => w.write("x", "nonsense"));
    collect(() => w.setDefaultEncoding("nonsense"));
    collect(() => new Writable({ highWaterMark: -1 }));
    collect(() => Readable.from(5));
    w.end();
    w.write("after end");
    await tick();
    log(codes.join(" "));
  }

  log("# asynchronous iteration, early exit");
  {
    const r = Readable.from(["p", "q", "r"]);
    for await (const chunk of r) {
      log("got", chunk);
      if (chunk === "q") break;
    }
    log(r.destroyed);
    const kept = Readable.from(["p", "q"]);
    for await (const chunk of kept.iterator({ destroyOnReturn: false })) { log("kept", chunk); break; }
    log(kept.destroyed);
  }
}

function finishedPromise(stream) {
  return new Promise((resolve) => finished(stream, (error) => { log("finished", error ? error.message : "ok"); resolve(); }));
}

main();

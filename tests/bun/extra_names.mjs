// Names that Bun has beyond Node: each does what Bun 1.4.5 does. expected: written by hand, values compared with Bun.
import util from "node:util";
import fs from "node:fs";
import fsp from "node:fs/promises";
import timers from "node:timers";
import vm from "node:vm";
import tls from "node:tls";
import http2 from "node:http2";
import stream from "node:stream";
import { PerformanceNodeTiming } from "node:perf_hooks";
import { createRequire } from "node:module";
const o = {
  [Symbol.for("nodejs.util.inspect.custom")](d, op, i) {
    return op.stylize("x", "boolean") + d + op.depth + (i === util.inspect);
  },
};
console.log(
  Bun.inspect(o, { colors: true, depth: 3 }),
  Bun.inspect({ a: 1 }, true, 2) !== Bun.inspect({ a: 1 }),
  util.isError(Object.create(Error.prototype)),
  util.isObject({}),
  util.isPrimitive(3),
);
console.log(await fsp.exists("/tmp"), await fsp.exists(5), Object.keys(fsp).includes("fstat"));
const fd = fs.openSync("/etc/passwd");
console.log(
  (await fsp.fstat(fd)).isFile(),
  await fsp.read(fd, Buffer.alloc(4), 0, 4, 0),
  await fsp.readv(fd, [Buffer.alloc(2)], 0),
  await fsp.close(fd),
);
const t = setTimeout(() => console.log("never"), 5);
timers.enroll(t, 20);
timers.unenroll(t);
try {
  timers.active({});
} catch (e) {
  console.log(e.message);
}
console.log(
  typeof vm.SourceTextModule,
  tls.parseCertString("C=US\nCN=a\nCN=b"),
  typeof http2.ClientHttp2Session,
  stream.eos === stream.finished,
  PerformanceNodeTiming.name,
);
const p = new URLSearchParams("a=1&b=2&a=3&__proto__=4");
console.log(p.length, JSON.stringify(p));
const f = FormData.from("a=b&c=d");
console.log([...f]);
console.log([...FormData.from('--x\r\nContent-Disposition: form-data; name="q"\r\n\r\nz\r\n--x--\r\n', "x")]);
for (const v of [5, undefined])
  try {
    FormData.from(v);
  } catch (e) {
    console.log(e.code, e.message);
  }
const e = new CustomEvent("a");
e.initCustomEvent("b", true, false, 7);
console.log(e.type, e.bubbles, e.detail);
console.log(crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("b")));
const r = new ReadableStream({
  start(c) {
    c.enqueue(1);
    c.enqueue(2);
    c.close();
  },
}).getReader();
console.log(r.readMany(), r.readMany());
const r2 = new ReadableStream(
  {
    pull(c) {
      c.enqueue("z");
    },
  },
  { highWaterMark: 0 },
).getReader();
console.log(await r2.readMany());
const b = new Blob(["x"]);
console.log(await b.exists(), b.stat());
for (const k of ["delete", "unlink", "write", "writer"])
  try {
    b[k]();
  } catch (e) {
    console.log(k, e.code, e.message);
  }
const { SlowBuffer } = createRequire(import.meta.url)("buffer");
console.log(
  SlowBuffer(2),
  new SlowBuffer(3),
  SlowBuffer.prototype === Buffer.prototype,
  Buffer.from([1, 2, 3, 4]).readInt16(1),
);
import { posix } from "path";
class S extends String {}
console.log(
  posix.join(new S("/a"), "b"),
  posix.resolve(new S("/x")),
  fs.existsSync(new S("/tmp")),
  Bun.file(new S("/etc/passwd")).size > 0,
  Bun.pathToFileURL(new S("/tmp")).href,
);

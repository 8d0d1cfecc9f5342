// What modules of Node do, as an array of texts; bundled for browsers it must be the same.
import assert from "node:assert";
import { Buffer } from "buffer";
import crypto, { createHmac } from "crypto";
import EventEmitter, { once } from "events";
import net from "net";
import os from "os";
import path from "path";
import { format as formatUrl, resolve as resolveUrl } from "url";
import qs from "querystring";
import { Readable, Transform, pipeline } from "stream";
import { finished } from "stream/promises";
import { StringDecoder } from "string_decoder";
import { setTimeout as wait } from "timers/promises";
import tty from "node:tty";
import util from "util";

async function run() {
  const seen = [];
  const show = (...values) => seen.push(util.inspect(values, { depth: 6 }));
  const failure = (fn) => {
    try {
      fn();
    } catch ({ name, code, message }) {
      show(name, code, message);
    }
  };

  show(Buffer.from("héllo wörld").toString("base64"), Buffer.from("68656c6c6f", "hex").toString());
  show(Buffer.concat([Buffer.from([1, 2]), Buffer.alloc(2, 7)]).readUInt32BE(0), Buffer.from("€").length);
  show(Buffer.from("abcabc").indexOf("ca"), Buffer.from("abcabc").lastIndexOf("b"), Buffer.from("abc").includes(98));
  show(Buffer.from("a\0b\0c\0", "latin1").indexOf("c", 0, "utf16le"), Buffer.from([0xc1, 0x41]).toString("ascii"));
  show(Buffer.from("aGk_", "base64url"), Buffer.from("ÿa", "latin1"), Buffer.from("hi", "utf16le"), Buffer.from("YQ=b"));
  show(Buffer.from([1, 2, 3, 4]).swap32(), Buffer.compare(Buffer.from("a"), Buffer.from("b")));
  show(Buffer.from("\ud800").toString("hex"), Buffer.byteLength("a\ud83d\ude00"), Buffer.alloc(3).write("€€"));
  failure(() => Buffer.alloc(-1));

  show(path.join("a", "..", "b", "c.txt"), path.resolve("/x", "y"), path.win32.basename("C:\\a\\b.js"), path.parse("/a/b.c"));
  failure(() => path.join(1));
  show(util.format("%s %d %j %o", "a", 1, { b: 2 }, [1]), util.types.isRegExp(/a/), util.isDeepStrictEqual({ a: 1 }, { a: 1 }));
  show({ a: [1, { b: new Map([[1, 2]]) }], s: new Set([1]), d: new Date(0), f() {}, n: null, e: new Error("x").message });
  show(await util.promisify((a, done) => done(null, a + 1))(1), util.styleText("red", "x", { validateStream: false }));
  show(qs.parse("a=1&b=2&a=3"), qs.stringify({ x: [1, 2] }), resolveUrl("/one/two", "three"));
  show(formatUrl({ protocol: "http", host: "a", pathname: "/b" }));

  const emitter = new EventEmitter();
  let sum = 0;
  emitter.on("x", (value) => (sum += value));
  emitter.once("x", (value) => (sum += value * 10));
  emitter.emit("x", 1);
  emitter.emit("x", 1);
  const event = once(emitter, "y");
  emitter.emit("y", 5, 6);
  show(sum, await event, emitter.listenerCount("x"));
  failure(() => emitter.on("x", 5));
  failure(() => assert.deepStrictEqual({ a: 1 }, { a: 2 }));
  failure(() => assert.equal(1, 2));

  const decoder = new StringDecoder("utf8");
  show(decoder.write(Buffer.from([0xe2, 0x82])) + decoder.end(Buffer.from([0xac])));
  const chunks = [];
  const upper = new Transform({ transform: (chunk, _, done) => done(null, String(chunk).toUpperCase()) });
  await new Promise((done, failed) => {
    const collect = async function (source) {
      for await (const chunk of source) chunks.push(String(chunk));
    };
    pipeline(Readable.from(["a", "b"]), upper, collect, (error) => (error ? failed(error) : done()));
  });
  const broken = Readable.from(["a"]);
  broken.destroy(new Error("broken"));
  show(chunks, (await finished(broken).catch((error) => error)).message, await Readable.from([1, 2]).map((n) => n * 2).toArray());

  show(net.isIP("::1"), net.isIP("1.2.3.4"), net.isIP("1.2.3"), os.EOL, tty.isatty(99), await wait(1, "waited"));
  const hashes = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
  for (const name of hashes) {
    const hash = crypto.createHash(name).update("abc");
    show(hash.copy().update("d".repeat(300)).digest("hex"), hash.digest("base64"));
  }
  show(createHmac("sha256", "k".repeat(99)).update("abc").digest("hex"), crypto.randomBytes(8).length);
  show(crypto.pbkdf2Sync("p", "s", 2, 40, "sha512").toString("hex"), crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("a")));
  return seen;
}

globalThis.done = run();

// What modules of Node do, as an array of texts; bundled for browsers it must be the same.
import assert from "node:assert";
import buffer, { Blob, Buffer, File, atob, btoa } from "buffer";
import crypto, { createHmac } from "crypto";
import EventEmitter, { getEventListeners, getMaxListeners, once, setMaxListeners } from "events";
import net from "net";
import os from "os";
import path from "path";
import { format as formatUrl, parse as parseUrl, resolve as resolveUrl } from "url";
import qs from "querystring";
import { Readable, Transform, Writable, pipeline } from "stream";
import { finished } from "stream/promises";
import { StringDecoder } from "string_decoder";
import timers from "timers";
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

  // Which error it is: the words are shorter in browsers.
  const kind = (fn) => {
    try {
      show(fn());
    } catch ({ name, code }) {
      show(name, code);
    }
  };

  show(Buffer.from("héllo wörld").toString("base64"), Buffer.from("68656c6c6f", "hex").toString());
  show(Buffer.concat([Buffer.from([1, 2]), Buffer.alloc(2, 7)]).readUInt32BE(0), Buffer.from("€").length);
  show(Buffer.from("abcabc").indexOf("ca"), Buffer.from("abcabc").lastIndexOf("b"), Buffer.from("abc").includes(98));
  show(Buffer.from("a\0b\0c\0", "latin1").indexOf("c", 0, "utf16le"), Buffer.from([0xc1, 0x41]).toString("ascii"));
  show(Buffer.from("aGk_", "base64url"), Buffer.from("ÿa", "latin1"), Buffer.from("hi", "utf16le"), Buffer.from("YQ=b"));
  show(Buffer.from([1, 2, 3, 4]).swap32(), Buffer.compare(Buffer.from("a"), Buffer.from("b")));
  show(Buffer.from("\ud800").toString("hex"), Buffer.byteLength("a\ud83d\ude00"), Buffer.alloc(3).write("€€"));
  const [room, long] = [Buffer.alloc(60), Buffer.from("0123456789".repeat(6))];
  show(long.copy(room, 5, 10, 50), long.copy(room, 50, 1), room.copy(room, 2, 6, 46), room.toString(), long.subarray(-3, -1).toString());
  show(Buffer.from(long.buffer, long.byteOffset + 2, 3).toString(), long.subarray(1.5, "4").length);
  failure(() => Buffer.alloc(-1));
  const twice = Buffer.from("abcabc");
  show(twice.indexOf("bc", -3), twice.indexOf(Buffer.from("bc"), -3), twice.includes("bca", -5), twice.indexOf("bc", -99));
  show(twice.indexOf("", 99), twice.indexOf(""), twice.lastIndexOf("", -99), twice.indexOf(Buffer.alloc(0), -2), twice.lastIndexOf(""));
  show(twice.lastIndexOf("ab", -3), twice.lastIndexOf("ab", -99), twice.lastIndexOf("ab", 99), twice.indexOf("abcabca"));
  const wide = Buffer.from("a\0b\0b\0", "latin1");
  show(wide.indexOf("b", -2, "utf16le"), wide.indexOf("b", -3, "utf16le"), wide.lastIndexOf("b", -3, "utf16le"));
  show(wide.indexOf("b", 3, "utf16le"), wide.indexOf("", 99, "utf16le"), twice.indexOf.call(new Uint16Array([1, 2]), 2));
  show(buffer.isAscii(new ArrayBuffer(1)), buffer.isUtf8(new ArrayBuffer(1)), buffer.isAscii(new Uint16Array([200])));
  show(new Blob(["ab"]).size, new File(["a"], "name").name, atob("YQ=="), btoa("b"), buffer.atob("YQ=="));

  show(path.join("a", "..", "b", "c.txt"), path.resolve("/x", "y"), path.win32.basename("C:\\a\\b.js"), path.parse("/a/b.c"));
  failure(() => path.join(1));
  show(util.format("%s %d %j %o", "a", 1, { b: 2 }, [1]), util.types.isRegExp(/a/), util.isDeepStrictEqual({ a: 1 }, { a: 1 }));
  show({ a: [1, { b: new Map([[1, 2]]) }], s: new Set([1]), d: new Date(0), f() {}, n: null, e: new Error("x").message });
  show(await util.promisify((a, done) => done(null, a + 1))(1), util.styleText("red", "x", { validateStream: false }));
  show(qs.parse("a=1&b=2&a=3"), qs.stringify({ x: [1, 2] }), resolveUrl("/one/two", "three"));
  show(qs.parse("a=%E4"), qs.unescape("%zz"), parseUrl("/x?a=%E4", true).query);
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
  const { signal } = new AbortController();
  setMaxListeners(5, signal);
  show(getMaxListeners(signal), getEventListeners(signal, "abort"));
  kind(() => getMaxListeners({}));
  show(util.types.isPromise({ [Symbol.toStringTag]: "Promise" }), util.types.isPromise((async () => {})()));
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

  const unfinished = new Writable({ final: (done) => done(new Error("unfinished")) });
  show(await Writable.toWeb(unfinished).getWriter().close().catch(({ message }) => message));
  const unwritten = Writable.toWeb(new Writable({ write: (chunk, encoding, done) => done(new Error("unwritten")) })).getWriter();
  unwritten.write("a").catch(() => {});
  show(await unwritten.closed.catch(({ message }) => message));

  show(await new Promise((done) => timers.setTimeout(done, 1, "called")), timers.clearTimeout(timers.setTimeout(() => {}, 1)));
  show(net.isIP("::1"), net.isIP("1.2.3.4"), net.isIP("1.2.3"), os.EOL, tty.isatty(99), await wait(1, "waited"));
  const hashes = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
  for (const name of hashes) {
    const hash = crypto.createHash(name).update("abc");
    show(hash.copy().update("d".repeat(300)).digest("hex"), hash.digest("base64"));
  }
  show(createHmac("sha256", "k".repeat(99)).update("abc").digest("hex"), crypto.randomBytes(8).length);
  show(crypto.pbkdf2Sync("p", "s", 2, 40, "sha512").toString("hex"), crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("a")));
  show(crypto.pbkdf2Sync("p".repeat(99), Buffer.from("s"), 99, 40, "sha256").toString("hex"));
  show(await new Promise((done) => crypto.pbkdf2("p", "s", 1, 8, "sha1", (error, key) => done(key.toString("hex")))));
  kind(() => crypto.pbkdf2("p", "s", 1, 8, "nope", () => {}));
  for (const value of [undefined, null, {}, 5, ["a"]]) {
    kind(() => createHmac("sha256", value));
    kind(() => crypto.pbkdf2Sync(value, "s", 1, 8, "sha1"));
    kind(() => crypto.pbkdf2Sync("p", value, 1, 8, "sha1"));
    kind(() => crypto.timingSafeEqual(value, value));
    kind(() => crypto.createHash("md5").update(value));
  }
  kind(() => crypto.timingSafeEqual(Buffer.alloc(1), Buffer.alloc(2)));
  for (const name of ["constructor", "nope", 5]) kind(() => crypto.createHash(name));
  kind(() => createHmac("nope", "key"));
  kind(() => crypto.pbkdf2Sync("p", "s", NaN, 8, "sha1"));
  for (const [min, max] of [[0, 3.5], [0, "5"], [3, 3], [0, 2 ** 49], [7, 8]]) kind(() => crypto.randomInt(min, max));
  const words = crypto.randomFillSync(new Uint32Array(40), 1, 38);
  show(words[0], words[39], words.subarray(20, 39).some((word) => word > 255));
  show(new Uint8Array(crypto.randomFillSync(new ArrayBuffer(64))).some((byte) => byte !== 0));
  kind(() => crypto.randomFillSync(new Uint32Array(4), 1, 4));
  kind(() => crypto.randomFillSync("text"));
  return seen;
}

globalThis.done = run();

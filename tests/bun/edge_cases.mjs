// Corners of Bun's functions; recorded from Bun 1.4.5.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const attempt = async (name, run) => {
  try {
    console.log(name, "=>", await run());
  } catch (error) {
    console.log(name, "=>", error.name, error.code, error.message);
  }
};

// A token is good for its session only.
const token = Bun.CSRF.generate("secret", { sessionId: "one" });
await attempt("its session", () => Bun.CSRF.verify(token, { secret: "secret", sessionId: "one" }));
await attempt("another session", () => Bun.CSRF.verify(token, { secret: "secret", sessionId: "two" }));
await attempt("no session", () => Bun.CSRF.verify(token, { secret: "secret" }));
await attempt("null session", () => Bun.CSRF.verify(Bun.CSRF.generate("s", { sessionId: null }), { secret: "s" }));
await attempt("empty session", () => Bun.CSRF.generate("secret", { sessionId: "" }));
await attempt("session 1", () => Bun.CSRF.verify(token, { secret: "secret", sessionId: 1 }));

// A copy of a keyed hash.
const hasher = new Bun.CryptoHasher("sha256", "key").update("a");
const copy = hasher.copy();
hasher.update("b");
console.log(copy.digest("hex"), hasher.digest("hex"));
await attempt("copy of a consumed one", () => hasher.copy());
await attempt("key 1", () => new Bun.CryptoHasher("sha256", 1));

await attempt("resolve file", () => Bun.resolveSync("./none", "/tmp"));
await attempt("resolve package", () => Bun.resolve("no-such-package-here", "/tmp"));
console.log(Bun.resolveSync("bun", "/tmp"), Bun.resolveSync("bun:jsc", "/tmp"), Bun.resolveSync("node:fs", "/tmp"));

await attempt("concat 1", () => Bun.concatArrayBuffers(1));
await attempt("concat -1", () => Bun.concatArrayBuffers([new Uint8Array(1)], -1));
await attempt("uuid text", () => Bun.randomUUIDv7("hex", "5"));
await attempt("wrap nothing", () => Bun.wrapAnsi());
await attempt("cookie", () => Bun.Cookie.parse("bogus"));
await attempt("depth", () => Bun.inspect({}, { depth: -1 }));
await attempt("depth", () => Bun.inspect({}, { depth: NaN }));
await attempt("inspect nothing", () => JSON.stringify(Bun.inspect()));

const stream = (chunk) => new ReadableStream({ start(to) { to.enqueue(chunk); to.close(); } });
await attempt("bytes of an object", () => Bun.readableStreamToBytes(stream({})));
await attempt("text of a number", () => Bun.readableStreamToText(stream(1)));
await attempt("text of nothing", () => Bun.readableStreamToText());

console.log(Bun.inspect({ r: new Response(new Uint8Array(3), { status: 201, headers: { a: "b" } }) }));
console.log(Bun.inspect(new Response(null, { status: 204, statusText: "No" })));
console.log(Bun.inspect(new Request("http://a/", { headers: { x: "y" } })));
console.log(Bun.inspect(new Blob([new Uint8Array(1500)])), Bun.inspect(new Blob([new Uint8Array(511)])));
const form = new FormData();
form.append("a", "b");
console.log(Bun.inspect({ form }));

// Both sides have to come back to the same place.
const one = {};
one.self = one;
const other = { self: {} };
other.self.self = other;
const third = {};
third.self = third;
console.log(Bun.deepEquals(one, other), Bun.deepEquals(one, third));

Bun.markdown.render("- [x] a\n- b", {
  listItem: (text, meta) => { console.log(text, meta.index, Object.keys(meta).join(), meta.checked); return ""; },
});

const folder = mkdtempSync(join(tmpdir(), "corners-"));
let sink = Bun.file(join(folder, "a")).writer({ highWaterMark: 2 });
console.log(sink.write("abc"), sink.write("d"), await sink.end(), sink.end(), sink.flush(), sink.write("z"));
sink = Bun.file(join(folder, "a")).writer({ highWaterMark: 2 });
sink.write("abc");
console.log(await sink.flush(), await sink.flush(), await sink.end());
rmSync(folder, { recursive: true });

// Stars before a text, in names of several bytes.
for (const [pattern, path] of [
  ["src/**/*.{test,spec}.{js,ts}", "src/deep/path/file.test.ts"], ["src/**/*.{test,spec}.{js,ts}", "src/deep/path/file.ts"],
  ["*é*.txt", "aéb.txt"], ["*é*.txt", "ae.txt"], ["**/a*b/c", "x/axxb/c"], ["**/a*b/c", "x/ax/b/c"], ["*/b", "a/b"], ["*/b", "a/c/b"],
]) console.log(pattern, path, new Bun.Glob(pattern).match(path));

// The names and lengths of what Bun 1.4.5 has and bao as well (recorded from Bun); `bun` and `bun:jsc` as modules.
const names = "ArrayBufferSink Cookie CookieMap CryptoHasher FileSystemRouter Glob MD4 MD5 SHA1 SHA224 SHA256 SHA384 SHA512 SHA512_256 Transpiler allocUnsafe concatArrayBuffers color deepEquals deepMatch escapeHTML file gc generateHeapSnapshot hash indexOfLine inspect nanoseconds peek randomUUIDv7 randomUUIDv5 readableStreamToArray readableStreamToArrayBuffer readableStreamToBytes readableStreamToBlob readableStreamToFormData readableStreamToJSON readableStreamToText resolve resolveSync sha shrink sliceAnsi sleep sleepSync stringWidth stripANSI wrapAnsi which write".split(" ");
for (const name of names) console.log(name, typeof Bun[name], Bun[name].length, name in Bun, Object.keys(Bun).includes(name));
for (const name of ["argv", "env", "main", "version", "revision", "cwd", "isMainThread", "enableANSIColors", "stdin", "semver", "password", "TOML", "YAML", "JSON5", "JSONC", "JSONL", "CSRF", "unsafe", "embeddedFiles"]) console.log(name, typeof Bun[name]);
console.log(Object.prototype.toString.call(Bun), Bun.version.split(".").length, Bun.main === __filename, Bun.argv.length, Bun.env === process.env);
console.log(require("bun") === Bun, typeof require("bun:jsc").gcAndSweep, Bun.inspect.custom === Symbol.for("nodejs.util.inspect.custom"));
(async () => {
  const { file, Glob } = await import("bun");
  console.log(file === Bun.file, Glob === Bun.Glob);
  const { serialize, deserialize } = await import("bun:jsc");
  console.log(JSON.stringify(deserialize(serialize({ a: [1, new Date(0)] }))));
  const before = Bun.nanoseconds();
  await Bun.sleep(5);
  console.log(Bun.nanoseconds() - before > 4e6);
  console.log(await Bun.readableStreamToText(new Blob(["stream"]).stream()), await Bun.readableStreamToJSON(new Blob(["[1]"]).stream()));
  console.log(await Bun.readableStreamToBytes(new Blob(["ab"]).stream()), (await Bun.readableStreamToBlob(new Blob(["ab"]).stream())).size, (await Bun.readableStreamToArray(new Blob(["ab"]).stream())).length);
})();

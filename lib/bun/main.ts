// The `Bun` global (https://bun.com/docs/runtime/bun-apis) and the module "bun". Every member is an accessor that loads the
// file behind it when it is first read, and then becomes a plain property: an object of names costs little, and what a
// program does not use is never loaded.

const Bun: any = {};
const { defineProperty } = Object;

function plain(name: string, value: any): any {
  // As enumerable as it was.
  defineProperty(Bun, name, { value, writable: true, configurable: true });
  return value;
}

/** Members with a value that a function makes when it is first asked for. */
function made(members: Record<string, () => any>): void {
  for (const name in members) {
    const make = members[name]!;
    defineProperty(Bun, name, {
      configurable: true,
      enumerable: true,
      get: () => plain(name, make()),
      set: (value) => plain(name, value),
    });
  }
}

/** Members that are exports of a file in lib/bun/. */
function lazy(file: string, names: string[]): void {
  for (const name of names) {
    defineProperty(Bun, name, {
      configurable: true,
      enumerable: true,
      get: () => plain(name, require(`bun/${file}`)[name]),
      set: (value) => plain(name, value),
    });
  }
}

/** The same for files that need not be there: `typeof Bun.serve` is "undefined" in a bao without it. */
function optional(file: string, names: string[]): void {
  for (const name of names) {
    defineProperty(Bun, name, {
      configurable: true,
      enumerable: true,
      get() {
        let exports: any;
        try {
          exports = require(`bun/${file}`);
        } catch (error: any) {
          if (error?.message !== `bao has no built-in module 'bun/${file}'`) throw error;
        }
        return plain(name, exports?.[name]);
      },
      set: (value) => plain(name, value),
    });
  }
}

const process = () => require("node:process");

optional("shell", ["$"]);
optional("archive", ["Archive"]);
lazy("streams", ["ArrayBufferSink"]);
lazy("cookie", ["Cookie", "CookieMap"]);
lazy("hasher", ["CryptoHasher"]);
optional("ffi", ["FFI"]);
optional("fetch", ["FetchSession"]);
lazy("router", ["FileSystemRouter"]);
lazy("glob", ["Glob"]);
optional("image", ["Image"]);
lazy("hasher", ["MD4", "MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "SHA512_256"]);
optional("module_graph", ["ModuleGraph"]);
lazy("data", ["JSONC", "JSON5"]);
lazy("jsonl", ["JSONL"]);
optional("markdown", ["markdown"]);
lazy("data", ["TOML"]);
optional("xml", ["XML"]);
lazy("data", ["YAML"]);
lazy("transpiler", ["Transpiler"]);
made({ embeddedFiles: () => [] });
optional("s3", ["S3Client", "s3"]);
lazy("csrf", ["CSRF"]);
lazy("streams", ["allocUnsafe"]);
made({ argv: () => process().argv });
optional("build", ["build"]);
lazy("streams", ["concatArrayBuffers"]);
optional("listen", ["connect"]);
optional("cron", ["cron"]);
made({ cwd: () => process().cwd() });
lazy("color", ["color"]);
lazy("equals", ["deepEquals", "deepMatch"]);
optional("compress", ["deflateSync"]);
optional("dns", ["dns"]);
lazy("misc", ["enableANSIColors"]);
made({ env: () => process().env });
lazy("text", ["escapeHTML"]);
made({ fetch: () => (globalThis as any).fetch });
lazy("file", ["file"]);
made({ fileURLToPath: () => require("node:url").fileURLToPath });
lazy("misc", ["gc", "generateHeapSnapshot"]);
optional("compress", ["gunzipSync", "gzipSync"]);
lazy("hash", ["hash"]);
lazy("text", ["indexOfLine"]);
optional("compress", ["inflateSync"]);
lazy("inspect", ["inspect"]);
made({ isMainThread: () => native("process").isMainThread(), isStandaloneExecutable: () => false });
optional("test", ["jest"]);
optional("listen", ["listen"]);
optional("udp", ["udpSocket"]);
defineProperty(Bun, "main", {
  configurable: true,
  enumerable: true,
  get: () => native("loader").mainPath() ?? `${process().cwd()}/[eval]`,
  set: (value) => plain("main", value),
});
lazy("misc", ["mmap", "nanoseconds", "openInEditor"]);
made({ origin: () => "", version_with_sha: () => `v${Bun.version} (${Bun.revision.slice(0, 9)})` });
lazy("password", ["password"]);
made({ pathToFileURL: () => require("node:url").pathToFileURL });
lazy("misc", ["peek"]);
optional("plugin", ["plugin"]);
lazy("uuid", ["randomUUIDv7", "randomUUIDv5"]);
lazy("streams", [
  "readableStreamToArray", "readableStreamToArrayBuffer", "readableStreamToBytes", "readableStreamToBlob",
  "readableStreamToFormData", "readableStreamToJSON", "readableStreamToText",
]);
lazy("misc", ["resolve", "resolveSync"]);
made({ revision: () => native("process").revision() });
lazy("semver", ["semver"]);
optional("sql", ["sql", "postgres", "SQL"]);
optional("serve", ["serve"]);
lazy("hasher", ["sha"]);
lazy("misc", ["shrink"]);
lazy("ansi", ["sliceAnsi"]);
lazy("misc", ["sleep", "sleepSync"]);
optional("spawn", ["spawn", "spawnSync"]);
lazy("file", ["stderr", "stdin", "stdout"]);
lazy("text", ["stringWidth", "stripANSI"]);
lazy("ansi", ["wrapAnsi"]);
optional("terminal", ["Terminal"]);
lazy("misc", ["unsafe"]);
made({ version: () => process().versions.bun });
optional("webview", ["WebView"]);
lazy("misc", ["which"]);
optional("redis", ["RedisClient", "redis"]);
optional("secrets", ["secrets"]);
lazy("file", ["write"]);
optional("compress", ["zstdCompressSync", "zstdDecompressSync", "zstdCompress", "zstdDecompress"]);

for (const name of ["cwd", "jest", "origin", "version_with_sha"]) defineProperty(Bun, name, { enumerable: false });
defineProperty(Bun, Symbol.toStringTag, { value: "Bun", configurable: true });

export default Bun;

// The `Bun` global (https://bun.com/docs/runtime/bun-apis) and the module "bun". Every member is an accessor that loads the
// file behind it when it is first read, and then becomes a plain property: what a program does not use is never loaded.
// The accessors stand in one literal because that takes a sixth of the time of defining them one by one.

const { defineProperty } = Object;

/** Makes a member a plain property, as enumerable as it was. */
function keep<T>(name: string, value: unknown): T {
  defineProperty(Bun, name, { value, writable: true, configurable: true });
  return value as T;
}

/** A member that the program sets. */
function put(name: string, value: unknown): void {
  keep(name, value);
}

/** The names of the files behind the Bun object (the bun folders of ext). */
type BunFile = BuiltinId extends infer Id ? (Id extends `bun/${infer Name}` ? Name : never) : never;

/** A member that is an export of such a file. */
function load<F extends BunFile, K extends keyof BuiltinModules[`bun/${F}`] & string>(
  file: F,
  name: K,
): BuiltinModules[`bun/${F}`][K] {
  return keep(name, (require(`bun/${file}` as BuiltinId) as Record<string, unknown>)[name]);
}

const process = () => require("node:process");

/** `Bun.FFI`: the older half of `bun:ffi`. */
function ffiMembers(): object {
  const { viewSource, dlopen, linkSymbols, toBuffer, toArrayBuffer, CString, ptr, read } = require("bun/ffi");
  return { viewSource, dlopen, linkSymbols, toBuffer, toArrayBuffer, CString, ptr, read };
}

/** The files that an executable brings along, each with the name that it has there. They are read when somebody wants them. */
function embeddedFiles(): Blob[] {
  const { file } = require("bun/file");
  const files = native("loader").embeddedFiles() ?? [];
  return files.map(([name]) =>
    defineProperty(file(`/$bunfs/root/${name}`), "name", { value: name, configurable: true }),
  );
}

function bunVersion(): string {
  const list: string[] = native("process").versions();
  return list[list.indexOf("bun") + 1]!;
}

const Bun = {
  get $() {
    return load("shell", "$");
  },
  set $(v) {
    put("$", v);
  },
  get Archive() {
    return load("archive", "Archive");
  },
  set Archive(v) {
    put("Archive", v);
  },
  get ArrayBufferSink() {
    return load("streams", "ArrayBufferSink");
  },
  set ArrayBufferSink(v) {
    put("ArrayBufferSink", v);
  },
  get Cookie() {
    return load("cookie", "Cookie");
  },
  set Cookie(v) {
    put("Cookie", v);
  },
  get CookieMap() {
    return load("cookie", "CookieMap");
  },
  set CookieMap(v) {
    put("CookieMap", v);
  },
  get CryptoHasher() {
    return load("hasher", "CryptoHasher");
  },
  set CryptoHasher(v) {
    put("CryptoHasher", v);
  },
  get FFI() {
    return keep("FFI", ffiMembers());
  },
  set FFI(v) {
    put("FFI", v);
  },
  get FetchSession() {
    return load("fetch_session", "FetchSession");
  },
  set FetchSession(v) {
    put("FetchSession", v);
  },
  get FileSystemRouter() {
    return load("router", "FileSystemRouter");
  },
  set FileSystemRouter(v) {
    put("FileSystemRouter", v);
  },
  get Glob() {
    return load("glob", "Glob");
  },
  set Glob(v) {
    put("Glob", v);
  },
  get Image() {
    return load("image", "Image");
  },
  set Image(v) {
    put("Image", v);
  },
  get MD4() {
    return load("hasher", "MD4");
  },
  set MD4(v) {
    put("MD4", v);
  },
  get MD5() {
    return load("hasher", "MD5");
  },
  set MD5(v) {
    put("MD5", v);
  },
  get SHA1() {
    return load("hasher", "SHA1");
  },
  set SHA1(v) {
    put("SHA1", v);
  },
  get SHA224() {
    return load("hasher", "SHA224");
  },
  set SHA224(v) {
    put("SHA224", v);
  },
  get SHA256() {
    return load("hasher", "SHA256");
  },
  set SHA256(v) {
    put("SHA256", v);
  },
  get SHA384() {
    return load("hasher", "SHA384");
  },
  set SHA384(v) {
    put("SHA384", v);
  },
  get SHA512() {
    return load("hasher", "SHA512");
  },
  set SHA512(v) {
    put("SHA512", v);
  },
  get SHA512_256() {
    return load("hasher", "SHA512_256");
  },
  set SHA512_256(v) {
    put("SHA512_256", v);
  },
  get ModuleGraph() {
    return load("module_graph", "ModuleGraph");
  },
  set ModuleGraph(v) {
    put("ModuleGraph", v);
  },
  get JSONC() {
    return load("data", "JSONC");
  },
  set JSONC(v) {
    put("JSONC", v);
  },
  get JSON5() {
    return load("data", "JSON5");
  },
  set JSON5(v) {
    put("JSON5", v);
  },
  get JSONL() {
    return load("jsonl", "JSONL");
  },
  set JSONL(v) {
    put("JSONL", v);
  },
  get markdown() {
    return load("markdown", "markdown");
  },
  set markdown(v) {
    put("markdown", v);
  },
  get TOML() {
    return load("data", "TOML");
  },
  set TOML(v) {
    put("TOML", v);
  },
  get XML() {
    return load("xml", "XML");
  },
  set XML(v) {
    put("XML", v);
  },
  get YAML() {
    return load("data", "YAML");
  },
  set YAML(v) {
    put("YAML", v);
  },
  get Transpiler() {
    return load("transpiler", "Transpiler");
  },
  set Transpiler(v) {
    put("Transpiler", v);
  },
  get embeddedFiles() {
    return keep("embeddedFiles", embeddedFiles());
  },
  set embeddedFiles(v) {
    put("embeddedFiles", v);
  },
  get S3Client() {
    return load("s3", "S3Client");
  },
  set S3Client(v) {
    put("S3Client", v);
  },
  get s3() {
    return load("s3", "s3");
  },
  set s3(v) {
    put("s3", v);
  },
  get CSRF() {
    return load("csrf", "CSRF");
  },
  set CSRF(v) {
    put("CSRF", v);
  },
  get allocUnsafe() {
    return load("streams", "allocUnsafe");
  },
  set allocUnsafe(v) {
    put("allocUnsafe", v);
  },
  get argv() {
    return keep("argv", process().argv);
  },
  set argv(v) {
    put("argv", v);
  },
  get build() {
    return load("build", "build");
  },
  set build(v) {
    put("build", v);
  },
  get concatArrayBuffers() {
    return load("streams", "concatArrayBuffers");
  },
  set concatArrayBuffers(v) {
    put("concatArrayBuffers", v);
  },
  get connect() {
    return load("listen", "connect");
  },
  set connect(v) {
    put("connect", v);
  },
  get cron() {
    return load("cron", "cron");
  },
  set cron(v) {
    put("cron", v);
  },
  get cwd() {
    return keep("cwd", process().cwd());
  },
  set cwd(v) {
    put("cwd", v);
  },
  get color() {
    return load("color", "color");
  },
  set color(v) {
    put("color", v);
  },
  get deepEquals() {
    return load("equals", "deepEquals");
  },
  set deepEquals(v) {
    put("deepEquals", v);
  },
  get deepMatch() {
    return load("equals", "deepMatch");
  },
  set deepMatch(v) {
    put("deepMatch", v);
  },
  get deflateSync() {
    return load("compress", "deflateSync");
  },
  set deflateSync(v) {
    put("deflateSync", v);
  },
  get dns() {
    return load("dns", "dns");
  },
  set dns(v) {
    put("dns", v);
  },
  get enableANSIColors() {
    return load("misc", "enableANSIColors");
  },
  set enableANSIColors(v) {
    put("enableANSIColors", v);
  },
  get env() {
    return keep("env", process().env);
  },
  set env(v) {
    put("env", v);
  },
  get escapeHTML() {
    return load("text", "escapeHTML");
  },
  set escapeHTML(v) {
    put("escapeHTML", v);
  },
  get fetch() {
    return keep("fetch", globalThis.fetch);
  },
  set fetch(v) {
    put("fetch", v);
  },
  get file() {
    return load("file", "file");
  },
  set file(v) {
    put("file", v);
  },
  get fileURLToPath() {
    return keep("fileURLToPath", require("node:url").fileURLToPath);
  },
  set fileURLToPath(v) {
    put("fileURLToPath", v);
  },
  get gc() {
    return load("misc", "gc");
  },
  set gc(v) {
    put("gc", v);
  },
  get generateHeapSnapshot() {
    return load("misc", "generateHeapSnapshot");
  },
  set generateHeapSnapshot(v) {
    put("generateHeapSnapshot", v);
  },
  get gunzipSync() {
    return load("compress", "gunzipSync");
  },
  set gunzipSync(v) {
    put("gunzipSync", v);
  },
  get gzipSync() {
    return load("compress", "gzipSync");
  },
  set gzipSync(v) {
    put("gzipSync", v);
  },
  get hash() {
    return load("hash", "hash");
  },
  set hash(v) {
    put("hash", v);
  },
  get indexOfLine() {
    return load("text", "indexOfLine");
  },
  set indexOfLine(v) {
    put("indexOfLine", v);
  },
  get inflateSync() {
    return load("compress", "inflateSync");
  },
  set inflateSync(v) {
    put("inflateSync", v);
  },
  get inspect() {
    return load("inspect", "inspect");
  },
  set inspect(v) {
    put("inspect", v);
  },
  get isMainThread() {
    return keep("isMainThread", native("process").isMainThread());
  },
  set isMainThread(v) {
    put("isMainThread", v);
  },
  get isStandaloneExecutable() {
    return keep("isStandaloneExecutable", native("loader").embeddedFiles() !== undefined);
  },
  set isStandaloneExecutable(v) {
    put("isStandaloneExecutable", v);
  },
  get jest() {
    return keep("jest", require("internal/test/bun_test/bun_jest").jest);
  },
  set jest(v) {
    put("jest", v);
  },
  get listen() {
    return load("listen", "listen");
  },
  set listen(v) {
    put("listen", v);
  },
  get udpSocket() {
    return load("udp", "udpSocket");
  },
  set udpSocket(v) {
    put("udpSocket", v);
  },
  get main() {
    return native("loader").mainPath() ?? `${process().cwd()}/[eval]`;
  },
  set main(v) {
    put("main", v);
  },
  get mmap() {
    return load("misc", "mmap");
  },
  set mmap(v) {
    put("mmap", v);
  },
  get nanoseconds() {
    return load("misc", "nanoseconds");
  },
  set nanoseconds(v) {
    put("nanoseconds", v);
  },
  get openInEditor() {
    return load("editor", "openInEditor");
  },
  set openInEditor(v) {
    put("openInEditor", v);
  },
  get origin() {
    return keep("origin", "");
  },
  set origin(v) {
    put("origin", v);
  },
  get version_with_sha() {
    return keep("version_with_sha", `v${Bun.version} (${(Bun.revision as string).slice(0, 9)})`);
  },
  set version_with_sha(v) {
    put("version_with_sha", v);
  },
  get password() {
    return load("password", "password");
  },
  set password(v) {
    put("password", v);
  },
  get pathToFileURL() {
    return load("misc", "pathToFileURL");
  },
  set pathToFileURL(v) {
    put("pathToFileURL", v);
  },
  get peek() {
    return load("misc", "peek");
  },
  set peek(v) {
    put("peek", v);
  },
  get plugin() {
    return load("plugin", "plugin");
  },
  set plugin(v) {
    put("plugin", v);
  },
  get randomUUIDv7() {
    return load("uuid", "randomUUIDv7");
  },
  set randomUUIDv7(v) {
    put("randomUUIDv7", v);
  },
  get randomUUIDv5() {
    return load("uuid", "randomUUIDv5");
  },
  set randomUUIDv5(v) {
    put("randomUUIDv5", v);
  },
  get readableStreamToArray() {
    return load("streams", "readableStreamToArray");
  },
  set readableStreamToArray(v) {
    put("readableStreamToArray", v);
  },
  get readableStreamToArrayBuffer() {
    return load("streams", "readableStreamToArrayBuffer");
  },
  set readableStreamToArrayBuffer(v) {
    put("readableStreamToArrayBuffer", v);
  },
  get readableStreamToBytes() {
    return load("streams", "readableStreamToBytes");
  },
  set readableStreamToBytes(v) {
    put("readableStreamToBytes", v);
  },
  get readableStreamToBlob() {
    return load("streams", "readableStreamToBlob");
  },
  set readableStreamToBlob(v) {
    put("readableStreamToBlob", v);
  },
  get readableStreamToFormData() {
    return load("streams", "readableStreamToFormData");
  },
  set readableStreamToFormData(v) {
    put("readableStreamToFormData", v);
  },
  get readableStreamToJSON() {
    return load("streams", "readableStreamToJSON");
  },
  set readableStreamToJSON(v) {
    put("readableStreamToJSON", v);
  },
  get readableStreamToText() {
    return load("streams", "readableStreamToText");
  },
  set readableStreamToText(v) {
    put("readableStreamToText", v);
  },
  get registerMacro() {
    return load("misc", "registerMacro");
  },
  set registerMacro(v) {
    put("registerMacro", v);
  },
  get resolve() {
    return load("misc", "resolve");
  },
  set resolve(v) {
    put("resolve", v);
  },
  get resolveSync() {
    return load("misc", "resolveSync");
  },
  set resolveSync(v) {
    put("resolveSync", v);
  },
  get revision() {
    return keep("revision", native("process").revision());
  },
  set revision(v) {
    put("revision", v);
  },
  get semver() {
    return load("semver", "semver");
  },
  set semver(v) {
    put("semver", v);
  },
  get sql() {
    return load("sql", "sql");
  },
  set sql(v) {
    put("sql", v);
  },
  get postgres() {
    return load("sql", "postgres");
  },
  set postgres(v) {
    put("postgres", v);
  },
  get SQL() {
    return load("sql", "SQL");
  },
  set SQL(v) {
    put("SQL", v);
  },
  get serve() {
    return load("serve", "serve");
  },
  set serve(v) {
    put("serve", v);
  },
  get sha() {
    return load("hasher", "sha");
  },
  set sha(v) {
    put("sha", v);
  },
  get shrink() {
    return load("misc", "shrink");
  },
  set shrink(v) {
    put("shrink", v);
  },
  get sliceAnsi() {
    return load("ansi", "sliceAnsi");
  },
  set sliceAnsi(v) {
    put("sliceAnsi", v);
  },
  get sleep() {
    return load("misc", "sleep");
  },
  set sleep(v) {
    put("sleep", v);
  },
  get sleepSync() {
    return load("misc", "sleepSync");
  },
  set sleepSync(v) {
    put("sleepSync", v);
  },
  get spawn() {
    return load("spawn", "spawn");
  },
  set spawn(v) {
    put("spawn", v);
  },
  get spawnSync() {
    return load("spawn", "spawnSync");
  },
  set spawnSync(v) {
    put("spawnSync", v);
  },
  get stderr() {
    return load("file", "stderr");
  },
  set stderr(v) {
    put("stderr", v);
  },
  get stdin() {
    return load("file", "stdin");
  },
  set stdin(v) {
    put("stdin", v);
  },
  get stdout() {
    return load("file", "stdout");
  },
  set stdout(v) {
    put("stdout", v);
  },
  get stringWidth() {
    return load("text", "stringWidth");
  },
  set stringWidth(v) {
    put("stringWidth", v);
  },
  get stripANSI() {
    return load("text", "stripANSI");
  },
  set stripANSI(v) {
    put("stripANSI", v);
  },
  get wrapAnsi() {
    return load("ansi", "wrapAnsi");
  },
  set wrapAnsi(v) {
    put("wrapAnsi", v);
  },
  get Terminal() {
    return load("terminal", "Terminal");
  },
  set Terminal(v) {
    put("Terminal", v);
  },
  get unsafe() {
    return load("misc", "unsafe");
  },
  set unsafe(v) {
    put("unsafe", v);
  },
  get version() {
    return keep("version", bunVersion());
  },
  set version(v) {
    put("version", v);
  },
  get WebView() {
    return load("webview", "WebView");
  },
  set WebView(v) {
    put("WebView", v);
  },
  get which() {
    return load("misc", "which");
  },
  set which(v) {
    put("which", v);
  },
  get RedisClient() {
    return load("redis", "RedisClient");
  },
  set RedisClient(v) {
    put("RedisClient", v);
  },
  get redis() {
    return load("redis", "redis");
  },
  set redis(v) {
    put("redis", v);
  },
  get secrets() {
    return load("secrets", "secrets");
  },
  set secrets(v) {
    put("secrets", v);
  },
  get write() {
    return load("file", "write");
  },
  set write(v) {
    put("write", v);
  },
  get zstdCompressSync() {
    return load("compress", "zstdCompressSync");
  },
  set zstdCompressSync(v) {
    put("zstdCompressSync", v);
  },
  get zstdDecompressSync() {
    return load("compress", "zstdDecompressSync");
  },
  set zstdDecompressSync(v) {
    put("zstdDecompressSync", v);
  },
  get zstdCompress() {
    return load("compress", "zstdCompress");
  },
  set zstdCompress(v) {
    put("zstdCompress", v);
  },
  get zstdDecompress() {
    return load("compress", "zstdDecompress");
  },
  set zstdDecompress(v) {
    put("zstdDecompress", v);
  },
};

for (const name of ["cwd", "jest", "origin", "registerMacro", "version_with_sha"])
  defineProperty(Bun, name, { enumerable: false });
defineProperty(Bun, Symbol.toStringTag, { value: "Bun", configurable: true });

export default Bun;

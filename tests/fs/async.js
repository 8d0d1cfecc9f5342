// Callbacks, promises, FileHandle, streams and Dir.
const fs = require("node:fs");
const fsp = require("node:fs/promises");
const path = require("node:path");
const { promisify } = require("node:util");
const dir = fs.mkdtempSync(path.join(require("node:os").tmpdir(), "bao-fs-"));
process.chdir(dir);

const failed = async (name, promise) => console.log(name, await promise.catch((e) => `${e.code} ${e.message}`));
const call = (f, ...args) => new Promise((resolve) => f(...args, (...results) => resolve(results)));

async function callbacks() {
  console.log("writeFile", await call(fs.writeFile, "f", "text"));
  console.log("readFile", await call(fs.readFile, "f", "utf8"));
  console.log("readFile error", (await call(fs.readFile, "none"))[0].message);
  console.log("stat", (await call(fs.stat, "f"))[1].size);
  console.log("access", await call(fs.access, "f"));
  console.log("exists", await call(fs.exists, "f"), await promisify(fs.exists)("none"));
  const [, fd] = await call(fs.open, "f", "r+");
  const buffer = Buffer.alloc(4);
  console.log("read", await call(fs.read, fd, buffer, 0, 4, 1));
  console.log("promisified", await promisify(fs.read)(fd, buffer, 0, 2, 0));
  console.log("write", await call(fs.write, fd, "XY", 2));
  console.log("close", await call(fs.close, fd));
  console.log("mkdir", await call(fs.mkdir, "a/b", { recursive: true }));
  console.log("readdir", await call(fs.readdir, "."));
  console.log("rm", await call(fs.rm, "a", { recursive: true }));
  console.log("mkdtemp", path.dirname((await call(fs.mkdtemp, path.join(dir, "t-")))[1]) === dir);
}

async function promises() {
  await fsp.writeFile("p", ["one\n", Buffer.from("two\n")]);
  console.log(await fsp.readFile("p", "utf8"));
  await failed("open", fsp.open("none/x"));
  await failed("stat", fsp.stat("none"));
  await failed("rmdir", fsp.rmdir("p"));
  await failed("lchmod", fsp.lchmod("p", 0o777));
  const controller = new AbortController();
  const reading = fsp.readFile("p", { signal: controller.signal });
  controller.abort();
  await failed("abort", reading.catch((e) => `${e.name} ${e.code}`));
  const temporary = await fsp.mkdtempDisposable(path.join(dir, "d-"));
  await temporary.remove();
  console.log("disposed", fs.existsSync(temporary.path));
  await fsp.symlink("p", "l");
  console.log("link", await fsp.readlink("l"), (await fsp.lstat("l")).isSymbolicLink());
}

async function handles() {
  const handle = await fsp.open("h", "w+");
  handle.on("close", () => console.log("handle closed"));
  console.log(handle.fd > 2, handle.constructor.name);
  const { bytesWritten } = await handle.write("hello world\nsecond line\n");
  console.log("written", bytesWritten);
  const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(5), position: 6 });
  console.log("read", bytesRead, buffer.toString());
  console.log("readv", (await handle.readv([Buffer.alloc(2), Buffer.alloc(3)], 0)).bytesRead);
  await handle.truncate(17);
  console.log("stat", (await handle.stat()).size);
  await handle.utimes(1, 2);
  await handle.chmod(0o600);
  await handle.sync();
  await handle.close();
  await failed("after close", handle.read());
  const lines = [];
  for await (const line of (await fsp.open("h")).readLines()) lines.push(line);
  console.log("lines", lines);
}

async function streams() {
  fs.writeFileSync("s", "0123456789".repeat(20000));
  let size = 0;
  for await (const chunk of fs.createReadStream("s", { start: 5, end: 150004 })) size += chunk.length;
  console.log("read stream", size);
  const stream = fs.createWriteStream("w", { highWaterMark: 4 });
  for (const part of ["ab", "cdef", "ghi"]) stream.write(part);
  await new Promise((resolve) => stream.end("!", resolve));
  console.log("write stream", stream.bytesWritten, fs.readFileSync("w", "utf8"), stream.path);
  const copy = fs.createReadStream("s").pipe(fs.createWriteStream("s2"));
  await new Promise((resolve) => copy.on("close", resolve));
  console.log("piped", fs.statSync("s2").size);
  const error = await new Promise((resolve) => fs.createReadStream("none").on("error", resolve));
  console.log("error", error.code, error.syscall, error.path);
  try {
    fs.createReadStream("s", { start: 3, end: 1 });
  } catch (e) {
    console.log(e.code, e.message);
  }
}

async function directories() {
  fs.mkdirSync("many");
  for (let i = 0; i < 100; i++) fs.writeFileSync(`many/${i}`, "");
  let count = 0;
  for await (const entry of await fsp.opendir("many", { bufferSize: 7 })) count += entry.isFile();
  console.log("opendir", count);
  fs.mkdirSync("many/sub/deep", { recursive: true });
  const glob = [];
  for await (const found of fsp.glob("many/{1,s}*/**")) glob.push(found);
  console.log("glob", glob.length, fs.globSync("**/deep"), fs.globSync("many/9?", { exclude: ["**/9[0-6]"] }));
  fs.cpSync("many", "copied", { recursive: true, filter: (src) => !src.includes("5") });
  console.log("cp", fs.readdirSync("copied").length);
  await failed("cp to itself", fsp.cp("many", "many/sub/x", { recursive: true }).catch((e) => e.code));
  await failed("cp dir", fsp.cp("many", "other").catch((e) => e.code));
  fs.symlinkSync("1", "many/link");
  await fsp.cp("many/link", "linked");
  console.log("cp link", fs.readlinkSync("linked") === path.resolve("many/1"));
}

(async () => {
  await callbacks();
  await promises();
  await handles();
  await streams();
  await directories();
  process.chdir("/");
  fs.rmSync(dir, { recursive: true });
})();

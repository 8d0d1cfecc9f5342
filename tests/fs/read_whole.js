// Whole files of all sizes by all ways, special files, and when callbacks run. Recorded from Node 25.8.1.
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { execFileSync, spawn } = require("node:child_process");
const { createHash } = require("node:crypto");

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "bao-whole-"));
const sum = (data) => createHash("sha1").update(data).digest("hex").slice(0, 12);

async function main() {
  for (const size of [0, 1, 100, 4095, 4096, 4097, 8191, 8192, 8193, 65535, 65536, 65537, 200000]) {
    const file = path.join(dir, `f${size}`);
    const bytes = Buffer.alloc(size);
    for (let i = 0; i < size; i++) bytes[i] = i % 251 < 200 ? 97 + i % 26 : 128 + i % 100;
    fs.writeFileSync(file, bytes);
    const expected = { bytes: sum(bytes), text: sum(bytes.toString()), latin1: sum(bytes.toString("latin1")) };
    const seen = new Set();
    const note = (kind, data) => seen.add(`${kind} ${sum(data) === expected[kind]} ${typeof data === "string" || Buffer.isBuffer(data) && data.length === size}`);
    for (let round = 0; round < 2; round++) {
      note("bytes", fs.readFileSync(file));
      note("text", fs.readFileSync(file, "utf8"));
      note("latin1", fs.readFileSync(file, "latin1"));
      note("bytes", await fs.promises.readFile(file));
      note("bytes", await fs.promises.readFile(file, { encoding: null, flag: "r" }));
      note("text", await fs.promises.readFile(file, "utf8"));
      note("text", await fs.promises.readFile(file, { encoding: "utf-8", signal: new AbortController().signal }));
      note("latin1", await fs.promises.readFile(Buffer.from(file), "latin1"));
      for (const [kind, encoding] of [["bytes", null], ["text", "utf8"], ["latin1", "latin1"]]) {
        note(kind, await new Promise((resolve, reject) => {
          fs.readFile(file, encoding, (error, data) => (error ? reject(error) : resolve(data)));
        }));
      }
    }
    const buffer = fs.readFileSync(file);
    console.log(size, [...seen].sort().join(", "), buffer.buffer.byteLength >= size, buffer.byteOffset + buffer.length <= buffer.buffer.byteLength);
  }

  // Errors.
  for (const wrong of [path.join(dir, "none"), dir, path.join(dir, "f1", "x")]) {
    const told = (error) => `${error.code} ${error.syscall} ${error.message.replaceAll(dir, "DIR")} ${error.path?.replaceAll(dir, "DIR")}`;
    for (const encoding of [undefined, "utf8"]) {
      try {
        fs.readFileSync(wrong, encoding);
      } catch (error) {
        console.log("sync", told(error));
      }
      await fs.promises.readFile(wrong, encoding).catch((error) => console.log("promise", told(error)));
      await new Promise((resolve) => fs.readFile(wrong, encoding, (error) => resolve(console.log("callback", told(error)))));
    }
  }
  console.log(await fs.promises.readFile(5.5).catch((error) => error.code), await fs.promises.readFile("a\0b").catch((error) => error.code));
  const signal = AbortSignal.abort();
  console.log(await fs.promises.readFile(path.join(dir, "f1"), { signal }).catch((error) => error.name));

  // Files whose size says nothing, and such that cannot be read at once.
  console.log(fs.readFileSync("/proc/self/status", "utf8").includes("Pid:"), (await fs.promises.readFile("/proc/self/status", "utf8")).includes("Pid:"));
  console.log((await fs.promises.readFile("/dev/null")).length, fs.readFileSync("/dev/null", "utf8") === "");
  const pipe = path.join(dir, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const encoding of [undefined, "utf8"]) {
    const reading = fs.promises.readFile(pipe, encoding);
    const other = await fs.promises.readFile(path.join(dir, "f100"), "latin1");
    spawn("sh", ["-c", `sleep 0.05; { echo one; sleep 0.05; echo two; } > ${pipe}`]);
    console.log(other.length, JSON.stringify(String(await reading)));
  }
  const piped = new Promise((resolve) => fs.readFile(pipe, (error, data) => resolve(String(data))));
  spawn("sh", ["-c", `echo three > ${pipe}`]);
  console.log(JSON.stringify(await piped));

  // A callback never runs before the call returns, nor before microtasks; and timers have their turn between the files.
  const file = path.join(dir, "f100");
  const order = [];
  await new Promise((resolve) => {
    fs.readFile(file, () => {
      order.push("callback");
      queueMicrotask(() => order.push("its microtask"));
      process.nextTick(() => order.push("its tick"));
      setImmediate(resolve);
    });
    Promise.resolve().then(() => order.push("microtask"));
    process.nextTick(() => order.push("tick"));
    order.push("returned");
  });
  console.log(order.join(", "));
  let fired = false;
  setTimeout(() => fired = true, 1);
  let reads = 0;
  while (!fired) {
    await fs.promises.readFile(file);
    reads++;
  }
  console.log("a timer fired between files", reads > 0);
  const many = await Promise.all(Array.from({ length: 2000 }, (_, i) => fs.promises.readFile(file, i & 1 ? "utf8" : undefined)));
  console.log(many.length, many.every((one, i) => one.length === 100 || i & 1));
}

const { AsyncLocalStorage } = require("node:async_hooks");
const storage = new AsyncLocalStorage();
main().then(() => new Promise((resolve) => {
  storage.run("context", () => {
    fs.readFile(path.join(dir, "f1"), () => {
      console.log(storage.getStore());
      fs.promises.readFile(path.join(dir, "f1")).then(() => {
        console.log(storage.getStore());
        fs.stat(dir, () => {
          console.log(storage.getStore());
          resolve();
        });
      });
    });
  });
})).finally(() => fs.rmSync(dir, { recursive: true }));

// The functions of WASI as a program calls them: descriptors, rights, paths that stay within their folder, times, waits.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { WASI } from "node:wasi";

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "wasi-")));
const inside = path.join(folder, "inside");
fs.mkdirSync(path.join(inside, "sub"), { recursive: true });
fs.writeFileSync(path.join(folder, "secret"), "secret");
fs.writeFileSync(path.join(inside, "file"), "0123456789");
fs.symlinkSync("file", path.join(inside, "link"));
fs.symlinkSync("../secret", path.join(inside, "out"));
fs.symlinkSync("/etc/hostname", path.join(inside, "far"));
fs.symlinkSync("loop", path.join(inside, "loop"));
fs.symlinkSync("sub", path.join(inside, "folder"));

const wasi = new WASI({
  version: "preview1",
  args: ["program", "ä"],
  env: { A: "1", B: undefined, C: "x=y" },
  preopens: { "/box": inside },
  stdin: fs.openSync(path.join(inside, "file")),
});
const memory = new WebAssembly.Memory({ initial: 1 });
try {
  wasi.wasiImport.sched_yield();
} catch ({ code }) {
  console.log(code);
}
wasi.initialize({ exports: { memory } });
const call = wasi.wasiImport;
const bytes = new Uint8Array(memory.buffer);
const view = new DataView(memory.buffer);
const text = (at, length) => Buffer.from(bytes.subarray(at, at + length)).toString();
/** Puts a text at an address; gives [address, length]. */
const put = (at, string) => [at, Buffer.from(bytes.buffer).write(string, at)];
const PATH = 1000;
const OTHER = 2000;
const RESULT = 4000;
const BUFFER = 5000;
const ALL = (1n << 30n) - 1n;
const FILES = 0x8e001ffn;
const say = (...what) => console.log(...what);

// Arguments and environment.
say(call.args_sizes_get(0, 4), view.getUint32(0, true), view.getUint32(4, true));
say(call.args_get(0, 100), text(100, 11).split("\0"));
say(call.environ_sizes_get(0, 4), view.getUint32(0, true), view.getUint32(4, true));
say(call.environ_get(0, 100), text(100, 10).split("\0"));
say("out of memory", call.args_get(70000, 100));

// What was given.
say(call.fd_prestat_get(3, 0), view.getUint8(0), view.getUint32(4, true), call.fd_prestat_dir_name(3, 8, 4), text(8, 4));
say("prestat", call.fd_prestat_get(4, 0), call.fd_prestat_get(0, 0), call.fd_prestat_dir_name(3, 8, 3));

const open = (name, { how = 0, rights = FILES, flags = 0, follow = 1, from = 3 } = {}) => {
  const errno = call.path_open(from, follow, ...put(PATH, name), how, rights, rights, flags, RESULT);
  return errno === 0 ? view.getUint32(RESULT, true) : -errno;
};
const read = (fd, size) => {
  view.setUint32(0, BUFFER, true);
  view.setUint32(4, 3, true);
  view.setUint32(8, BUFFER + 3, true);
  view.setUint32(12, size - 3, true);
  const errno = call.fd_read(fd, 0, 2, RESULT);
  return errno === 0 ? text(BUFFER, view.getUint32(RESULT, true)) : errno;
};
const write = (fd, string) => {
  const [at, length] = put(BUFFER, string);
  view.setUint32(0, at, true);
  view.setUint32(4, length, true);
  const errno = call.fd_write(fd, 0, 1, RESULT);
  return errno === 0 ? view.getUint32(RESULT, true) : -errno;
};

// Files.
const file = open("file");
say("open", file, read(file, 6), read(file, 100), JSON.stringify(read(file, 10)));
say("seek", call.fd_seek(file, -4n, 2, RESULT), view.getBigUint64(RESULT, true), read(file, 6));
say("seek", call.fd_seek(file, -40n, 0, RESULT), call.fd_seek(file, 0n, 7, RESULT), call.fd_tell(file, RESULT), view.getBigUint64(RESULT, true));
view.setUint32(0, BUFFER, true);
view.setUint32(4, 4, true);
say("pread", call.fd_pread(file, 0, 1, 2n, RESULT), text(BUFFER, view.getUint32(RESULT, true)));
say("write", call.fd_seek(file, 0n, 0, RESULT), write(file, "AB"), read(file, 4));
say("size", call.fd_filestat_set_size(file, 4n), call.fd_filestat_get(file, RESULT), view.getUint8(RESULT + 16), view.getBigUint64(RESULT + 32, true));
say("allocate", call.fd_allocate(file, 0n, 12n), fs.statSync(path.join(inside, "file")).size, call.fd_advise(file, 0n, 0n, 2), call.fd_advise(file, 0n, 0n, 9));
say("sync", call.fd_sync(file), call.fd_datasync(file), call.fd_sync(3));
say("times", call.fd_filestat_set_times(file, 1_500_000_000n, 2_000_000_000n, 5), fs.statSync(path.join(inside, "file")).mtimeMs, call.fd_filestat_set_times(file, 0n, 0n, 3));
say("flags", call.fd_fdstat_set_flags(file, 1), call.fd_fdstat_get(file, RESULT), view.getUint8(RESULT), view.getUint16(RESULT + 2, true) & 1, write(file, "end"), fs.readFileSync(path.join(inside, "file"), "latin1").slice(-3));
say("stdin", read(0, 5), call.fd_close(0), read(0, 5));
const second = open("file");
say("renumber", call.fd_renumber(file, second), read(file, 4), call.fd_renumber(file, 99), call.fd_close(second), call.fd_close(second));

// Rights.
const weak = open("file", { rights: 2n });
say("weak", write(weak, "x"), call.fd_seek(weak, 0n, 0, RESULT), JSON.stringify(read(weak, 4)), call.fd_fdstat_set_rights(weak, ALL, 0n), call.fd_fdstat_set_rights(weak, 0n, 0n), read(weak, 4), call.fd_close(weak));

// Paths.
for (const name of ["link", "out", "far", "loop", "../secret", "sub/../../secret", "sub/../file", "none", "file/x", "folder/", "", "none/../file", "/box/file", "/etc/hostname", "./././file"]) {
  const fd = open(name);
  say("path", JSON.stringify(name), fd >= 0 ? call.fd_close(fd) : fd, open(name, { follow: 0 }) >= 0);
}
say("create", open("new", { how: 5 }) > 0, open("new", { how: 5 }), open("new", { how: 2 }), open("sub", { how: 2, rights: 1n << 14n }) > 0);
say("folders", call.path_create_directory(3, ...put(PATH, "made")), call.path_create_directory(3, ...put(PATH, "made")), call.path_remove_directory(3, ...put(PATH, "made")), call.path_remove_directory(3, ...put(PATH, "../secret")));
say("links", call.path_symlink(...put(PATH, "file"), 3, ...put(OTHER, "mine")), call.path_readlink(3, ...put(PATH, "mine"), BUFFER, 3, RESULT), text(BUFFER, view.getUint32(RESULT, true)), call.path_readlink(3, ...put(PATH, "file"), BUFFER, 30, RESULT));
say("link", call.path_link(3, 0, ...put(PATH, "new"), 3, ...put(OTHER, "hard")), call.path_rename(3, ...put(PATH, "hard"), 3, ...put(OTHER, "harder")), call.path_unlink_file(3, ...put(PATH, "harder")), call.path_unlink_file(3, ...put(PATH, "sub")) !== 0, call.path_rename(3, ...put(PATH, "new"), 3, ...put(OTHER, "../away")));
say("stat", call.path_filestat_get(3, 0, ...put(PATH, "link"), RESULT), view.getUint8(RESULT + 16), call.path_filestat_get(3, 1, ...put(PATH, "link"), RESULT), view.getUint8(RESULT + 16), call.path_filestat_get(3, 1, ...put(PATH, "out"), RESULT));

// A folder's entries, in two parts.
const entries = [];
let cookie = 0n;
for (let round = 0; round < 20; round++) {
  call.fd_readdir(3, BUFFER, 64, cookie, RESULT);
  const used = view.getUint32(RESULT, true);
  let at = 0;
  while (at + 24 <= used) {
    const length = view.getUint32(BUFFER + at + 16, true);
    if (at + 24 + length > used) break;
    cookie = view.getBigUint64(BUFFER + at, true);
    entries.push(`${text(BUFFER + at + 24, length)}:${view.getUint8(BUFFER + at + 20)}`);
    at += 24 + length;
  }
  if (used < 64) break;
}
say(entries.sort().join(" "));

// Clocks, chance, waiting.
say("clocks", [0, 1, 2, 3, 4, 99].map((id) => call.clock_time_get(id, 0n, RESULT)), call.clock_res_get(1, RESULT), view.getBigUint64(RESULT, true));
say("random", call.random_get(BUFFER, 100), bytes.subarray(BUFFER, BUFFER + 100).some((byte) => byte > 100), call.random_get(65530, 100));
bytes.fill(0, 0, 200);
view.setBigUint64(0, 7n, true);
view.setUint32(16, 1, true);
view.setBigUint64(24, 20_000_000n, true);
view.setBigUint64(48, 8n, true);
view.setUint8(56, 2);
view.setUint32(64, 55, true);
const begun = performance.now();
say("poll", call.poll_oneoff(0, BUFFER, 1, RESULT), view.getUint32(RESULT, true), view.getBigUint64(BUFFER, true), performance.now() - begun >= 19);
say("poll", call.poll_oneoff(0, BUFFER, 0, RESULT));
say("sockets", call.sock_accept(3, 0, RESULT), call.sock_shutdown(77, 0));
say("arguments", call.fd_close(), call.fd_close(99));
fs.rmSync(folder, { recursive: true });
for (const options of [undefined, { version: "preview2" }, { version: "preview1", preopens: { "/": "/none" } }, { version: "preview1", stdin: -1 }]) {
  try {
    new WASI(options);
  } catch ({ name, code, message }) {
    say(name, code, message);
  }
}

/**
 * The functions of WASI preview 1 (https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md). Parameters are those of the
 * standard: addresses and lengths are unsigned, 64-bit numbers are BigInts. What a function refuses it throws.
 */

import fs from "node:fs";
import * as table from "internal/wasi/descriptors";
import { DIRECTORY, Descriptors, kindOf } from "internal/wasi/descriptors";
import { errnoOf, Refusal } from "internal/wasi/errno";
import { Memory } from "internal/wasi/memory";
import { hostPath } from "internal/wasi/paths";
import { poll } from "internal/wasi/poll";
import type { Import, Settings, Stats, WasmMemory } from "internal/wasi/types";

const ops = native("wasi");
const { constants } = fs;
const encoder = new TextEncoder();

const NANOSECONDS = 1_000_000_000n;
const CLOCKS = 4;
/** Flags of path_open. */
const CREATE = 1,
  MUST_BE_DIRECTORY = 2,
  EXCLUSIVE = 4,
  TRUNCATE = 8;
/** Flags of descriptors. */
const APPEND = 1,
  DSYNC = 2,
  NONBLOCK = 4,
  RSYNC = 8,
  SYNC = 16;
/** Flags of times: a time that is given, or now. */
const ATIM = 1,
  ATIM_NOW = 2,
  MTIM = 4,
  MTIM_NOW = 8;
const FOLLOW = 1;
const ADVICE = 6;
const DIRENT_SIZE = 24;
const SIGNALS =
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM " +
  "PROF WINCH IO PWR SYS";

/** Bytes that system calls may write into; those of shared memory are copied back. */
function within(memory: Memory, pieces: Uint8Array[], call: (pieces: Uint8Array[]) => number): number {
  if (!memory.isShared) return call(pieces);
  const copies = pieces.map((piece) => piece.slice());
  const count = call(copies);
  pieces.forEach((piece, i) => piece.set(copies[i]!));
  return count;
}

const EXACT = { bigint: true };
const IF_THERE = { bigint: true, throwIfNoEntry: false };
const stat = (path: string): Stats => fs.statSync(path, EXACT) as Stats;
const lstat = (path: string): Stats => fs.lstatSync(path, EXACT) as Stats;
const fstat = (fd: number): Stats => fs.fstatSync(fd, EXACT) as Stats;

/** Seconds of a time in nanoseconds. */
const seconds = (time: bigint): number => Number(time) / 1e9;

export class Preview1 {
  #settings: Settings;
  #args: Uint8Array[];
  #env: Uint8Array[];
  #files = new Descriptors();
  #memory: Memory | undefined = undefined;

  /** Opens what the program is given. Throws what the calls for it throw. */
  constructor(settings: Settings) {
    this.#settings = settings;
    this.#args = settings.args.map((text) => encoder.encode(`${text}\0`));
    this.#env = settings.env.map((text) => encoder.encode(`${text}\0`));
    for (const fd of settings.stdio) this.#files.borrow(fd);
    for (const [name, path] of settings.preopens) this.#files.give(name, path);
  }

  /** The functions as a program imports them. */
  imports(notStarted: () => never): Record<string, Import> {
    const imports: Record<string, Import> = {};
    const own = this as unknown as Record<string, (...values: unknown[]) => void>;
    for (const name of Object.getOwnPropertyNames(Preview1.prototype)) {
      if (!name.includes("_")) continue;
      const call = own[name]!;
      imports[name] = (...values) => {
        if (this.#memory === undefined) notStarted();
        if (values.length !== call.length) return errnoOf(new Refusal("EINVAL"));
        for (let i = 0; i < values.length; i++)
          values[i] = typeof values[i] === "bigint" ? BigInt.asUintN(64, values[i] as bigint) : Number(values[i]) >>> 0;
        try {
          call.apply(own, values);
          return 0;
        } catch (error) {
          return errnoOf(error);
        }
      };
    }
    const leave = this.#settings.exit;
    imports.proc_exit = (code) => {
      leave(Number(code) | 0);
      return 0;
    };
    return imports;
  }

  start(memory: WasmMemory): void {
    this.#memory = new Memory(memory);
  }

  get #at(): Memory {
    return this.#memory!;
  }

  // ---- arguments and environment

  #list(texts: Uint8Array[], addresses: number, address: number): void {
    for (const text of texts) {
      this.#at.setUint32(addresses, address);
      this.#at.bytes(address, text.length).set(text);
      addresses += 4;
      address += text.length;
    }
  }

  #sizes(texts: Uint8Array[], count: number, size: number): void {
    this.#at.setUint32(count, texts.length);
    this.#at.setUint32(
      size,
      texts.reduce((sum, text) => sum + text.length, 0),
    );
  }

  args_get(addresses: number, address: number): void {
    this.#list(this.#args, addresses, address);
  }
  args_sizes_get(count: number, size: number): void {
    this.#sizes(this.#args, count, size);
  }
  environ_get(addresses: number, address: number): void {
    this.#list(this.#env, addresses, address);
  }
  environ_sizes_get(count: number, size: number): void {
    this.#sizes(this.#env, count, size);
  }

  // ---- clocks, chance, the process

  #clock(id: number, read: (id: number) => [number, number], address: number): void {
    if (id >= CLOCKS) throw new Refusal("EINVAL");
    const [whole, rest] = read(id);
    this.#at.setUint64(address, BigInt(whole) * NANOSECONDS + BigInt(rest));
  }

  clock_res_get(id: number, address: number): void {
    this.#clock(id, ops.clockResolution, address);
  }
  clock_time_get(id: number, _precision: bigint, address: number): void {
    this.#clock(id, ops.clockTime, address);
  }

  random_get(address: number, length: number): void {
    within(this.#at, [this.#at.bytes(address, length)], ([bytes]) => {
      require("node:crypto").randomFillSync(bytes!);
      return length;
    });
  }

  sched_yield(): void {
    // Another thread may run at any time.
  }

  proc_raise(signal: number): void {
    const name = SIGNALS.split(" ")[signal - 1];
    if (name === undefined) throw new Refusal("EINVAL");
    process.kill(process.pid, `SIG${name}`);
  }

  poll_oneoff(subscriptions: number, events: number, count: number, size: number): void {
    if (count === 0) throw new Refusal("EINVAL");
    this.#at.setUint32(size, poll(this.#at, this.#files, subscriptions, events, count));
  }

  // ---- descriptors

  fd_advise(fd: number, offset: bigint, length: bigint, advice: number): void {
    if (advice >= ADVICE) throw new Refusal("EINVAL");
    ops.advise(this.#files.file(fd, table.FD_ADVISE), Number(offset), Number(length), advice);
  }

  fd_allocate(fd: number, offset: bigint, length: bigint): void {
    ops.allocate(this.#files.file(fd, table.FD_ALLOCATE), Number(offset), Number(length));
  }

  fd_close(fd: number): void {
    this.#files.close(fd);
  }

  fd_datasync(fd: number): void {
    fs.fdatasyncSync(this.#files.file(fd, table.FD_DATASYNC));
  }

  fd_sync(fd: number): void {
    const { fd: own, root } = this.#files.get(fd, table.FD_SYNC);
    if (root === undefined) return fs.fsyncSync(own);
    const opened = fs.openSync(root.path || "/", constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fs.fsyncSync(opened);
    } finally {
      fs.closeSync(opened);
    }
  }

  fd_fdstat_get(fd: number, address: number): void {
    const { fd: own, kind, rights, inherited } = this.#files.get(fd);
    const host = own < 0 ? 0 : ops.statusFlags(own);
    const { view } = this.#at;
    let flags = 0;
    if ((host & constants.O_APPEND) !== 0) flags |= APPEND;
    if ((host & constants.O_NONBLOCK) !== 0) flags |= NONBLOCK;
    // O_SYNC has the bit of O_DSYNC in it.
    if ((host & constants.O_SYNC) === constants.O_SYNC) flags |= SYNC | RSYNC;
    else if ((host & constants.O_DSYNC) !== 0) flags |= DSYNC;
    view.setUint8(address, kind);
    view.setUint16(address + 2, flags, true);
    view.setBigUint64(address + 8, BigInt(rights), true);
    view.setBigUint64(address + 16, BigInt(inherited), true);
  }

  fd_fdstat_set_flags(fd: number, flags: number): void {
    const file = this.#files.file(fd, table.FD_FDSTAT_SET_FLAGS);
    // Linux sets the others when a file is opened only.
    if ((flags & ~(APPEND | NONBLOCK)) !== 0) throw new Refusal("ENOTSUP");
    ops.setStatusFlags(file, (flags & APPEND) !== 0, (flags & NONBLOCK) !== 0);
  }

  fd_fdstat_set_rights(fd: number, rights: bigint, inherited: bigint): void {
    const file = this.#files.get(fd);
    // Rights are only given up.
    if ((BigInt(file.rights) | rights) !== BigInt(file.rights)) throw new Refusal("ENOTCAPABLE");
    if ((BigInt(file.inherited) | inherited) !== BigInt(file.inherited)) throw new Refusal("ENOTCAPABLE");
    file.rights = Number(rights);
    file.inherited = Number(inherited);
  }

  #stat(stats: Stats, address: number): void {
    const { view } = this.#at;
    view.setBigUint64(address, stats.dev, true);
    view.setBigUint64(address + 8, stats.ino, true);
    view.setBigUint64(address + 16, BigInt(kindOf(Number(stats.mode))), true);
    view.setBigUint64(address + 24, stats.nlink, true);
    view.setBigUint64(address + 32, stats.size, true);
    view.setBigUint64(address + 40, stats.atimeNs, true);
    view.setBigUint64(address + 48, stats.mtimeNs, true);
    view.setBigUint64(address + 56, stats.ctimeNs, true);
  }

  fd_filestat_get(fd: number, address: number): void {
    const { fd: own, root } = this.#files.get(fd, table.FD_FILESTAT_GET);
    this.#stat(root === undefined ? fstat(own) : stat(root.path || "/"), address);
  }

  fd_filestat_set_size(fd: number, size: bigint): void {
    fs.ftruncateSync(this.#files.file(fd, table.FD_FILESTAT_SET_SIZE), Number(size));
  }

  /** The times to set, in seconds. */
  #times(stats: Stats, atime: bigint, mtime: bigint, flags: number): [number, number] {
    const both = (a: number, b: number): boolean => (flags & a) !== 0 && (flags & b) !== 0;
    if (flags > 15 || both(ATIM, ATIM_NOW) || both(MTIM, MTIM_NOW)) throw new Refusal("EINVAL");
    const now = Date.now() / 1000;
    const one = (given: boolean, time: bigint, isNow: boolean, old: bigint): number =>
      isNow ? now : seconds(given ? time : old);
    return [
      one((flags & ATIM) !== 0, atime, (flags & ATIM_NOW) !== 0, stats.atimeNs),
      one((flags & MTIM) !== 0, mtime, (flags & MTIM_NOW) !== 0, stats.mtimeNs),
    ];
  }

  fd_filestat_set_times(fd: number, atime: bigint, mtime: bigint, flags: number): void {
    const { fd: own, root } = this.#files.get(fd, table.FD_FILESTAT_SET_TIMES);
    if (root === undefined) return fs.futimesSync(own, ...this.#times(fstat(own), atime, mtime, flags));
    const path = root.path || "/";
    fs.utimesSync(path, ...this.#times(stat(path), atime, mtime, flags));
  }

  fd_prestat_get(fd: number, address: number): void {
    const name = this.#given(fd);
    this.#at.setUint32(address, 0);
    this.#at.setUint32(address + 4, name.length);
  }

  fd_prestat_dir_name(fd: number, address: number, length: number): void {
    const name = this.#given(fd);
    if (length < name.length) throw new Refusal("ENOBUFS");
    this.#at.bytes(address, name.length).set(name);
  }

  #given(fd: number): Uint8Array {
    const { isGiven, root } = this.#files.get(fd);
    if (!isGiven) throw new Refusal("EINVAL");
    return encoder.encode(root!.name);
  }

  fd_read(fd: number, pieces: number, count: number, size: number): void {
    this.#read(this.#files.file(fd, table.FD_READ), pieces, count, null, size);
  }
  fd_pread(fd: number, pieces: number, count: number, offset: bigint, size: number): void {
    this.#read(this.#files.file(fd, table.FD_READ | table.FD_SEEK), pieces, count, Number(offset), size);
  }
  #read(file: number, pieces: number, count: number, at: number | null, size: number): void {
    const read = (all: Uint8Array[]): number => fs.readvSync(file, all, at);
    this.#at.setUint32(size, within(this.#at, this.#at.pieces(pieces, count), read));
  }

  fd_write(fd: number, pieces: number, count: number, size: number): void {
    this.#write(this.#files.file(fd, table.FD_WRITE), pieces, count, null, size);
  }
  fd_pwrite(fd: number, pieces: number, count: number, offset: bigint, size: number): void {
    this.#write(this.#files.file(fd, table.FD_WRITE | table.FD_SEEK), pieces, count, Number(offset), size);
  }
  #write(file: number, pieces: number, count: number, at: number | null, size: number): void {
    const all = this.#at.pieces(pieces, count);
    const own = this.#at.isShared ? all.map((piece) => piece.slice()) : all;
    this.#at.setUint32(size, fs.writevSync(file, own, at));
  }

  fd_seek(fd: number, offset: bigint, whence: number, address: number): void {
    if (whence > 2) throw new Refusal("EINVAL");
    const distance = Number(BigInt.asIntN(64, offset));
    this.#at.setUint64(address, BigInt(ops.seek(this.#files.file(fd, table.FD_SEEK), distance, whence)));
  }
  fd_tell(fd: number, address: number): void {
    this.#at.setUint64(address, BigInt(ops.seek(this.#files.file(fd, table.FD_TELL), 0, 1)));
  }

  fd_renumber(from: number, to: number): void {
    this.#files.renumber(from, to);
  }

  fd_readdir(fd: number, address: number, length: number, cookie: bigint, size: number): void {
    const file = this.#files.get(fd, table.FD_READDIR);
    if (file.root === undefined) throw new Refusal("ENOTDIR");
    const path = file.root.path || "/";
    // A reader that begins anew sees what is there now.
    if (cookie === 0n || file.entries === undefined) file.entries = fs.readdirSync(path);
    let used = 0;
    for (let i = Number(cookie); i < file.entries.length && used < length; i++) {
      const record = this.#entry(path, file.entries[i]!, i);
      if (record === undefined) continue;
      const part = record.subarray(0, length - used);
      this.#at.bytes(address + used, part.length).set(part);
      used += part.length;
    }
    this.#at.setUint32(size, used);
  }

  /** A file of a folder; undefined where it has gone meanwhile. */
  #entry(path: string, name: string, index: number): Uint8Array | undefined {
    const stats = fs.lstatSync(`${path}/${name}`, IF_THERE) as Stats | undefined;
    if (stats === undefined) return undefined;
    const text = encoder.encode(name);
    const record = new Uint8Array(DIRENT_SIZE + text.length);
    const view = new DataView(record.buffer);
    view.setBigUint64(0, BigInt(index + 1), true);
    view.setBigUint64(8, stats.ino, true);
    view.setUint32(16, text.length, true);
    view.setUint8(20, kindOf(Number(stats.mode)));
    record.set(text, DIRENT_SIZE);
    return record;
  }

  // ---- paths

  /** The host's path for one below an open folder. */
  #path(fd: number, right: number, address: number, length: number, follow: boolean): string {
    return hostPath(this.#files.folder(fd, right), this.#at.text(address, length), follow);
  }

  path_create_directory(fd: number, address: number, length: number): void {
    fs.mkdirSync(this.#path(fd, table.PATH_CREATE_DIRECTORY, address, length, false));
  }

  path_filestat_get(fd: number, flags: number, address: number, length: number, result: number): void {
    const path = this.#path(fd, table.PATH_FILESTAT_GET, address, length, (flags & FOLLOW) !== 0);
    this.#stat(lstat(path), result);
  }

  path_filestat_set_times(
    fd: number,
    flags: number,
    address: number,
    length: number,
    atime: bigint,
    mtime: bigint,
    times: number,
  ): void {
    const path = this.#path(fd, table.PATH_FILESTAT_SET_TIMES, address, length, (flags & FOLLOW) !== 0);
    fs.lutimesSync(path, ...this.#times(lstat(path), atime, mtime, times));
  }

  path_link(
    fromFd: number,
    flags: number,
    from: number,
    fromLength: number,
    toFd: number,
    to: number,
    toLength: number,
  ): void {
    const old = this.#path(fromFd, table.PATH_LINK_SOURCE, from, fromLength, (flags & FOLLOW) !== 0);
    fs.linkSync(old, this.#path(toFd, table.PATH_LINK_TARGET, to, toLength, false));
  }

  path_open(
    fd: number,
    lookup: number,
    address: number,
    length: number,
    how: number,
    base: bigint,
    inheriting: bigint,
    flags: number,
    result: number,
  ): void {
    const rights = Number(base & 0x3fffffffn);
    const inherited = Number(inheriting & 0x3fffffffn);
    let needed = table.PATH_OPEN;
    let passed = rights | inherited;
    const reads = (rights & (table.FD_READDIR | table.FD_READ)) !== 0;
    const writes =
      (rights & (table.FD_DATASYNC | table.FD_WRITE | table.FD_ALLOCATE | table.FD_FILESTAT_SET_SIZE)) !== 0;
    let mode = reads && writes ? constants.O_RDWR : writes ? constants.O_WRONLY : constants.O_RDONLY;
    if ((how & CREATE) !== 0) {
      mode |= constants.O_CREAT;
      needed |= table.PATH_CREATE_FILE;
    }
    if ((how & EXCLUSIVE) !== 0) mode |= constants.O_EXCL;
    if ((how & TRUNCATE) !== 0) {
      mode |= constants.O_TRUNC;
      needed |= table.PATH_FILESTAT_SET_SIZE;
    }
    if ((flags & APPEND) !== 0) mode |= constants.O_APPEND;
    if ((flags & NONBLOCK) !== 0) mode |= constants.O_NONBLOCK;
    if ((flags & DSYNC) !== 0) {
      mode |= constants.O_DSYNC;
      passed |= table.FD_DATASYNC;
    }
    if ((flags & (RSYNC | SYNC)) !== 0) {
      mode |= constants.O_SYNC;
      passed |= table.FD_SYNC;
    }
    const { root } = this.#files.get(fd, needed, passed);
    if (root === undefined) throw new Refusal("ENOTDIR");
    const path = hostPath(root, this.#at.text(address, length), (lookup & FOLLOW) !== 0);
    if ((how & MUST_BE_DIRECTORY) !== 0) mode |= constants.O_DIRECTORY;
    // A folder cannot be opened for writing, which a program asks for with all rights.
    const isFolder = fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isFolder && (how & MUST_BE_DIRECTORY) !== 0) mode &= ~(constants.O_RDWR | constants.O_WRONLY);
    // A link in the last place has been followed, or is not to be.
    const opened = fs.openSync(path, mode | constants.O_NOFOLLOW, 0o666);
    let kind: number;
    try {
      kind = kindOf(fs.fstatSync(opened).mode);
    } catch (error) {
      fs.closeSync(opened);
      throw error;
    }
    if (kind === DIRECTORY) fs.closeSync(opened);
    this.#at.setUint32(result, this.#files.open(kind === DIRECTORY ? -1 : opened, kind, path, rights, inherited));
  }

  path_readlink(fd: number, address: number, length: number, to: number, room: number, size: number): void {
    const path = this.#path(fd, table.PATH_READLINK, address, length, false);
    const target = encoder.encode(fs.readlinkSync(path) as string).subarray(0, room);
    this.#at.bytes(to, target.length).set(target);
    this.#at.setUint32(size, target.length);
  }

  path_remove_directory(fd: number, address: number, length: number): void {
    fs.rmdirSync(this.#path(fd, table.PATH_REMOVE_DIRECTORY, address, length, false));
  }

  path_rename(fromFd: number, from: number, fromLength: number, toFd: number, to: number, toLength: number): void {
    const old = this.#path(fromFd, table.PATH_RENAME_SOURCE, from, fromLength, false);
    fs.renameSync(old, this.#path(toFd, table.PATH_RENAME_TARGET, to, toLength, false));
  }

  path_symlink(target: number, targetLength: number, fd: number, address: number, length: number): void {
    const text = this.#at.text(target, targetLength);
    // Where a link of the program's leads is checked when it is followed, but not by programs of the host.
    if (text.startsWith("/")) throw new Refusal("ENOTCAPABLE");
    fs.symlinkSync(text, this.#path(fd, table.PATH_SYMLINK, address, length, false));
  }

  path_unlink_file(fd: number, address: number, length: number): void {
    fs.unlinkSync(this.#path(fd, table.PATH_UNLINK_FILE, address, length, false));
  }

  // ---- sockets: a program is given none

  #noSocket(fd: number, right: number): never {
    this.#files.get(fd, right);
    throw new Refusal("ENOTSOCK");
  }

  sock_accept(fd: number, _flags: number, _result: number): void {
    this.#noSocket(fd, table.SOCK_ACCEPT);
  }
  sock_recv(fd: number, _pieces: number, _count: number, _flags: number, _size: number, _result: number): void {
    this.#noSocket(fd, table.FD_READ);
  }
  sock_send(fd: number, _pieces: number, _count: number, _flags: number, _size: number): void {
    this.#noSocket(fd, table.FD_WRITE);
  }
  sock_shutdown(fd: number, _how: number): void {
    this.#noSocket(fd, table.SOCK_SHUTDOWN);
  }
}

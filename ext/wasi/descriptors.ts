/** The open files of a program, and what it may do with each. */

import fs from "node:fs";
import { Refusal } from "internal/wasi/errno";
import type { Root } from "internal/wasi/paths";

/** Kinds of files, and the numbers of rights as bits. */
const UNKNOWN = 0,
  BLOCK_DEVICE = 1,
  CHARACTER_DEVICE = 2,
  SOCKET_STREAM = 6,
  SYMBOLIC_LINK = 7;
export const DIRECTORY = 3,
  REGULAR_FILE = 4;

const right = (number: number): number => 2 ** number;
export const FD_DATASYNC = right(0),
  FD_READ = right(1),
  FD_SEEK = right(2),
  FD_FDSTAT_SET_FLAGS = right(3),
  FD_SYNC = right(4),
  FD_TELL = right(5),
  FD_WRITE = right(6),
  FD_ADVISE = right(7),
  FD_ALLOCATE = right(8),
  PATH_CREATE_DIRECTORY = right(9),
  PATH_CREATE_FILE = right(10),
  PATH_LINK_SOURCE = right(11),
  PATH_LINK_TARGET = right(12),
  PATH_OPEN = right(13),
  FD_READDIR = right(14),
  PATH_READLINK = right(15),
  PATH_RENAME_SOURCE = right(16),
  PATH_RENAME_TARGET = right(17),
  PATH_FILESTAT_GET = right(18),
  PATH_FILESTAT_SET_SIZE = right(19),
  PATH_FILESTAT_SET_TIMES = right(20),
  FD_FILESTAT_GET = right(21),
  FD_FILESTAT_SET_SIZE = right(22),
  FD_FILESTAT_SET_TIMES = right(23),
  PATH_SYMLINK = right(24),
  PATH_REMOVE_DIRECTORY = right(25),
  PATH_UNLINK_FILE = right(26),
  POLL_FD_READWRITE = right(27),
  SOCK_SHUTDOWN = right(28),
  SOCK_ACCEPT = right(29);
const ALL = right(30) - 1;
const OF_TERMINALS = FD_READ | FD_FDSTAT_SET_FLAGS | FD_WRITE | FD_FILESTAT_GET | POLL_FD_READWRITE;
const OF_FILES =
  OF_TERMINALS |
  FD_DATASYNC |
  FD_SEEK |
  FD_SYNC |
  FD_TELL |
  FD_ADVISE |
  FD_ALLOCATE |
  FD_FILESTAT_SET_SIZE |
  FD_FILESTAT_SET_TIMES;
const OF_FOLDERS =
  FD_FDSTAT_SET_FLAGS |
  FD_SYNC |
  FD_ADVISE |
  PATH_CREATE_DIRECTORY |
  PATH_CREATE_FILE |
  PATH_LINK_SOURCE |
  PATH_LINK_TARGET |
  PATH_OPEN |
  FD_READDIR |
  PATH_READLINK |
  PATH_RENAME_SOURCE |
  PATH_RENAME_TARGET |
  PATH_FILESTAT_GET |
  PATH_FILESTAT_SET_SIZE |
  PATH_FILESTAT_SET_TIMES |
  FD_FILESTAT_GET |
  FD_FILESTAT_SET_TIMES |
  PATH_SYMLINK |
  PATH_REMOVE_DIRECTORY |
  PATH_UNLINK_FILE |
  POLL_FD_READWRITE;

interface Descriptor {
  /** The host's; -1 for folders, which are opened when there is need. */
  fd: number;
  kind: number;
  rights: number;
  /** Of what is opened below it. */
  inherited: number;
  root: Root | undefined;
  /** Given at the start: its name is told. */
  isGiven: boolean;
  /** The host's stdin, stdout and stderr stay open when the program closes them. */
  isBorrowed: boolean;
  /** What a reader of the folder saw at its beginning. */
  entries: string[] | undefined;
}

/** A file's kind by its mode. */
export function kindOf(mode: number): number {
  switch (mode & fs.constants.S_IFMT) {
    case fs.constants.S_IFREG:
      return REGULAR_FILE;
    case fs.constants.S_IFDIR:
      return DIRECTORY;
    case fs.constants.S_IFCHR:
      return CHARACTER_DEVICE;
    case fs.constants.S_IFBLK:
      return BLOCK_DEVICE;
    case fs.constants.S_IFLNK:
      return SYMBOLIC_LINK;
    case fs.constants.S_IFSOCK:
    case fs.constants.S_IFIFO:
      return SOCKET_STREAM;
    default:
      return UNKNOWN;
  }
}

/** What a file of a kind allows, for itself and for what is opened below it. */
function rightsOf(kind: number, fd: number): [number, number] {
  switch (kind) {
    case REGULAR_FILE:
      return [OF_FILES, 0];
    case DIRECTORY:
      return [OF_FOLDERS, OF_FOLDERS | OF_FILES];
    case SOCKET_STREAM:
      return [OF_TERMINALS | SOCK_SHUTDOWN, ALL];
    case CHARACTER_DEVICE:
      return require("node:tty").isatty(fd) ? [OF_TERMINALS, 0] : [ALL, ALL];
    default:
      return [ALL, ALL];
  }
}

export class Descriptors {
  #all = new Map<number, Descriptor>();

  /** Opens the lowest number that is free. */
  #insert(descriptor: Descriptor): number {
    let number = 0;
    while (this.#all.has(number)) number++;
    this.#all.set(number, descriptor);
    return number;
  }

  /** One of stdin, stdout and stderr. */
  borrow(fd: number): void {
    const kind = kindOf(fs.fstatSync(fd).mode);
    const [rights, inherited] = rightsOf(kind, fd);
    this.#insert({
      fd,
      kind,
      rights,
      inherited,
      root: undefined,
      isGiven: false,
      isBorrowed: true,
      entries: undefined,
    });
  }

  /** A folder that the program calls `name`. */
  give(name: string, path: string): void {
    const real = fs.realpathSync(path);
    if (!fs.statSync(real).isDirectory()) throw new Refusal("ENOTDIR");
    const [rights, inherited] = rightsOf(DIRECTORY, -1);
    const root = { path: real === "/" ? "" : real, name };
    this.#insert({
      fd: -1,
      kind: DIRECTORY,
      rights,
      inherited,
      root,
      isGiven: true,
      isBorrowed: false,
      entries: undefined,
    });
  }

  /** A folder or file below one that was given, with no more than the rights that are wanted. */
  open(fd: number, kind: number, path: string, rights: number, inherited: number): number {
    const [most, mostInherited] = rightsOf(kind, fd);
    const root = kind === DIRECTORY ? { path: path.replace(/\/+$/, ""), name: undefined } : undefined;
    rights &= most;
    inherited &= mostInherited;
    return this.#insert({ fd, kind, rights, inherited, root, isGiven: false, isBorrowed: false, entries: undefined });
  }

  /** Throws EBADF for a number that is not open, ENOTCAPABLE where a right is wanting. */
  get(number: number, rights = 0, inherited = 0): Descriptor {
    const descriptor = this.#all.get(number);
    if (descriptor === undefined) throw new Refusal("EBADF");
    if ((~descriptor.rights & rights) !== 0 || (~descriptor.inherited & inherited) !== 0)
      throw new Refusal("ENOTCAPABLE");
    return descriptor;
  }

  /** The host's number of a file that is no folder. */
  file(number: number, rights = 0): number {
    const { fd } = this.get(number, rights);
    if (fd < 0) throw new Refusal("EISDIR");
    return fd;
  }

  /** The folder that paths start from. */
  folder(number: number, rights: number): Root {
    const { root } = this.get(number, rights);
    if (root === undefined) throw new Refusal("ENOTDIR");
    return root;
  }

  close(number: number): void {
    const { fd, isBorrowed } = this.get(number);
    this.#all.delete(number);
    if (fd >= 0 && !isBorrowed) fs.closeSync(fd);
  }

  /** Gives an open file the number of another one, which is closed. */
  renumber(from: number, to: number): void {
    const descriptor = this.get(from);
    this.get(to);
    if (from === to) return;
    this.close(to);
    this.#all.delete(from);
    this.#all.set(to, descriptor);
  }
}

// fs.Dirent: a name in a directory with its type (https://nodejs.org/api/fs.html#class-fsdirent).

import type { CheckedPath, GivenPath } from "internal/fs/types";
import { decodeNames, lazyBuffer } from "internal/fs/utils";
import {
  DIRENT_BLOCK,
  DIRENT_CHAR,
  DIRENT_DIR,
  DIRENT_FIFO,
  DIRENT_FILE,
  DIRENT_LINK,
  DIRENT_SOCKET,
} from "internal/fs/native_constants";

const kType = Symbol("type");

/** An entry of a directory. `name`: string or Buffer; `parentPath`: the path of its directory as it was given. */
export class Dirent<N extends GivenPath = string> {
  name: N;
  parentPath: CheckedPath;
  [key: symbol]: unknown;

  constructor(name: N, type: number | undefined, path: CheckedPath) {
    this.name = name;
    this.parentPath = path;
    this[kType] = type;
  }

  /** The old name of `parentPath`, which Node has dropped and Bun has kept. */
  get path(): CheckedPath {
    return this.parentPath;
  }

  set path(value: CheckedPath) {
    this.parentPath = value;
  }

  isDirectory(): boolean {
    return this[kType] === DIRENT_DIR;
  }

  isFile(): boolean {
    return this[kType] === DIRENT_FILE;
  }

  isBlockDevice(): boolean {
    return this[kType] === DIRENT_BLOCK;
  }

  isCharacterDevice(): boolean {
    return this[kType] === DIRENT_CHAR;
  }

  isSymbolicLink(): boolean {
    return this[kType] === DIRENT_LINK;
  }

  isFIFO(): boolean {
    return this[kType] === DIRENT_FIFO;
  }

  isSocket(): boolean {
    return this[kType] === DIRENT_SOCKET;
  }
}

/** The entries of one directory from the native lists of names and types. */
export function direntsOf(
  path: CheckedPath,
  names: string | Uint8Array,
  types: Uint8Array,
  encoding: string | null | undefined,
): Dirent<GivenPath>[] {
  // The names, which become entries in their places.
  const list: (GivenPath | Dirent<GivenPath>)[] = decodeNames(names, encoding);
  for (let i = 0; i < list.length; i++) list[i] = new Dirent(list[i] as GivenPath, types[i], path);
  return list as Dirent<GivenPath>[];
}

/**
 * The entries of a tree: the names are paths relative to `path`. Those directly in `path` get it as it was given, deeper
 * ones the joined path of their directory.
 */
export function direntsOfTree(
  path: CheckedPath,
  names: string | Uint8Array,
  types: Uint8Array,
  encoding: string | null | undefined,
): Dirent<GivenPath>[] {
  // The slashes are found before the names are encoded (hex has none).
  const buffers = encoding !== undefined && encoding !== null && encoding !== "utf8" && encoding !== "utf-8";
  const list: (GivenPath | Dirent<GivenPath>)[] = decodeNames(names, buffers ? "buffer" : encoding);
  const encode = (part: GivenPath) => (!buffers || encoding === "buffer" ? part : (part as Buffer).toString(encoding));
  // Consecutive entries share their directory.
  let lastKey: string | undefined;
  let lastParent = path;
  for (let i = 0; i < list.length; i++) {
    const relative = list[i] as GivenPath;
    const slash = relative.lastIndexOf("/");
    if (slash === -1) {
      list[i] = new Dirent(encode(relative), types[i], path);
      continue;
    }
    const directory = buffers ? (relative as Buffer).subarray(0, slash) : relative.slice(0, slash);
    const key = buffers ? (directory as Buffer).latin1Slice(0, slash) : (directory as string);
    if (key !== lastKey) {
      lastKey = key;
      lastParent = joinPath(path, directory);
    }
    const name = buffers ? (relative as Buffer).subarray(slash + 1) : relative.slice(slash + 1);
    list[i] = new Dirent(encode(name), types[i], lastParent);
  }
  return list as Dirent<GivenPath>[];
}

/** The path of `name` in `directory`: a string if both are (or can be said in UTF-8), a Buffer otherwise. */
export function joinPath(directory: CheckedPath, name: GivenPath): CheckedPath {
  if (typeof name !== "string" && typeof directory === "string") {
    const text = name.toString();
    if (!text.includes("\ufffd")) name = text;
  }
  if (typeof directory === "string" && typeof name === "string") return require("node:path").join(directory, name);
  const Buffer = lazyBuffer();
  const root = Buffer.from(directory);
  const slash = root.length > 0 && root[root.length - 1] === 47 ? "" : "/";
  return Buffer.concat([root, Buffer.from(slash), Buffer.from(name)]);
}

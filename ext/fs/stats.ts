// fs.Stats, fs.StatFs and the status of files with BigInt values (https://nodejs.org/api/fs.html#class-fsstats).
// Functions with prototypes, not classes: Node's methods are enumerable, and its Stats can be called without `new`.

const { defineProperty, setPrototypeOf } = Object;

/** What both kinds of status have; `N` is number or bigint. */
interface StatusOf<N> {
  dev: N;
  mode: N;
  nlink: N;
  uid: N;
  gid: N;
  rdev: N;
  blksize: N;
  ino: N;
  size: N;
  blocks: N;
  atimeMs: N;
  mtimeMs: N;
  ctimeMs: N;
  birthtimeMs: N;
  atime: Date;
  mtime: Date;
  ctime: Date;
  birthtime: Date;
  isDirectory(): boolean;
  isFile(): boolean;
  isBlockDevice(): boolean;
  isCharacterDevice(): boolean;
  isSymbolicLink(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

export interface Stats extends StatusOf<number> {}

export interface BigIntStats extends StatusOf<bigint> {
  atimeNs: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
  birthtimeNs: bigint;
}

const S_IFMT = 0o170000;
const S_IFREG = 0o100000;
const S_IFDIR = 0o040000;
const S_IFCHR = 0o020000;
const S_IFBLK = 0o060000;
const S_IFIFO = 0o010000;
const S_IFLNK = 0o120000;
const S_IFSOCK = 0o140000;

function StatsBase<N>(
  this: StatusOf<N>,
  dev: N,
  mode: N,
  nlink: N,
  uid: N,
  gid: N,
  rdev: N,
  blksize: N,
  ino: N,
  size: N,
  blocks: N,
): void {
  this.dev = dev;
  this.mode = mode;
  this.nlink = nlink;
  this.uid = uid;
  this.gid = gid;
  this.rdev = rdev;
  this.blksize = blksize;
  this.ino = ino;
  this.size = size;
  this.blocks = blocks;
}

StatsBase.prototype.isDirectory = function (): boolean {
  return this._checkModeProperty(S_IFDIR);
};
StatsBase.prototype.isFile = function (): boolean {
  return this._checkModeProperty(S_IFREG);
};
StatsBase.prototype.isBlockDevice = function (): boolean {
  return this._checkModeProperty(S_IFBLK);
};
StatsBase.prototype.isCharacterDevice = function (): boolean {
  return this._checkModeProperty(S_IFCHR);
};
StatsBase.prototype.isSymbolicLink = function (): boolean {
  return this._checkModeProperty(S_IFLNK);
};
StatsBase.prototype.isFIFO = function (): boolean {
  return this._checkModeProperty(S_IFIFO);
};
StatsBase.prototype.isSocket = function (): boolean {
  return this._checkModeProperty(S_IFSOCK);
};

/**
 * A file's status: sizes in bytes (`blocks` of 512 bytes, `blksize` the best size for I/O), times in milliseconds
 * since the epoch, with fractions.
 */
export function Stats(
  this: Stats,
  dev: number,
  mode: number,
  nlink: number,
  uid: number,
  gid: number,
  rdev: number,
  blksize: number,
  ino: number,
  size: number,
  blocks: number,
  atimeMs: number,
  mtimeMs: number,
  ctimeMs: number,
  birthtimeMs: number,
): void {
  // The fields are set here and not by StatsBase: one call less for every stat.
  this.dev = dev;
  this.mode = mode;
  this.nlink = nlink;
  this.uid = uid;
  this.gid = gid;
  this.rdev = rdev;
  this.blksize = blksize;
  this.ino = ino;
  this.size = size;
  this.blocks = blocks;
  this.atimeMs = atimeMs;
  this.mtimeMs = mtimeMs;
  this.ctimeMs = ctimeMs;
  this.birthtimeMs = birthtimeMs;
}
setPrototypeOf(Stats.prototype, StatsBase.prototype);
setPrototypeOf(Stats, StatsBase);

/** Status with BigInt values; `atimeMs` and friends in whole milliseconds, `atimeNs` and friends in nanoseconds. */
export function BigIntStats(
  this: BigIntStats,
  dev: bigint,
  mode: bigint,
  nlink: bigint,
  uid: bigint,
  gid: bigint,
  rdev: bigint,
  blksize: bigint,
  ino: bigint,
  size: bigint,
  blocks: bigint,
  atimeNs: bigint,
  mtimeNs: bigint,
  ctimeNs: bigint,
  birthtimeNs: bigint,
): void {
  StatsBase.call(this, dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks);
  this.atimeMs = atimeNs / 1_000_000n;
  this.mtimeMs = mtimeNs / 1_000_000n;
  this.ctimeMs = ctimeNs / 1_000_000n;
  this.birthtimeMs = birthtimeNs / 1_000_000n;
  this.atimeNs = atimeNs;
  this.mtimeNs = mtimeNs;
  this.ctimeNs = ctimeNs;
  this.birthtimeNs = birthtimeNs;
}
setPrototypeOf(BigIntStats.prototype, StatsBase.prototype);
setPrototypeOf(BigIntStats, StatsBase);

for (const prototype of [Stats.prototype, BigIntStats.prototype]) {
  for (const name of ["atime", "mtime", "ctime", "birthtime"]) defineDate(prototype, name);
}

/** A Date that is made when it is first asked for, then a plain (hidden) property. */
function defineDate(prototype: unknown, name: string): void {
  const milliseconds = `${name}Ms`;
  const store = (stats: unknown, value: unknown) => {
    defineProperty(stats, name, { value, writable: true, enumerable: false, configurable: false });
    return value;
  };
  defineProperty(prototype, name, {
    get() {
      // Rounded here, because Date would cut the fraction off.
      return store(this, new Date(Math.round(Number(this[milliseconds]))));
    },
    set(value: unknown) {
      store(this, value);
    },
    enumerable: true,
    configurable: true,
  });
}

Stats.prototype._checkModeProperty = function (property: number): boolean {
  return (this.mode & S_IFMT) === property;
};
BigIntStats.prototype._checkModeProperty = function (property: number): boolean {
  return (Number(this.mode) & S_IFMT) === property;
};

const NewStats = Stats as unknown as new (...values: (number | undefined)[]) => Stats;
const NewBigIntStats = BigIntStats as unknown as new (...values: (bigint | undefined)[]) => BigIntStats;

/** Stats from the fourteen values of the native op. */
export function statsFrom(a: Float64Array | BigInt64Array): Stats | BigIntStats {
  return a instanceof Float64Array
    ? new NewStats(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13])
    : new NewBigIntStats(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13]);
}

/** The same from the array's bytes, as the ops of the thread pool give them. */
export function statsFromBytes(bytes: Uint8Array, bigint: boolean): Stats | BigIntStats {
  return statsFrom(bigint ? new BigInt64Array(bytes.buffer) : new Float64Array(bytes.buffer));
}

let zeros: Float64Array<ArrayBuffer>;

/** What fs.watchFile reports for a file that is not there: all values 0, the times at the epoch. */
export function emptyStats(bigint: boolean): Stats | BigIntStats {
  return statsFrom(bigint ? new BigInt64Array(14) : (zeros ??= new Float64Array(14)));
}

/** Status of a file system: sizes in blocks of `bsize` bytes (https://nodejs.org/api/fs.html#class-fsstatfs). */
class StatFs {
  type: number | bigint;
  bsize: number | bigint;
  blocks: number | bigint;
  bfree: number | bigint;
  bavail: number | bigint;
  files: number | bigint;
  ffree: number | bigint;
  constructor(
    type: number | bigint,
    bsize: number | bigint,
    blocks: number | bigint,
    bfree: number | bigint,
    bavail: number | bigint,
    files: number | bigint,
    ffree: number | bigint,
  ) {
    this.type = type;
    this.bsize = bsize;
    this.blocks = blocks;
    this.bfree = bfree;
    this.bavail = bavail;
    this.files = files;
    this.ffree = ffree;
  }
}

export type { StatFs };

/** StatFs from the bytes of the native op's seven values. */
export function statFsFromBytes(bytes: Uint8Array, bigint: boolean): StatFs {
  const a = bigint ? new BigInt64Array(bytes.buffer) : new Float64Array(bytes.buffer);
  return new StatFs(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

/** `fs.Stats`: makes Stats as ever, but says that programs should not. */
export function deprecatedStats() {
  let warned = false;
  function deprecated(this: Stats, ...args: Parameters<typeof Stats>): unknown {
    if (!warned) {
      warned = true;
      process.emitWarning("fs.Stats constructor is deprecated.", "DeprecationWarning", "DEP0180", deprecated);
    }
    // Old classes call it on their own objects; without one it makes one, as in Bun.
    if (new.target === undefined) {
      return this instanceof Stats ? Stats.apply(this, args) : Reflect.construct(Stats, args);
    }
    return Reflect.construct(Stats, args, new.target === deprecated ? Stats : new.target);
  }
  defineProperty(deprecated, "name", { value: "Stats", configurable: true });
  defineProperty(deprecated, "length", { value: 14, configurable: true });
  setPrototypeOf(deprecated, Stats);
  deprecated.prototype = Stats.prototype;
  return deprecated;
}

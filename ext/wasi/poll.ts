/** poll_oneoff: waits for clocks and for files that can be read or written. */

import fs from "node:fs";
import { DIRECTORY, type Descriptors, POLL_FD_READWRITE, REGULAR_FILE } from "internal/wasi/descriptors";
import { errnoOf, Refusal } from "internal/wasi/errno";
import type { Memory } from "internal/wasi/memory";

const ops = native("wasi");
const SUBSCRIPTION_SIZE = 48;
const EVENT_SIZE = 32;
const CLOCK = 0,
  FD_READ = 1;
const ABSOLUTE = 1;
const HANGUP = 1;
/** Events of poll(2). */
const POLLIN = 1,
  POLLOUT = 4,
  POLLERR = 8,
  POLLHUP = 16,
  POLLNVAL = 32;

interface Event {
  userdata: bigint;
  kind: number;
  error?: unknown;
  bytes?: number;
  flags?: number;
}

/** What a subscription waits for: a host's descriptor, or a time. */
interface Wanted {
  userdata: bigint;
  kind: number;
  fd: number;
  /** On the monotonic clock, in nanoseconds. */
  until: bigint;
}

function time(clock: number): bigint {
  const [whole, rest] = ops.clockTime(clock);
  return BigInt(whole) * 1_000_000_000n + BigInt(rest);
}

/** Bytes that can be read; of a regular file those up to its end. */
function readable(fd: number, isFile: boolean): number {
  if (!isFile) return ops.readable(fd);
  return Math.max(0, fs.fstatSync(fd).size - ops.seek(fd, 0, 1));
}

function write(memory: Memory, address: number, { userdata, kind, error, bytes = 0, flags = 0 }: Event): void {
  const { view } = memory;
  view.setBigUint64(address, userdata, true);
  view.setUint16(address + 8, error === undefined ? 0 : errnoOf(error), true);
  view.setUint8(address + 10, kind);
  view.setBigUint64(address + 16, BigInt(bytes), true);
  view.setUint16(address + 24, flags, true);
}

/** Reads `count` subscriptions, waits until one has happened, and writes the events of those that have. Returns how many. */
export function poll(memory: Memory, files: Descriptors, subscriptions: number, events: number, count: number): number {
  const done: Event[] = [];
  const wanted: Wanted[] = [];
  const now = time(1);
  for (let i = 0; i < count; i++) {
    const at = subscriptions + i * SUBSCRIPTION_SIZE;
    const { view } = memory;
    const userdata = view.getBigUint64(at, true);
    const kind = view.getUint8(at + 8);
    const id = view.getUint32(at + 16, true);
    if (kind > 2) throw new Refusal("EINVAL");
    try {
      if (kind === CLOCK) {
        if (id > 1) throw new Refusal(id > 3 ? "EINVAL" : "ENOTSUP");
        const timeout = view.getBigUint64(at + 24, true);
        const isAbsolute = (view.getUint16(at + 40, true) & ABSOLUTE) !== 0;
        wanted.push({ userdata, kind, fd: -1, until: now + timeout - (isAbsolute ? time(id) : 0n) });
        continue;
      }
      const file = files.get(id, POLL_FD_READWRITE);
      if (file.kind === REGULAR_FILE || file.kind === DIRECTORY) {
        const bytes = kind === FD_READ && file.kind === REGULAR_FILE ? readable(file.fd, true) : 0;
        done.push({ userdata, kind, bytes });
      } else wanted.push({ userdata, kind, fd: file.fd, until: 0n });
    } catch (error) {
      // A fault of one is the event of that one; what is no fault of a call is thrown.
      errnoOf(error);
      done.push({ userdata, kind, error });
    }
  }
  const streams = wanted.filter(({ fd }) => fd >= 0);
  const clocks = wanted.filter(({ fd }) => fd < 0);
  let milliseconds = -1;
  if (done.length > 0) milliseconds = 0;
  else if (clocks.length > 0) {
    const first = clocks.reduce((least, { until }) => (until < least ? until : least), clocks[0]!.until);
    milliseconds = first > now ? Number(first - now) / 1e6 : 0;
  }
  const ready = ops.wait(
    streams.map(({ fd }) => fd),
    streams.map(({ kind }) => (kind === FD_READ ? POLLIN : POLLOUT)),
    milliseconds,
  );
  streams.forEach(({ userdata, kind, fd }, i) => {
    const state = ready[i]!;
    if (state === 0) return;
    if ((state & POLLNVAL) !== 0) {
      done.push({ userdata, kind, error: new Refusal("EBADF") });
      return;
    }
    if ((state & POLLERR) !== 0 && (state & (POLLIN | POLLOUT)) === 0) {
      done.push({ userdata, kind, error: new Refusal("EIO") });
      return;
    }
    const bytes = kind === FD_READ && (state & POLLIN) !== 0 ? readable(fd, false) : 0;
    done.push({ userdata, kind, bytes, flags: (state & POLLHUP) !== 0 ? HANGUP : 0 });
  });
  const after = time(1);
  for (const { userdata, kind, until } of clocks) if (until <= after) done.push({ userdata, kind });
  done.forEach((event, i) => write(memory, events + i * EVENT_SIZE, event));
  return done.length;
}

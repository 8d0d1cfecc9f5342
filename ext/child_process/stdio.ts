// The option `stdio`.

import { codes } from "internal/core/errors";
import {
  STDIO_CHANNEL,
  STDIO_DUPLEX,
  STDIO_FD,
  STDIO_IGNORE,
  STDIO_INPUT,
  STDIO_OUTPUT,
} from "internal/child_process/native_constants";

const { isArray } = Array;

// Kinds of entries, as ext/child_process/native/stdio.rs numbers them.

/** One entry of `stdio`, understood. */
interface Entry {
  type: "ignore" | "pipe" | "overlapped" | "ipc" | "inherit" | "fd" | "wrap";
  /** Of this process, for inherit, fd and wrap. */
  fd?: number;
  /** The stream of which the descriptor is, for wrap. */
  stream?: object;
  /** Of spawnSync: what to write to the child. */
  input?: unknown;
}

/** `stdio` given as one word; `channel` ("ipc") is added at the end where it is given. */
export function stdioStringToArray(stdio: unknown, channel?: string): unknown[] {
  let list: unknown[];
  switch (stdio) {
    case "ignore":
    case "overlapped":
    case "pipe":
      list = [stdio, stdio, stdio];
      break;
    case "inherit":
      list = [0, 1, 2];
      break;
    default:
      throw new codes.ERR_INVALID_ARG_VALUE("stdio", stdio);
  }
  if (channel) list.push(channel);
  return list;
}

/** The entries, and the index of the IPC channel or -1. `sync`: for spawnSync, where there can be none. */
export function parseStdio(stdio: unknown, sync: boolean): { entries: Entry[]; ipc: number } {
  if (typeof stdio === "string") stdio = stdioStringToArray(stdio);
  else if (!isArray(stdio)) throw new codes.ERR_INVALID_ARG_VALUE("stdio", stdio);
  const entries: Entry[] = [];
  let ipc = -1;
  const count = Math.max((stdio as unknown[]).length, 3);
  for (let i = 0; i < count; i++) {
    let item = (stdio as unknown[])[i];
    item ??= i < 3 ? "pipe" : "ignore";
    if (item === "ignore") {
      entries.push({ type: "ignore" });
    } else if (item === "pipe" || item === "overlapped" || (typeof item === "number" && item < 0)) {
      entries.push({ type: item === "overlapped" ? "overlapped" : "pipe" });
    } else if (item === "ipc") {
      if (sync) throw new codes.ERR_IPC_SYNC_FORK();
      if (ipc !== -1) throw new codes.ERR_IPC_ONE_PIPE();
      ipc = i;
      entries.push({ type: "ipc" });
    } else if (item === "inherit") {
      entries.push({ type: "inherit", fd: i });
    } else if (typeof item === "number") {
      entries.push({ type: "fd", fd: item });
    } else if (typeof item === "object" && descriptorOf(item!) !== undefined) {
      entries.push({ type: isPiped(item!) ? "wrap" : "fd", fd: descriptorOf(item!), stream: item! });
    } else if (ArrayBuffer.isView(item) || typeof item === "string") {
      // Node takes no notice of these in spawnSync.
      if (!sync) throw new codes.ERR_INVALID_SYNC_FORK_INPUT(require("internal/util/inspect").inspect(item));
    } else {
      throw new codes.ERR_INVALID_ARG_VALUE("stdio", item);
    }
  }
  return { entries, ipc };
}

/** A stream or handle, as far as it tells of a descriptor. */
type HasDescriptor = { fd?: unknown; _handle?: { fd?: unknown } | null; handle?: { fd?: unknown } | null };

/** The descriptor of a stream or handle. */
function descriptorOf(stream: HasDescriptor): number | undefined {
  for (const owner of [stream, stream._handle, stream.handle]) {
    const fd = owner?.fd;
    if (typeof fd === "number" && fd >= 0) return fd;
  }
  return undefined;
}

function isPiped(stream: { _stopForChild?: unknown }): boolean {
  return typeof stream._stopForChild === "function";
}

/** The entries as native code wants them: kind and descriptor of each. */
export function stdioNumbers(entries: Entry[]): number[] {
  const numbers: number[] = [];
  entries.forEach((entry, i) => {
    switch (entry.type) {
      case "ignore":
        numbers.push(STDIO_IGNORE, -1);
        break;
      case "pipe":
      case "overlapped":
        // Beyond the standard streams both sides may read and write.
        numbers.push(i === 0 ? STDIO_INPUT : i < 3 ? STDIO_OUTPUT : STDIO_DUPLEX, -1);
        break;
      case "ipc":
        numbers.push(STDIO_CHANNEL, -1);
        break;
      default:
        numbers.push(STDIO_FD, entry.fd!);
    }
  });
  return numbers;
}

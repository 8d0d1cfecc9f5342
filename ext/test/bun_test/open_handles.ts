// What keeps a process alive after the tests of a file: timers, sockets, servers, processes, workers, watchers; with --isolate
// they end with their file, with --detect-open-handles they are shown with the place where they were made.

import type { Timeout } from "internal/core/timers";
import type { Frame } from "internal/test/bun_test/types";
import { alive, processes } from "internal/test/bun_test/processes";
import { resources } from "internal/process/execution";
import { waitingTimers, kRefed, clearTimer } from "internal/core/timers";

const natives = native("inspect");

interface Open {
  kind: string;
  /** What more is known of it: its address, its process id. */
  about: string;
  /** What it is known by. */
  key: unknown;
  close: () => void;
}

/** A socket or listener of the native half, or of Bun.serve and the like. */
interface SocketHandle {
  /** What programs know it by. */
  owner?: Owner;
  /** Of a server. */
  settings?: unknown;
  unix?: unknown;
  tcp?: boolean;
  hasRef?(): boolean;
}

interface Owner {
  /** A method, or the address itself. */
  address?: unknown;
  port?: number;
  remotePort?: number;
  destroy?(): void;
  stop?(now: boolean): void;
  close?(): void;
}

/** What does not stand in one of the lists below. */
let others: { kind: string; isOpen: () => boolean; close: () => void }[] = [];

/** Places where things were made, by what they are known by; only with --detect-open-handles. */
let places: Map<unknown, Frame[]> | undefined;

/** What was there before the first file: it belongs to none. */
let before = new Set<unknown>();

/** Takes note of what is made from now on; `withPlaces`: also of where. */
export function start(withPlaces: boolean): void {
  resources.opened = (kind, isOpen, close) => {
    const made = { kind, isOpen, close };
    others.push(made);
    places?.set(made, natives.currentStack(20));
  };
  if (withPlaces) {
    places = new Map();
    resources.made = (resource) => places!.set(resource, natives.currentStack(20));
    processes.made = (pid) => places!.set(pid, natives.currentStack(20));
    for (const name of ["setTimeout", "setInterval"] as const) noteTimers(name);
  }
  before = new Set(all().map((one) => one.key));
}

/** Has the global function of this name take note of where it was called. */
function noteTimers(name: "setTimeout" | "setInterval"): void {
  const original = globalThis[name] as (this: unknown, ...args: unknown[]) => Timeout;
  const noted = function (this: unknown, ...args: unknown[]) {
    const timer = original.apply(this, args);
    places!.set(timer, natives.currentStack(20));
    return timer;
  };
  Object.defineProperties(noted, Object.getOwnPropertyDescriptors(original));
  globalThis[name] = noted as typeof setTimeout;
}

function all(): Open[] {
  const found: Open[] = [];
  for (const timer of waitingTimers()) {
    // Other built-in modules have timers of their own that keep nothing alive.
    if (timer[kRefed])
      found.push({
        kind: "Timeout",
        about: timer._repeat === null ? `setTimeout, ${timer._idleTimeout} ms` : `setInterval, ${timer._repeat} ms`,
        key: timer,
        close: () => clearTimer(timer),
      });
  }
  const sockets = new Set(resources.sockets?.filter((handle) => handle !== undefined && handle.hasRef?.() !== false));
  for (const handle of sockets) {
    if (handle.owner !== undefined || handle.settings !== undefined) found.push(socketOf(handle));
  }
  for (const pid of alive.keys())
    found.push({ kind: "ProcessWrap", about: `pid ${pid}`, key: pid, close: () => process.kill(pid, "SIGKILL") });
  others = others.filter((one) => one.isOpen());
  for (const one of others) found.push({ kind: one.kind, about: "", key: one, close: one.close });
  return found;
}

function socketOf(handle: SocketHandle): Open {
  const { Pipe, ListenHandle, UDP } = require("internal/net/native");
  const owner: Owner = handle.owner ?? (handle as Owner);
  const isServer = handle instanceof ListenHandle || handle.settings !== undefined;
  const kind =
    handle instanceof UDP
      ? "UDPWrap"
      : isServer
        ? (handle as SocketHandle).unix || (handle as SocketHandle).tcp === false
          ? "PipeServerWrap"
          : "TCPServerWrap"
        : handle instanceof Pipe
          ? "PipeWrap"
          : "TCPSocketWrap";
  let about = "";
  try {
    const address = typeof owner.address === "function" ? owner.address() : undefined;
    const port = address?.port ?? owner.remotePort ?? owner.port;
    if (port !== undefined) about = `port ${port}`;
  } catch {
    // It is only half open.
  }
  const close = () => {
    if (typeof owner.destroy === "function") owner.destroy();
    else if (typeof owner.stop === "function") owner.stop(true);
    else owner.close?.();
  };
  return { kind, about, key: handle, close };
}

/** What the file that is over has left open. */
function left(): Open[] {
  return all().filter((one) => !before.has(one.key));
}

/** Closes what the file has left open. */
export function closeLeft(): void {
  for (const one of left()) {
    try {
      one.close();
    } catch {
      // It is being closed already.
    }
  }
}

/** A text about what the file has left open; "" where that is nothing. */
export function textOfLeft(title: string, colors: boolean): string {
  const found = left().filter((one) => one.kind !== "");
  if (found.length === 0) return "";
  const yellow = (text: string) => (colors ? `\x1b[33m${text}\x1b[0m` : text);
  const dim = (text: string) => (colors ? `\x1b[2m${text}\x1b[0m` : text);
  let text = `\n${yellow(`${title} leaves ${found.length === 1 ? "something" : `${found.length} things`} open that would keep a process alive:`)}\n`;
  for (const one of found.slice(0, 20)) {
    text += `  ${one.kind}${one.about === "" ? "" : dim(` (${one.about})`)}\n${placeText(places?.get(one.key), dim)}`;
    // Each is told of once.
    before.add(one.key);
  }
  if (found.length > 20) text += `  and ${found.length - 20} more\n`;
  return text;
}

/** The places in the program's own files. */
function placeText(frames: Frame[] | undefined, dim: (text: string) => string): string {
  let text = "";
  for (const [name, source, line, column] of frames ?? []) {
    const path = source.startsWith("file://") ? decodeURIComponent(source.slice(7)) : source;
    if (!path.startsWith("/") || path.includes("/node_modules/")) continue;
    text +=
      dim(
        `      at ${name === "" ? "" : `${name} `}${require("node:path").relative(process.cwd(), path)}:${line}:${column}`,
      ) + "\n";
  }
  return text;
}

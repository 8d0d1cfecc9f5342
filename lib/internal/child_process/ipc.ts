// IPC channels between a process and its child: send(), disconnect(), the events 'message' and 'disconnect', on a
// ChildProcess in the parent and on `process` in the child.
//
// Handles (sockets and servers) cannot be sent yet.

import EventEmitter from "node:events";
import { codes, errnoException } from "internal/errors";
import { validateObject } from "internal/validators";
import { Refs } from "internal/child_process/refs";
import { codecFor } from "internal/child_process/serialization";
import type { Codec } from "internal/child_process/serialization";

const { pipeOpen, pipeFd, pipeRead, pipeTryWrite, pipeWrite, pipeClose } = native("child");

/** Above that many bytes not yet written, send() returns false. */
const HIGH_WATER_MARK = 128 * 1024;

type Done = (error: any) => void;

/** The bytes of a channel. */
class Wire {
  #id: number;
  #queue: Array<{ bytes: Uint8Array; done: Done }> = [];
  #writing = false;
  #closing = false;
  #received: (bytes: Uint8Array | undefined) => void;
  queued = 0;
  refs = new Refs();

  /** `received` gets bytes as they come, and undefined once at the end. */
  constructor(id: number, received: (bytes: Uint8Array | undefined) => void) {
    this.#id = id;
    this.#received = received;
  }

  get fd(): number {
    return this.#id === -1 ? -1 : pipeFd(this.#id);
  }

  read(): void {
    if (this.#id === -1) return;
    this.refs.begin();
    pipeRead(this.#id, (error: any, bytes: Uint8Array | undefined) => {
      this.refs.end();
      if (this.#id === -1) return;
      // Whatever happens to the descriptor, nothing more will come.
      if (error) bytes = undefined;
      try {
        this.#received(bytes);
      } finally {
        if (bytes !== undefined) this.read();
      }
    });
  }

  /** Writes in order; `done` gets a negative errno or undefined, never before write() returns. */
  write(bytes: Uint8Array, done: Done): void {
    if (this.#writing) {
      this.queued += bytes.length;
      this.#queue.push({ bytes, done });
      return;
    }
    const written = pipeTryWrite(this.#id, bytes);
    if (written < 0) {
      process.nextTick(done, written);
    } else if (written === bytes.length) {
      process.nextTick(done, undefined);
    } else {
      this.queued += bytes.length;
      this.#writeRest(bytes, written, done);
    }
  }

  #writeRest(bytes: Uint8Array, from: number, done: Done): void {
    this.#writing = true;
    this.refs.begin();
    pipeWrite(this.#id, bytes, from, (error: any) => {
      this.refs.end();
      this.#writing = false;
      this.queued -= bytes.length;
      const next = this.#queue.shift();
      if (next !== undefined) this.#writeRest(next.bytes, 0, next.done);
      else if (this.#closing) this.#closeNow();
      done(error ? error.errno : undefined);
    });
  }

  /** Closes once all is written; `now`: what is not written yet never will be. */
  close(now: boolean): void {
    if (this.#id === -1) return;
    if (this.#writing && !now) this.#closing = true;
    else this.#closeNow();
  }

  #closeNow(): void {
    pipeClose(this.#id);
    this.#id = -1;
  }
}

/** `subprocess.channel`, `process.channel`: whether the channel keeps the process alive. */
class Control extends (EventEmitter as any) {
  #wire: Wire;
  #count = 0;
  /** ref() or unref() was called: listeners no longer decide. */
  #explicit = false;

  constructor(wire: Wire) {
    super();
    this.#wire = wire;
  }

  /** One more listener that wants the channel. */
  refCounted(): void {
    if (++this.#count === 1 && !this.#explicit) this.#wire.refs.set(true);
  }

  /** One less. */
  unrefCounted(): void {
    if (--this.#count === 0 && !this.#explicit) {
      this.#wire.refs.set(false);
      this.emit("unref");
    }
  }

  ref(): void {
    this.#explicit = true;
    this.#wire.refs.set(true);
  }

  unref(): void {
    this.#explicit = true;
    this.#wire.refs.set(false);
  }

  hasRef(): boolean {
    return this.#wire.refs.on;
  }

  get fd(): number {
    return this.#wire.fd;
  }
}

function isInternal(message: any): boolean {
  return message !== null && typeof message === "object" && typeof message.cmd === "string" &&
    message.cmd.startsWith("NODE_");
}

/**
 * Gives `target` (a ChildProcess, or `process` in a child) the channel on pipe `id` of native("child"). `ended` is
 * called once when nothing more can come from it.
 */
export function setupChannel(target: any, id: number, serialization: string | undefined, ended?: () => void): Control {
  const codec: Codec = codecFor(serialization);
  const wire = new Wire(id, received);
  const control = new Control(wire);
  /** Messages for which nobody was there to listen. */
  let waiting: any[] = [];
  let open = true;
  /** Disconnected while a message had arrived in part. */
  let finishAfterMessage = false;

  target.channel = control;
  target.connected = true;

  function received(bytes: Uint8Array | undefined): void {
    if (bytes !== undefined) {
      for (const message of codec.decode(bytes)) {
        process.nextTick(deliver, isInternal(message) ? "internalMessage" : "message", message);
      }
      if (finishAfterMessage && !codec.buffering) finish();
      return;
    }
    if (target.connected) target.disconnect();
    else if (finishAfterMessage) finish();
    end();
  }

  function end(): void {
    if (!open) return;
    open = false;
    wire.close(true);
    ended?.();
  }

  function deliver(event: string, message: any): void {
    if (event === "internalMessage" || target.listenerCount("message") > 0) target.emit(event, message, undefined);
    else waiting.push(message);
  }

  target.on("newListener", (event: any) => {
    if (event !== "message" || waiting.length === 0) return;
    process.nextTick(() => {
      if (target.listenerCount("message") === 0) return;
      const messages = waiting;
      waiting = [];
      for (const message of messages) target.emit("message", message, undefined);
    });
  });

  /** subprocess.send(message[, sendHandle[, options]][, callback]): false when the channel is closed or congested. */
  target.send = function send(this: any, message: any, handle: any, options: any, callback: any): boolean {
    if (typeof handle === "function") {
      callback = handle;
      handle = undefined;
      options = undefined;
    } else if (typeof options === "function") {
      callback = options;
      options = undefined;
    } else if (options !== undefined) {
      validateObject(options, "options");
    }
    if (this.connected) return this._send(message, handle, { swallowErrors: false, ...options }, callback);
    fail(this, new codes.ERR_IPC_CHANNEL_CLOSED(), callback);
    return false;
  };

  target._send = function(this: any, message: any, handle: any, options: any, callback: any): boolean {
    if (message === undefined) throw new codes.ERR_MISSING_ARGS("message");
    if (typeof message !== "string" && typeof message !== "object" && typeof message !== "number" &&
        typeof message !== "boolean") {
      throw new codes.ERR_INVALID_ARG_TYPE("message", ["string", "object", "number", "boolean"], message);
    }
    if (handle !== undefined && handle !== null) throw new codes.ERR_NOT_IMPLEMENTED("sending handles");
    // Older programs pass a boolean.
    if (typeof options === "boolean") options = { swallowErrors: options };
    wire.write(codec.encode(message), (errno: any) => {
      if (errno === undefined) {
        if (typeof callback === "function") callback(null);
      } else if (!options?.swallowErrors) {
        fail(this, errnoException(errno, "write"), callback);
      }
    });
    return wire.queued < HIGH_WATER_MARK;
  };

  function fail(self: any, error: any, callback: any): void {
    if (typeof callback === "function") process.nextTick(callback, error);
    else process.nextTick(() => self.emit("error", error));
  }

  /** subprocess.disconnect(): no more messages; those already sent still arrive. */
  target.disconnect = function disconnect(this: any): void {
    if (!this.connected) {
      this.emit("error", new codes.ERR_IPC_DISCONNECTED());
      return;
    }
    this._disconnect();
  };

  target._disconnect = function(this: any): void {
    this.connected = false;
    this.channel = null;
    // A message that has come in part is waited for, unless the other side is gone.
    if (open && codec.buffering) finishAfterMessage = true;
    else process.nextTick(finish);
  };

  let finished = false;
  function finish(): void {
    if (finished) return;
    finished = true;
    wire.close(false);
    if (open) {
      open = false;
      ended?.();
    }
    target.emit("disconnect");
  }

  wire.read();
  return control;
}

/**
 * In a child that was started with a channel: takes it over from the environment and puts it on `process`. Nothing
 * happens where there is none. The channel keeps the process alive while somebody listens to 'message' or
 * 'disconnect'.
 */
export function setupOwnChannel(): void {
  const { env } = process;
  const number = env.NODE_CHANNEL_FD;
  if (number === undefined) return;
  const fd = Number.parseInt(number, 10);
  const serialization = env.NODE_CHANNEL_SERIALIZATION_MODE;
  // Children of this process have channels of their own.
  delete env.NODE_CHANNEL_FD;
  delete env.NODE_CHANNEL_SERIALIZATION_MODE;
  if (!(fd >= 0)) return;
  forkChild(fd, serialization);
}

/** The same for a given descriptor; child_process._forkChild in Node. */
export function forkChild(fd: number, serialization: string | undefined): void {
  const target: any = process;
  const control = setupChannel(target, pipeOpen(fd), serialization);
  const counts = (event: any) => event === "message" || event === "disconnect";
  target.on("newListener", (event: any) => {
    if (counts(event)) control.refCounted();
  });
  target.on("removeListener", (event: any) => {
    if (counts(event)) control.unrefCounted();
  });
  const listeners = target.listenerCount("message") + target.listenerCount("disconnect");
  for (let i = 0; i < listeners; i++) control.refCounted();
  if (listeners === 0) startUnreferenced(control);
}

function startUnreferenced(control: any): void {
  // From 1 to 0, without counting as the program's own decision.
  control.refCounted();
  control.unrefCounted();
}

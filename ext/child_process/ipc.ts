// IPC channels between a process and its child: send(), disconnect(), the events 'message' and 'disconnect', on a
// ChildProcess in the parent and on `process` in the child.

import EventEmitter from "node:events";
import { codes, errnoException } from "internal/core/errors";
import { validateObject } from "internal/core/validators";
import { codecFor } from "internal/child_process/serialization";
import type { Codec } from "internal/child_process/serialization";

const { pipeOpen, pipeFd, pipeRead, pipeStop, pipeWrite, pipeSend, pipeSetRef, pipeClose, closeDescriptor } =
  native("child");

const EPIPE = -32;

/** Above that many bytes not yet written, send() returns false. */
const HIGH_WATER_MARK = 128 * 1024;

import type { Envelope, IpcTarget, SendCallback, SendOptions } from "internal/child_process/types";
import type { Passage } from "internal/child_process/handles";

type Done = (errno: number) => void;

/** The bytes of a channel. */
class Wire {
  #id: number;
  /** Writes under way. */
  #unwritten: Array<{ size: number; done: Done | undefined }> = [];
  #closing = false;
  #referenced = true;
  /** Bytes not yet written. */
  queued = 0;

  constructor(id: number) {
    this.#id = id;
  }

  get fd(): number {
    return this.#id === -1 ? -1 : pipeFd(this.#id);
  }

  get referenced(): boolean {
    return this.#referenced;
  }

  set referenced(on: boolean) {
    this.#referenced = on;
    if (this.#id !== -1) pipeSetRef(this.#id, on);
  }

  /** `received` gets bytes as they come, with descriptors sent along, and undefined once at the end. */
  read(received: (bytes: Uint8Array | undefined, descriptors: number[] | undefined) => void): void {
    // Whatever happens to the descriptor, nothing more will come: an error is an end.
    pipeRead(this.#id, (_errno: number, bytes: Uint8Array | undefined, descriptors: number[] | undefined) => {
      received(bytes, descriptors);
    });
  }

  /**
   * Writes in order, along with a descriptor unless that is -1. `done` gets 0 or a negative errno, never before write()
   * returns; success at once is only told where `always` is set.
   */
  write(data: Uint8Array | string, descriptor: number, done: Done | undefined, always: boolean): void {
    let result = EPIPE;
    if (this.#id !== -1) {
      if (descriptor === -1) {
        result = pipeSend(this.#id, data, this.#written);
      } else {
        if (typeof data === "string") data = require("node:buffer").Buffer.from(data) as Uint8Array;
        result = pipeWrite(this.#id, data, descriptor, this.#written);
      }
    }
    if (result === 1) {
      this.#unwritten.push({ size: data.length, done });
      this.queued += data.length;
    } else if (done !== undefined && (always || result < 0)) {
      process.nextTick(done, result);
    }
  }

  /** The oldest `count` of the writes under way are done. */
  #written = (errno: number, count: number): void => {
    const finished = this.#unwritten.splice(0, count);
    for (const { size } of finished) this.queued -= size;
    if (this.#closing && this.#unwritten.length === 0) this.#closeNow();
    for (const { done } of finished) done?.(errno);
  };

  /** Closes once all is written; `now`: what is not written yet never will be. */
  close(now: boolean): void {
    if (this.#id === -1) return;
    if (this.#unwritten.length > 0 && !now) {
      this.#closing = true;
      pipeStop(this.#id);
    } else {
      this.#closeNow();
    }
  }

  #closeNow(): void {
    pipeClose(this.#id);
    this.#id = -1;
  }
}

/** `subprocess.channel`, `process.channel`: whether the channel keeps the process alive. */
class Control extends EventEmitter {
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
    if (++this.#count === 1 && !this.#explicit) this.#wire.referenced = true;
  }

  /** One less. */
  unrefCounted(): void {
    if (--this.#count === 0 && !this.#explicit) {
      this.#wire.referenced = false;
      this.emit("unref");
    }
  }

  ref(): void {
    this.#explicit = true;
    this.#wire.referenced = true;
  }

  unref(): void {
    this.#explicit = true;
    this.#wire.referenced = false;
  }

  hasRef(): boolean {
    return this.#wire.referenced;
  }

  get fd(): number {
    return this.#wire.fd;
  }
}

function isInternal(message: unknown): message is Envelope {
  return (
    message !== null &&
    typeof message === "object" &&
    typeof (message as Envelope).cmd === "string" &&
    (message as { cmd: string }).cmd.startsWith("NODE_")
  );
}

/** Times that a message is sent again whose handle did not arrive. */
const MAX_RETRANSMISSIONS = 3;

/**
 * Gives `target` (a ChildProcess, or `process` in a child) the channel on pipe `id` of native("child"). `ended` is
 * called once when nothing more can come from it.
 */
export function setupChannel(
  target: IpcTarget,
  id: number,
  serialization: string | undefined,
  ended?: () => void,
): Control {
  const codec: Codec = codecFor(serialization);
  const wire = new Wire(id);
  const control = new Control(wire);
  /** Messages for which nobody was there to listen. */
  let waiting: [unknown, unknown][] = [];
  /** Descriptors that have come and whose messages have not. */
  const descriptors: number[] = [];
  /** A handle has been sent and the other side has not said that it has it: others wait in `queue`. */
  let inTransit: { passage: Passage; bytes: Uint8Array | string; attempts: number } | undefined;
  let queue: [unknown, unknown, SendOptions | undefined, SendCallback | undefined][] = [];
  let open = true;
  /** Disconnected while a message had arrived in part, or a handle was on its way. */
  let finishLater = false;
  /** The other side is gone: what has come in part stays so. */
  let over = false;

  target.channel = control;
  target._channel = control;
  target.connected = true;

  function received(bytes: Uint8Array | undefined, fds: number[] | undefined): void {
    if (fds !== undefined) descriptors.push(...fds);
    if (bytes !== undefined) {
      const messages = codec.decode(bytes);
      if (messages.length > 0) process.nextTick(deliverAll, messages, 0);
      if (finishLater && !codec.buffering && inTransit === undefined) process.nextTick(finish);
      return;
    }
    over = true;
    if (target.connected) target.disconnect();
    else if (finishLater) finish();
    end();
  }

  function end(): void {
    if (!open) return;
    open = false;
    wire.close(true);
    for (const fd of descriptors.splice(0)) closeDescriptor(fd);
    inTransit?.passage.received();
    inTransit = undefined;
    ended?.();
  }

  function deliverAll(messages: unknown[], from: number): void {
    let next = from;
    try {
      while (next < messages.length) deliver(messages[next++]);
    } finally {
      // One that throws does not keep the others from arriving.
      if (next < messages.length) process.nextTick(deliverAll, messages, next);
    }
  }

  function deliver(message: unknown): void {
    if (!isInternal(message)) {
      emitMessage("message", message, undefined);
      return;
    }
    switch (message.cmd) {
      case "NODE_HANDLE_ACK":
        arrived();
        break;
      case "NODE_HANDLE_NACK":
        if (inTransit !== undefined) retransmit();
        break;
      case "NODE_HANDLE": {
        const fd = descriptors.shift();
        if (fd === undefined) {
          reply({ cmd: "NODE_HANDLE_NACK" });
          break;
        }
        reply({ cmd: "NODE_HANDLE_ACK" });
        const inner = message.msg;
        require("internal/child_process/handles").receiveHandle(message, fd, target, (handle: unknown) => {
          emitMessage(isInternal(inner) ? "internalMessage" : "message", inner, handle);
        });
        break;
      }
      default:
        emitMessage("internalMessage", message, undefined);
    }
  }

  function emitMessage(event: string, message: unknown, handle: unknown): void {
    if (event === "internalMessage" || target.listenerCount("message") > 0) target.emit(event, message, handle);
    else waiting.push([message, handle]);
  }

  function reply(message: { cmd: string }): void {
    if (open) wire.write(codec.encode(message), -1, undefined, false);
  }

  /** The other side has the handle: what waited for that goes out. */
  function arrived(): void {
    if (inTransit === undefined) return;
    inTransit.passage.received();
    inTransit = undefined;
    const list = queue;
    queue = [];
    for (const [message, handle, options, callback] of list) {
      // What is sent while another handle is on its way waits again, in order.
      if (inTransit === undefined) target._send(message, handle, options, callback);
      else queue.push([message, handle, options, callback]);
    }
    if (finishLater && inTransit === undefined) process.nextTick(finish);
  }

  function retransmit(): void {
    const { passage, bytes } = inTransit!;
    if (inTransit!.attempts++ < MAX_RETRANSMISSIONS) {
      wire.write(bytes, passage.fd, undefined, false);
      return;
    }
    process.emitWarning("Handle did not reach the receiving process correctly", "SentHandleNotReceivedWarning");
    arrived();
  }

  target.on("newListener", (event: string) => {
    if (event !== "message" || waiting.length === 0) return;
    process.nextTick(() => {
      if (target.listenerCount("message") === 0) return;
      const messages = waiting;
      waiting = [];
      for (const [message, handle] of messages) target.emit("message", message, handle);
    });
  });

  /** subprocess.send(message[, sendHandle[, options]][, callback]): false when the channel is closed or congested. */
  target.send = function send(message, handle, options, callback) {
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
    // `process.send` is called without `process`, too.
    if (target.connected)
      return target._send(
        message,
        handle,
        { swallowErrors: false, ...(options as SendOptions | undefined) },
        callback as SendCallback,
      );
    fail(target, new codes.ERR_IPC_CHANNEL_CLOSED(), callback as SendCallback);
    return false;
  };

  target._send = function (message, handle, options, callback) {
    if (message === undefined) throw new codes.ERR_MISSING_ARGS("message");
    if (
      typeof message !== "string" &&
      typeof message !== "object" &&
      typeof message !== "number" &&
      typeof message !== "boolean"
    ) {
      throw new codes.ERR_INVALID_ARG_TYPE("message", ["string", "object", "number", "boolean"], message);
    }
    // Older programs pass a boolean.
    if (typeof options === "boolean") options = { swallowErrors: options };
    if (inTransit !== undefined) {
      // Messages keep their order.
      if (handle) checkHandle(handle);
      queue.push([message, handle, options, callback]);
      return queue.length === 1;
    }
    let passage: Passage | undefined;
    if (handle) {
      passage = require("internal/child_process/handles").prepareHandle(handle, Boolean(options?.keepOpen), this);
      if (passage !== undefined) {
        message = {
          cmd: "NODE_HANDLE",
          type: passage.type,
          dgramType: passage.dgramType,
          key: passage.key,
          msg: message,
        };
      }
    }
    const bytes = codec.encode(message);
    if (passage !== undefined) inTransit = { passage, bytes, attempts: 0 };
    const notify = typeof callback === "function";
    wire.write(
      bytes,
      passage === undefined ? -1 : passage.fd,
      (errno) => {
        // Whoever gives a handle away is not told that nobody took it, as in Node: a cluster's primary goes on when a worker has just ended.
        if (errno === 0 || passage !== undefined) {
          if (errno !== 0) arrived();
          if (notify) callback!(null);
          return;
        }
        if (!options?.swallowErrors) fail(this, errnoException(errno, "write"), callback);
      },
      notify,
    );
    return wire.queued < HIGH_WATER_MARK;
  };

  function checkHandle(handle: unknown): void {
    // Throws for what cannot be sent, before the message is queued.
    require("internal/child_process/handles").prepareHandle(handle, true);
  }

  function fail(self: IpcTarget, error: CodedError, callback: SendCallback | undefined): void {
    if (typeof callback === "function") process.nextTick(callback, error);
    else process.nextTick(() => self.emit("error", error));
  }

  /** subprocess.disconnect(): no more messages; those already sent still arrive. */
  target.disconnect = function disconnect(): void {
    if (!this.connected) {
      this.emit("error", new codes.ERR_IPC_DISCONNECTED());
      return;
    }
    this._disconnect!();
  };

  target._disconnect = function (): void {
    this.connected = false;
    this.channel = null;
    this._channel = null;
    // A message that has come in part is waited for, unless the other side is gone; so is a handle on its way.
    if (open && !over && (codec.buffering || inTransit !== undefined)) finishLater = true;
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

  wire.read(received);
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
  if (env.NODE_UNIQUE_ID !== undefined) {
    require("internal/child_process/cluster/child").cluster._setupWorker();
    delete env.NODE_UNIQUE_ID;
  }
}

/** The same for a given descriptor; child_process._forkChild in Node. */
export function forkChild(fd: number, serialization: string | undefined): void {
  const target = process as unknown as IpcTarget;
  const control = setupChannel(target, pipeOpen(fd, true), serialization);
  const counts = (event: unknown) => event === "message" || event === "disconnect";
  target.on("newListener", (event: unknown) => {
    if (counts(event)) control.refCounted();
  });
  target.on("removeListener", (event: unknown) => {
    if (counts(event)) control.unrefCounted();
  });
  const listeners = target.listenerCount("message") + target.listenerCount("disconnect");
  for (let i = 0; i < listeners; i++) control.refCounted();
  if (listeners === 0) startUnreferenced(control);
}

function startUnreferenced(control: Control): void {
  // From 1 to 0, without counting as the program's own decision.
  control.refCounted();
  control.unrefCounted();
}

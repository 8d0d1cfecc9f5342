// A server whose connections are sent to other processes goes on to know of them: getConnections() asks the processes,
// and 'close' waits until their connections are closed as well. The messages are those of Node.

import type { ConnectionsMessage, IpcTarget } from "internal/child_process/types";
import type { Server, Socket } from "internal/net/types";

/** In the sender: the connections of one server that one process has. */
class SenderList {
  #target: IpcTarget;
  #key: string;

  constructor(target: IpcTarget, key: string) {
    this.#target = target;
    this.#key = key;
  }

  /** Sends `cmd` and calls `callback` with the answer, or with undefined where the process goes away before. */
  #ask(cmd: string, answer: string, callback: (message?: ConnectionsMessage) => void): void {
    const target = this.#target;
    if (!target.connected) {
      callback();
      return;
    }
    const done = (message?: ConnectionsMessage) => {
      target.removeListener("exit", gone);
      target.removeListener("disconnect", gone);
      target.removeListener("internalMessage", received);
      callback(message);
    };
    const gone = () => done();
    const received = (message: ConnectionsMessage) => {
      if (message.cmd === answer && message.key === this.#key) done(message);
    };
    target.once("exit", gone);
    target.once("disconnect", gone);
    target.on("internalMessage", received);
    target._send({ cmd, key: this.#key }, undefined, { swallowErrors: true });
  }

  count(callback: (count: number) => void): void {
    this.#ask("NODE_SOCKET_GET_COUNT", "NODE_SOCKET_COUNT", (message) => callback(message?.count ?? 0));
  }

  closed(callback: () => void): void {
    this.#ask("NODE_SOCKET_NOTIFY_CLOSE", "NODE_SOCKET_ALL_CLOSED", () => callback());
  }
}

/** Lists by server and process. */
const senders = new WeakMap<object, Map<unknown, SenderList>>();

/** A connection of `server` goes to `target` (a ChildProcess, or process). */
export function sent(server: Server, target: IpcTarget): void {
  let lists = senders.get(server);
  if (lists === undefined) {
    senders.set(server, (lists = new Map()));
    watch(server, lists);
  }
  if (lists.has(target)) return;
  lists.set(target, new SenderList(target, server._connectionKey!));
  target.once("exit", () => lists.delete(target));
}

function watch(server: Server, lists: Map<unknown, SenderList>): void {
  const { close, getConnections } = server;
  server._usingWorkers = true;
  server.close = function (callback) {
    let left = lists.size;
    if (left === 0) return close.call(this, callback);
    // Keeps 'close' back until all have answered.
    this._connections++;
    close.call(this, callback);
    for (const list of lists.values()) {
      list.closed(() => {
        if (--left > 0) return;
        this._connections--;
        this._emitCloseIfDrained();
      });
    }
    return this;
  };
  server.getConnections = function (callback) {
    let left = lists.size;
    if (left === 0) return getConnections.call(this, callback);
    let total = this._connections;
    for (const list of lists.values()) {
      list.count((count) => {
        total += count;
        if (--left === 0) callback(null, total);
      });
    }
    return this;
  };
}

/** In the receiver: the connections that came from one server. */
interface ReceiverList {
  open: number;
  /** Somebody waits for the last to be closed. */
  awaited: boolean;
}

const receivers = new WeakMap<object, Map<string, ReceiverList>>();

/** `socket` has come from the other side of `target`'s channel. */
export function received(socket: Socket, target: IpcTarget, key: string): void {
  let lists = receivers.get(target);
  if (lists === undefined) {
    receivers.set(target, (lists = new Map()));
    answer(target, lists);
  }
  let list = lists.get(key);
  if (list === undefined) lists.set(key, (list = { open: 0, awaited: false }));
  list.open++;
  socket.once("close", () => {
    if (--list!.open > 0 || !list!.awaited) return;
    list!.awaited = false;
    reply(target, { cmd: "NODE_SOCKET_ALL_CLOSED", key });
  });
}

function reply(target: IpcTarget, message: unknown): void {
  if (target.connected) target._send(message, undefined, { swallowErrors: true });
}

function answer(target: IpcTarget, lists: Map<string, ReceiverList>): void {
  target.on("internalMessage", (message: ConnectionsMessage) => {
    const list = lists.get(message.key);
    if (list === undefined) return;
    if (message.cmd === "NODE_SOCKET_GET_COUNT") {
      reply(target, { cmd: "NODE_SOCKET_COUNT", key: message.key, count: list.open });
    } else if (message.cmd === "NODE_SOCKET_NOTIFY_CLOSE") {
      if (list.open === 0) reply(target, { cmd: "NODE_SOCKET_ALL_CLOSED", key: message.key });
      else list.awaited = true;
    }
  });
}

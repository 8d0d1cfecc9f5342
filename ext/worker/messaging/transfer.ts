/**
 * Objects of bao's own in a transfer list: native code asks here whether one can be transferred, takes the ports that it goes by, and
 * has the object made anew on the other side. A transferred object is a list: its kind, then resources of the family "messaging".
 */

import type { Port } from "web/message_port";

const kPort = 0;
const streamKinds = ["readable", "writable", "transform"] as const;

/** Ports in contexts of node:vm: what takes the native port out of the object, if it has it still. */
export const moved = new WeakMap<object, () => unknown>();

const ports = () => require("web/message_port");

/** Whether `object`, which the engine does not know how to transfer, can be. */
export function canTransfer(object: { [key: string]: unknown }): boolean {
  if (ports().isOpenPort(object) || moved.has(object)) return true;
  return require("internal/streams/webstreams/transfer").isTransferableStream(object);
}

/** Takes `object` apart; it is of no use here any more. */
export function transfer(object: object): unknown[] {
  if (ports().isOpenPort(object)) return [kPort, ports().detach(object as Port)];
  if (moved.has(object)) return [kPort, moved.get(object)!()];
  const { kind, ports: own } = require("internal/streams/webstreams/transfer").transferStream(object);
  return [1 + streamKinds.indexOf(kind), ...own.map((port) => ports().detach(port as Port))];
}

/** The object on the receiving side. */
export function receive(parts: [kind: number, ...handles: unknown[]]) {
  const [kind, ...handles] = parts;
  const received = handles.map((handle) => ports().attach(handle));
  if (kind === kPort) return received[0];
  return require("internal/streams/webstreams/transfer").receiveStream({
    kind: streamKinds[kind - 1]!,
    ports: received,
  });
}

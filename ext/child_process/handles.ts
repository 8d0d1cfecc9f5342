// Sockets and servers that are sent to another process along with a message. The descriptor goes through the channel;
// what it was here ("type") goes with the message, in the envelope that Node uses.

import { codes } from "internal/core/errors";

import type { Envelope, IpcTarget } from "internal/child_process/types";

import type { UDP } from "internal/net/native";

type DatagramSocket = ReturnType<BuiltinModules["node:dgram"]["createSocket"]>;

/** What is sent in place of a handle. */
export interface Passage {
  /** As in the envelope. */
  type: string;
  fd: number;
  /** Only with "dgram.Socket". */
  dgramType?: string;
  /** With a connection of a server: the server. */
  key?: string;
  /** The other side has it. */
  received(): void;
}

function noop(): void {}

/**
 * Prepares `handle` for being sent: a net.Socket is detached from its handle, which is closed once the other side has
 * it, unless `keepOpen`. `target`: who sends it, undefined where it is only to be checked. The result is undefined where
 * the handle is closed already, or was sent: the message goes alone, as in Node. Throws ERR_INVALID_HANDLE_TYPE for what
 * cannot be sent.
 */
export function prepareHandle(handle: unknown, keepOpen: boolean, target?: IpcTarget): Passage | undefined {
  const net = require("node:net");
  if (handle instanceof net.Socket) {
    const inner = handle._handle;
    if (!inner || !(inner.fd >= 0)) return undefined;
    const passage: Passage = { type: "net.Socket", fd: inner.fd, received: noop };
    const { server } = handle;
    if (server && target) {
      passage.key = server._connectionKey;
      require("internal/child_process/socket_list").sent(server, target);
    }
    if (keepOpen) return passage;
    if (server) server._connections--;
    // The socket is over here, without an end for the peer.
    inner.readStop();
    inner.onread = noop;
    handle._handle = null;
    handle.setTimeout(0);
    passage.received = () =>
      inner.close(() => {
        // A server that waits for its connections.
        if (server) server._emitCloseIfDrained();
      });
    return passage;
  }
  if (handle instanceof net.Server) {
    const fd = handle._handle?.fd ?? -1;
    return fd >= 0 ? { type: "net.Server", fd, received: noop } : undefined;
  }
  const { ListenHandle, StreamHandle, UDP } = require("internal/net/native");
  if (handle instanceof ListenHandle || handle instanceof StreamHandle || handle instanceof UDP) {
    const type = handle instanceof ListenHandle ? "listen" : handle instanceof StreamHandle ? "stream" : "udp";
    return { type: `net.Native.${type}`, fd: handle.fd, received: noop };
  }
  if (isDatagramSocket(handle)) {
    const fd = datagramHandle(handle as unknown as SocketParts)?.fd ?? -1;
    return fd >= 0 ? { type: "dgram.Socket", fd, dgramType: handle.type, received: noop } : undefined;
  }
  throw new codes.ERR_INVALID_HANDLE_TYPE();
}

function isDatagramSocket(handle: unknown): handle is DatagramSocket {
  return (
    handle !== null &&
    typeof handle === "object" &&
    ((handle as DatagramSocket).type === "udp4" || (handle as DatagramSocket).type === "udp6") &&
    handle instanceof require("node:dgram").Socket
  );
}

/** A datagram socket, as those see it who look into it. */
type SocketParts = { _handle?: UDP | null; [key: symbol]: { handle: UDP | null } };

function datagramHandle(socket: SocketParts): UDP | null | undefined {
  return (
    socket._handle ??
    socket[Object.getOwnPropertySymbols(socket).find((key) => key.description === "state symbol")!]?.handle
  );
}

/** Makes of a descriptor that came through `target`'s channel what its sender had; `emit` gets it when it is ready. */
export function receiveHandle(
  envelope: Envelope,
  fd: number,
  target: IpcTarget,
  emit: (handle: unknown) => void,
): void {
  switch (envelope.type) {
    case "net.Socket": {
      const socket = new (require("node:net").Socket)({ fd, readable: true, writable: true });
      if (envelope.key) require("internal/child_process/socket_list").received(socket, target, envelope.key);
      emit(socket);
      break;
    }
    case "net.Server": {
      const server = new (require("node:net").Server)();
      server.listen({ fd }, () => emit(server));
      break;
    }
    case "dgram.Socket": {
      const socket = require("node:dgram").createSocket(envelope.dgramType);
      socket.bind({ fd }, () => emit(socket));
      break;
    }
    default:
      emit(nativeHandle(fd, envelope.type));
  }
}

/** A handle without a socket or server around it. Node does not say of which kind: a connection, or a datagram socket. */
function nativeHandle(fd: number, type: string) {
  const { ListenHandle, Pipe, TCP, UDP } = require("internal/net/native");
  const ops = native("net");
  const kind = native("process").guessHandleType(fd);
  if (kind === "UDP") return new UDP(ops.udpAdopt(fd));
  const tcp = kind === "TCP";
  if (type === "net.Native.listen") return new ListenHandle(ops.openListener(fd), tcp);
  const id = ops.openStream(fd);
  return tcp ? new TCP(id) : new Pipe(id);
}

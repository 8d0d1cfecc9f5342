/**
 * Bun.serve over HTTP/3: a datagram socket beside the listener, and connections of QUIC on it. Their requests are those of
 * internal/serve/streams.
 */
import { disownEndpoint, ownEndpoint, SessionBase } from "internal/http/http3";
import { guard } from "internal/serve/guard";
import { NO_ERROR, StreamConnection } from "internal/serve/streams";
import type { IncomingRequest } from "internal/serve/request";
import type { ServerImpl } from "internal/serve/server";
import type { Peer } from "internal/serve/websocket";

const net = native("net");

const END_STREAM = 4;
const NEW_STREAM = 8;
const VERSION_3 = 3 << 16;
/** Silence after which QUIC itself gives a client up, in ms: longer than any that the server's sweeps allow. */
const QUIC_IDLE = 300_000;

/** The socket of a server. */
export class Http3Listener {
  declare server: ServerImpl;
  declare id: number;
  declare context: undefined;

  private constructor(server: ServerImpl, id: number) {
    this.server = server;
    this.id = id;
    this.context = undefined;
    ownEndpoint(id, this);
  }

  /** Begins to listen, or gives a negative errno. */
  static listen(server: ServerImpl, address: string, port: number, flags: number): Http3Listener | number {
    const { contexts, names, requestCert } = server.tls!.forQuic();
    const id = net.h3Listen(address, port, flags, contexts, names, requestCert, QUIC_IDLE);
    return id < 0 ? id : new Http3Listener(server, id);
  }

  /** Port of the socket. */
  get port(): number {
    return net.socketAddress(this.id, false)[1]![1];
  }

  // Called from native code.
  accepted(id: number): void {
    const { server } = this;
    if (server.stopping || (server.tls!.requestCert && !server.tls!.admits(id))) {
      net.h3Close(id, 0x100);
      net.h3Free(id);
      return;
    }
    try {
      server.adopt(new Http3Connection(server, id));
    } catch (error) {
      server.broken({ close: () => net.h3Close(id, 0x102) }, error);
    }
  }

  /** Takes no more connections. */
  refuse(): void {
    if (this.id >= 0) net.h3CloseEndpoint(this.id, true);
  }

  close(): void {
    const { id } = this;
    if (id < 0) return;
    this.id = -1;
    disownEndpoint(id);
    net.h3CloseEndpoint(id, false);
  }

  setRef(on: boolean): void {
    if (this.id >= 0) net.setRef(this.id, on);
  }
}

/** A connection: what carries requests, and in the server's list what stands for them. */
export class Http3Connection extends SessionBase {
  declare server: ServerImpl;
  declare streams: Map<number, StreamConnection>;
  declare refusing: boolean;
  declare readonly version: number;
  // As of ServerConnection.
  declare current: IncomingRequest | undefined;
  declare touched: number;
  declare patience: number;
  declare closed: boolean;
  declare readonly ending: boolean;
  declare readonly receiving: undefined;
  declare readonly socket: Peer | undefined;

  constructor(server: ServerImpl, id: number) {
    super(id);
    this.server = server;
    this.streams = new Map();
    this.refusing = false;
    this.current = undefined;
    this.touched = server.now;
    this.patience = server.idleTimeout;
    this.closed = false;
  }

  get carrier(): this {
    return this;
  }

  /** What takes part in the end of a server. */
  get h2(): this {
    return this;
  }

  /** Address, port and family of the client. */
  get peer(): [address: string, port: number, family: number] | undefined {
    return net.h3Address(this.id) as [string, number, number] | undefined;
  }

  // ---- events

  onConnected(): void {}

  onHeaders(id: number, flags: number, text: string): void {
    this.touched = this.server.now;
    if ((flags & NEW_STREAM) === 0) {
      // Trailers, of which a Request knows nothing, end the body.
      if ((flags & END_STREAM) !== 0) this.streams.get(id)?.end();
      return;
    }
    new StreamConnection(this, id).begin(text, (flags & END_STREAM) !== 0);
  }

  onData(id: number, bytes: ArrayBuffer): void {
    this.touched = this.server.now;
    this.streams.get(id)?.body(bytes);
  }

  onEnd(id: number): void {
    this.streams.get(id)?.end();
  }

  onClosed(id: number, _code: number): void {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    this.streams.delete(id);
    stream.lost();
    if (this.streams.size === 0) this.idle();
  }

  onWritten(id: number): void {
    this.touched = this.server.now;
    this.streams.get(id)?.written();
  }

  onGoaway(): void {}

  onDrained(): void {
    if (this.streams.size > 0 || this.id < 0) return;
    net.h3Watch(this.id, false);
    this.close();
  }

  onLost(_how: number, _code: number, _reason: string): void {
    this.gone();
  }

  /** A request is over of which native code has no more to say. */
  answered(stream: StreamConnection): void {
    stream.closed = true;
    this.streams.delete(stream.stream);
    if (this.streams.size === 0) this.idle();
  }

  private idle(): void {
    this.current = undefined;
    if (!this.refusing && !this.server.stopping) return;
    // When the client has what was sent.
    net.h3Watch(this.id, true);
    this.schedule();
  }

  broken(error: unknown): void {
    this.server.broken(this, error);
  }

  // ---- the end

  /** Takes no more requests; ends with the last one. */
  retire(): void {
    if (this.refusing || this.id < 0) return;
    this.refusing = true;
    net.h3Goaway(this.id);
    this.schedule();
    if (this.streams.size === 0) this.idle();
  }

  close(): void {
    this.end(NO_ERROR);
    this.gone();
  }

  private gone(): void {
    if (this.closed) return;
    this.closed = true;
    this.free();
    const streams = [...this.streams.values()];
    this.streams.clear();
    for (const stream of streams) stream.lost();
    this.server.dropped(this);
  }
}

Object.assign(Http3Connection.prototype, {
  version: VERSION_3,
  ending: false,
  receiving: undefined,
  socket: undefined,
});
guard(
  Http3Connection.prototype,
  ["onHeaders", "onData", "onEnd", "onClosed", "onWritten", "onDrained", "onLost"],
  (session, error) => session.broken(error),
);

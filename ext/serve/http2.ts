/** Bun.serve over HTTP/2 (https://bun.com/docs/api/http#http2): a connection carries many requests at once, see internal/serve/streams. */
import { SessionBase } from "internal/http/http2/native";
import { guard } from "internal/serve/guard";
import { INTERNAL_ERROR, NO_ERROR, StreamConnection } from "internal/serve/streams";
import type { ServerConnection } from "internal/serve/connection";
import type { ServerImpl } from "internal/serve/server";

const net = native("net");

const END_STREAM = 4;
const NEW_STREAM = 8;
const VERSION_2 = 2 << 16;
const WATCH_DRAINED = 2;
const LIMITS = new Array(15).fill(NaN);
/** Most streams of a connection, and the windows: what clients get of a server that has to hold its bodies. */
const SETTINGS = [3, 256, 4, 1 << 20];

/** A connection that speaks HTTP/2. */
export class ServerSession extends SessionBase {
  declare carrier: ServerConnection;
  declare server: ServerImpl;
  declare streams: Map<number, StreamConnection>;
  declare refusing: boolean;
  declare readonly version: number;

  constructor(carrier: ServerConnection, early: ArrayBuffer | undefined) {
    super(true, LIMITS);
    this.carrier = carrier;
    this.server = carrier.server;
    this.streams = new Map();
    this.refusing = false;
    net.h2Settings(this.id, SETTINGS);
    net.h2Consume(this.id, carrier.id);
    if (early !== undefined) net.h2Feed(this.id, early);
    this.schedule();
  }

  // ---- commands, see StreamSession

  sendHeaders(kind: number, stream: number, text: string, flags: number): void {
    net.h2Headers(this.id, kind, stream, text, flags);
  }

  reply(stream: number, text: string, body: unknown, quiet: boolean): void {
    net.h2Reply(this.id, stream, text, body, quiet);
  }

  write(stream: number, bytes: Uint8Array): void {
    net.h2Write(this.id, stream, bytes, 0, false);
  }

  shut(stream: number): void {
    net.h2Shut(this.id, stream);
  }

  setReading(stream: number, on: boolean): void {
    net.h2Reading(this.id, stream, on);
  }

  reset(stream: number, code: number): void {
    net.h2Reset(this.id, stream, code);
  }

  // ---- events

  onHeaders(id: number, flags: number, text: string): void {
    this.carrier.touched = this.server.now;
    if ((flags & NEW_STREAM) === 0) {
      // Trailers, of which a Request knows nothing, end the body.
      if ((flags & END_STREAM) !== 0) this.streams.get(id)?.end();
      return;
    }
    new StreamConnection(this, id).begin(text, (flags & END_STREAM) !== 0);
  }

  onData(id: number, bytes: ArrayBuffer): void {
    this.carrier.touched = this.server.now;
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

  /** A request is over of which native code has no more to say. */
  answered(stream: StreamConnection): void {
    stream.closed = true;
    this.streams.delete(stream.stream);
    if (this.streams.size === 0) this.idle();
  }

  private idle(): void {
    const { carrier } = this;
    carrier.current = undefined;
    if (!this.refusing && !this.server.stopping) return;
    // With what native code still has to send.
    net.h2Watch(this.id, WATCH_DRAINED);
    this.schedule();
  }

  onDrained(): void {
    if (this.streams.size > 0) return;
    net.h2Watch(this.id, 0);
    this.later(() => {
      if (this.streams.size === 0) this.carrier.close();
    });
  }

  onWritten(id: number): void {
    this.carrier.touched = this.server.now;
    this.streams.get(id)?.written();
  }

  onSettings(): void {}
  onSettingsAck(): void {}
  onPing(): void {}
  onPriority(): void {}
  onWantTrailers(): void {}
  onFrameError(id: number): void {
    net.h2Reset(this.id, id, INTERNAL_ERROR);
    this.schedule();
  }

  onGoaway(): void {
    this.refusing = true;
    if (this.streams.size === 0) this.idle();
  }

  /** Acknowledgements that nobody waits for are no reason to hang up. */
  onError(_code: number, _invalid: boolean, over: boolean): void {
    if (over) this.hangUp();
  }

  onTerminated(): void {
    this.hangUp();
  }

  /** The client breaks the rules: it is told so, and that was all. */
  private hangUp(): void {
    this.later(() => {
      if (this.id >= 0) net.h2Flush(this.id);
      this.carrier.close();
    });
  }

  /** Calls `action` in the check phase of this turn. */
  private later(action: () => void): void {
    setImmediate(() => {
      try {
        action();
      } catch (error) {
        this.broken(error);
      }
    });
  }

  broken(error: unknown): void {
    this.server.broken(this.carrier, error);
  }

  /** Takes no more requests; ends with the last one. */
  retire(): void {
    if (this.refusing || this.id < 0) return;
    this.refusing = true;
    net.h2Goaway(this.id, NO_ERROR, 0, undefined);
    this.schedule();
    if (this.streams.size === 0) this.idle();
  }

  /** The connection is gone. */
  disconnected(): void {
    this.free();
    const streams = [...this.streams.values()];
    this.streams.clear();
    for (const stream of streams) stream.lost();
  }
}

Object.assign(ServerSession.prototype, { version: VERSION_2 });
guard(
  ServerSession.prototype,
  [
    "onHeaders",
    "onData",
    "onEnd",
    "onClosed",
    "onWritten",
    "onDrained",
    "onFrameError",
    "onGoaway",
    "onError",
    "onTerminated",
  ],
  (session, error) => session.broken(error),
);

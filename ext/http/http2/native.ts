// The JavaScript side of HTTP/2 in native("net"): one object a session, one a stream, under the names of Node's binding.
//
// Commands only append to what is to be sent; it goes to the socket at the end of the input that is being understood, or else in
// the check phase of the loop's turn, so that what a program does in one turn is one write.

import { asyncContext, callInContext, captureContext, tracking } from "internal/events/async_context";
import { StreamHandle } from "internal/net/native";
import { runNextTicks } from "internal/core/task_queues";
import { H2_BLOCK_REQUEST } from "internal/net/native_constants";
import type { Http2Session as Session } from "internal/http/http2/session";
import type { Http2Stream as Stream } from "internal/http/http2/stream";
import type { Chunk, Done, Socket } from "internal/http/types";

const net = native("net");

/** Sessions by their numbers. What native code tells is a call of the method with the event's name. */
const sessions: (Http2Session | undefined)[] = [];

const DONE = 0;
const HEADERS = 1;
const DATA = 2;
const END = 3;
const CLOSED = 4;
const WRITTEN = 5;
const WANT_TRAILERS = 6;
const SETTINGS = 7;
const SETTINGS_ACK = 8;
const PING = 9;
const GOAWAY = 10;
const PRIORITY = 11;
const ALTSVC = 12;
const ORIGIN = 13;
const FRAME_ERROR = 14;
const ERROR = 15;
const TERMINATED = 16;
const OUTPUT = 17;
const DRAINED = 18;

/** `a`, `b`, `c`: what the event has, of the types that its method takes. */
function onEvent(id: number, kind: number, stream: number, a: never, b: never, c: never, outer: boolean): void {
  const session = sessions[id];
  if (session === undefined) return;
  // These two come when a chunk has been understood: nothing follows that would send what is appended now.
  session.feeding = kind !== DONE && kind !== DRAINED;
  if (outer) session.eager = false;
  try {
    if (asyncContext.active) {
      const context = (session.streams?.get(stream) ?? session).context;
      callInContext(context, dispatch, undefined, [session, kind, stream, a, b, c]);
    } else {
      dispatch(session, kind, stream, a, b, c);
    }
    // What a program does about one frame counts for the next one.
    if (outer || session.alone) runNextTicks();
  } catch (error) {
    // The end of this chunk will not be told.
    session.feeding = false;
    session.schedule();
    throw error;
  }
}

function dispatch(session: Http2Session, kind: number, stream: number, a: never, b: never, c: never): void {
  switch (kind) {
    case DONE:
      session.done();
      break;
    case HEADERS:
      session.onHeaders(stream, a, b, c);
      break;
    case DATA:
      session.onData(stream, a);
      break;
    case END:
      session.onEnd(stream);
      break;
    case CLOSED:
      session.onClosed(stream, a);
      break;
    case WRITTEN:
      session.onWritten(stream);
      break;
    case WANT_TRAILERS:
      session.onWantTrailers(stream);
      break;
    case SETTINGS:
      session.onSettings();
      break;
    case SETTINGS_ACK:
      session.onSettingsAck();
      break;
    case PING:
      session.onPing(a, b);
      break;
    case GOAWAY:
      session.onGoaway(a, b, c);
      break;
    case PRIORITY:
      session.onPriority(stream, a, b, c);
      break;
    case ALTSVC:
      session.onAltSvc(stream, a, b);
      break;
    case ORIGIN:
      session.onOrigin(a);
      break;
    case FRAME_ERROR:
      session.onFrameError(stream, a, b);
      break;
    case ERROR:
      session.onError(a, b, c);
      break;
    case TERMINATED:
      session.onTerminated(a);
      break;
    case OUTPUT:
      session.output(a);
      break;
    default:
      session.onDrained();
      break;
  }
}

/** Bytes of what a client sends first. */
const PREFACE = 24;
const PADDED = 8;
let ready = false;

/** A session of native code and what it needs beside it. Its owner fills in the methods that are called above. */
export class SessionBase {
  declare id: number;
  declare context: unknown;
  /** Between the first event of a chunk and its end: what is to be sent goes out then. */
  declare feeding: boolean;
  declare scheduled: boolean;
  /** Something was sent in this phase of the loop: what follows from it may be, too. */
  declare eager: boolean;
  /** The socket, where bytes go through JavaScript; what it has given, and that nothing but that is being looked at. */
  declare duplex: Socket | undefined;
  declare arrived: Uint8Array[];
  /** Streams whose chunks are in what the socket is writing. */
  declare underWay: number[] | undefined;
  declare alone: boolean;

  constructor(server: boolean, limits: number[]) {
    if (!ready) {
      ready = true;
      net.h2Callback(onEvent);
    }
    this.id = net.h2Create(server, limits);
    sessions[this.id] = this as SessionBase as Http2Session;
    this.context = captureContext();
    this.feeding = false;
    this.scheduled = false;
    this.eager = false;
    this.duplex = undefined;
    this.arrived = [];
    this.underWay = undefined;
    this.alone = false;
  }

  done(): void {}

  /** Has what was appended sent before the loop sleeps. */
  schedule(): void {
    if (this.feeding || this.scheduled) return;
    this.scheduled = true;
    if (this.eager && this.duplex === undefined) {
      this.eager = false;
      process.nextTick(flush, this);
    } else {
      setImmediate(flushInTurn, this);
    }
  }

  /** Bytes for a stream that is no socket of native code. */
  output(bytes: ArrayBuffer): void {
    const { duplex } = this;
    if (duplex === undefined || duplex.destroyed) return;
    this.underWay = [];
    const all = Buffer.from(bytes);
    let at = 0;
    // Frame by frame, bodies apart from their heads, as Node writes to such streams.
    const put = (end: number) => {
      if (end <= at) return;
      const piece = all.subarray(at, end);
      at = end;
      if (at === all.length) duplex.write(piece, () => setImmediate(outputWritten, this));
      else duplex.write(piece);
    };
    if (all.length >= PREFACE && all[0] === 80 /* P */ && all.latin1Slice(0, 3) === "PRI") put(PREFACE);
    while (at + 9 <= all.length) {
      const from = at;
      const length = (all[from]! << 16) | (all[from + 1]! << 8) | all[from + 2]!;
      const end = from + 9 + length;
      if (all[from + 3] === 0) {
        put(from + 9);
        if ((all[from + 4]! & PADDED) !== 0) {
          put(from + 10);
          put(end - all[from + 9]!);
        }
      }
      put(end);
    }
  }

  free(): void {
    const { id } = this;
    if (id < 0) return;
    this.id = -1;
    sessions[id] = undefined;
    net.h2Free(id);
  }
}

function outputWritten(session: Http2Session): void {
  const { underWay } = session;
  session.underWay = undefined;
  if (underWay !== undefined) for (const id of underWay) session.onWritten(id);
  if (session.id < 0) return;
  net.h2Written(session.id);
  session.feeding = false;
}

function flush(session: SessionBase): void {
  session.scheduled = false;
  if (session.id < 0) return;
  net.h2Flush(session.id);
  session.feeding = false;
}

function flushInTurn(session: SessionBase): void {
  session.eager = true;
  flush(session);
}

/** `[name, value, …]` of a block's text. */
function fieldList(text: string): string[] {
  return text === "" ? [] : text.split("\0");
}

/** Whether the peer has answered, after how many milliseconds, and with what. */
export type PingCallback = (ack: boolean, duration: number, payload: ArrayBufferView | undefined) => void;
type SettingsCallback = (ack: boolean, duration: number) => void;

/** For async_hooks a ping is a resource of its own. */
function trackedPing(callback: PingCallback): PingCallback {
  const { AsyncResource } = require("node:async_hooks");
  const resource = new AsyncResource("HTTP2PING", { requireManualDestroy: true });
  return (...args) => {
    resource.runInAsyncScope(callback, undefined, ...args);
    resource.emitDestroy();
  };
}

/** What Node calls the binding's Http2Session. `owner` is the session of JavaScript, which it calls. */
export class Http2Session extends SessionBase {
  declare owner: Session;
  declare streams: Map<number, Http2Stream>;
  /** The callbacks of what is not answered yet, and when it was sent. */
  declare pings: [callback: PingCallback, since: number][];
  declare pendingSettings: [callback: SettingsCallback, since: number][];
  declare ondone: (() => void) | undefined;
  declare ongracefulclosecomplete: (() => void) | undefined;
  declare graceful: boolean;
  declare destroyed: boolean;
  declare watched: number;
  declare chunksSentSinceLastWrite: number;

  constructor(type: number, limits: number[] = []) {
    super(type === 0, limits);
    this.owner = undefined!;
    this.streams = new Map();
    this.pings = [];
    this.pendingSettings = [];
    this.ondone = undefined;
    this.ongracefulclosecomplete = undefined;
    this.graceful = false;
    this.destroyed = false;
    this.watched = 0;
    this.chunksSentSinceLastWrite = 0;
  }

  /** Takes over a socket: native code reads it, or this object where it is another kind of stream. */
  consume(socket: Socket): void {
    const handle = socket._handle;
    if (handle instanceof StreamHandle && handle.id >= 0) {
      net.h2Consume(this.id, handle.id);
      handle.readStart();
      return;
    }
    this.duplex = socket;
    // Not at once: the program's ticks have to run between two frames, and not in the middle of what it is doing now.
    socket.on("data", (chunk: Uint8Array) => {
      if (this.arrived.push(chunk) === 1) process.nextTick(() => this.receiveArrived());
    });
  }

  /** Understands what the socket has given. */
  receiveArrived(): void {
    this.alone = true;
    try {
      while (this.arrived.length > 0) {
        this.receive(this.arrived[0]!);
        this.arrived.shift();
      }
    } finally {
      this.alone = false;
    }
  }

  /** Bytes that were read already, or by somebody else. */
  receive(chunk: Uint8Array): void {
    if (this.id >= 0) net.h2Feed(this.id, chunk);
  }

  // ---- events

  onHeaders(id: number, flags: number, text: string, sensitive: string | undefined): void {
    let stream = this.streams.get(id);
    if (stream === undefined) {
      // Of a stream that the program has closed already.
      if ((flags & 8) === 0) return;
      stream = new Http2Stream(this, id);
    }
    this.owner.receivedHeaders(
      stream,
      id,
      flags & 3,
      (flags & 4) !== 0,
      fieldList(text),
      sensitive === undefined ? [] : sensitive.split("\0"),
    );
  }

  onData(id: number, bytes: ArrayBuffer): void {
    this.streams.get(id)?.owner?.receivedData(bytes);
  }

  onEnd(id: number): void {
    this.streams.get(id)?.owner?.receivedEnd();
  }

  onClosed(id: number, code: number): void {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    this.streams.delete(id);
    stream.open = false;
    const { owner } = stream;
    if (owner === undefined || !owner.handleClosed(code)) stream.destroy();
  }

  onWritten(id: number): void {
    if (this.underWay !== undefined) this.underWay.push(id);
    else this.streams.get(id)?.finishWrite(null);
  }

  onWantTrailers(id: number): void {
    this.streams.get(id)?.owner?.wantTrailers();
  }

  onSettings(): void {
    this.owner.receivedSettings();
  }

  onSettingsAck(): void {
    const [callback, since] = this.pendingSettings.shift() ?? [];
    callback?.(true, performance.now() - since!);
  }

  onPing(ack: boolean, bytes: ArrayBuffer): void {
    const payload = Buffer.from(bytes);
    if (!ack) {
      this.owner.receivedPing(payload);
      return;
    }
    const [callback, since] = this.pings.shift() ?? [];
    callback?.(true, performance.now() - since!, payload);
  }

  onGoaway(code: number, last: number, bytes: ArrayBuffer | undefined): void {
    this.owner.receivedGoaway(code, last, bytes === undefined ? undefined : Buffer.from(bytes));
  }

  onPriority(id: number, parent: number, weight: number, exclusive: boolean): void {
    this.owner.receivedPriority(id, parent, weight, exclusive);
  }

  onAltSvc(id: number, origin: string, value: string): void {
    this.owner.receivedAltSvc(id, origin, value);
  }

  onOrigin(text: string): void {
    this.owner.receivedOrigin(text === "" ? [] : text.split("\0"));
  }

  onFrameError(id: number, type: number, code: number): void {
    this.owner.frameError(id, type, code);
  }

  onError(code: number, invalid: boolean, _over: boolean): void {
    this.owner.internalError(code, invalid ? "ERR_HTTP2_TOO_MANY_INVALID_FRAMES" : undefined);
  }

  onTerminated(code: number): void {
    this.owner.terminated(code);
  }

  onDrained(): void {
    if (!this.graceful) return;
    this.graceful = false;
    this.watch();
    this.ongracefulclosecomplete?.();
  }

  // ---- commands

  private watch(): void {
    net.h2Watch(this.id, this.watched | (this.graceful ? 2 : 0));
  }

  /** Whether PRIORITY frames are of interest. */
  watchPriority(on: boolean): void {
    const bits = on ? 1 : 0;
    if (bits === this.watched || this.id < 0) return;
    this.watched = bits;
    this.watch();
  }

  setGracefulClose(): void {
    if (this.id < 0) return;
    this.graceful = true;
    this.watch();
    this.schedule();
  }

  hasPendingData(): boolean {
    return this.id >= 0 && (this.scheduled || net.h2Pending(this.id));
  }

  /** A new request: its stream, or a number of nghttp2. What Node's binding takes beyond these, a priority, is ignored. */
  request(headers: string, options: number, ...priority: unknown[]): number | Http2Stream;
  request(headers: string, options: number): number | Http2Stream {
    const id = net.h2Headers(this.id, H2_BLOCK_REQUEST, 0, headers, options);
    if (id < 0) return id;
    this.schedule();
    return new Http2Stream(this, id);
  }

  settings(list: number[], callback: SettingsCallback): boolean {
    if (!net.h2Settings(this.id, list)) return false;
    this.pendingSettings.push([callback, performance.now()]);
    this.schedule();
    return true;
  }

  settingsOf(remote: boolean): number[] {
    return net.h2SettingsOf(this.id, remote);
  }

  ping(payload: ArrayBufferView | undefined, callback: PingCallback): boolean {
    if (tracking.enabled) callback = trackedPing(callback);
    const bytes = new Uint8Array(8);
    if (payload) bytes.set(new Uint8Array(payload.buffer, payload.byteOffset, 8));
    if (this.id < 0 || !net.h2Ping(this.id, bytes)) {
      callback(false, 0, payload);
      return false;
    }
    this.pings.push([callback, performance.now()]);
    this.schedule();
    return true;
  }

  goaway(code: number, last: number, data: ArrayBuffer | SharedArrayBuffer | ArrayBufferView | undefined | null): void {
    net.h2Goaway(this.id, code >>> 0, Math.max(last, 0) & 0x7fffffff, data);
    this.schedule();
  }

  altsvc(stream: number, origin: string, value: string): void {
    net.h2Altsvc(this.id, stream, origin, value);
    this.schedule();
  }

  origin(list: string[]): void {
    net.h2Origin(this.id, list);
    this.schedule();
  }

  setNextStreamID(id: number): boolean {
    return net.h2NextId(this.id, id);
  }

  setLocalWindowSize(size: number): number {
    net.h2Window(this.id, size);
    this.schedule();
    return 0;
  }

  state(): number[] {
    return net.h2State(this.id);
  }

  updateChunksSent(): number {
    return (this.chunksSentSinceLastWrite = this.id >= 0 ? net.h2Writes(this.id) : 0);
  }

  /** Ends the session: a last GOAWAY unless the socket is gone; `ondone` is called in the next phase of the loop. */
  destroy(code: number, socketGone: boolean): void {
    if (this.destroyed) return;
    this.destroyed = true;
    const { id } = this;
    net.h2Close(id, (code ?? 0) >>> 0, !socketGone);
    process.nextTick(() => {
      const { pings } = this;
      this.pings = [];
      this.pendingSettings = [];
      for (const [callback] of pings) callback(false, 0, undefined);
      const { ondone } = this;
      this.free();
      ondone?.();
    });
  }
}

/** Who hears that a chunk is on its way. */
type Written = Done | Stream;

function tellWritten(done: Written, error: NodeError | null | undefined): void {
  if (typeof done === "function") done(error);
  else done.chunkWritten(error);
}

/** What Node calls the binding's Http2Stream. */
export class Http2Stream {
  declare session: Http2Session;
  declare streamId: number;
  declare owner: Stream | undefined;
  declare context: unknown;
  /** The callback of the write under way. */
  declare writing: Written | undefined;
  declare shut: boolean;
  declare open: boolean;

  constructor(session: Http2Session, id: number) {
    this.session = session;
    this.streamId = id;
    this.owner = undefined;
    this.context = captureContext();
    this.writing = undefined;
    this.shut = false;
    this.open = true;
    session.streams.set(id, this);
  }

  id(): number {
    return this.streamId;
  }

  getAsyncId(): number {
    return 0;
  }

  private send(kind: number, headers: string, options: number): number {
    const { session } = this;
    if (session.id < 0) return -510;
    const result = net.h2Headers(session.id, kind, this.streamId, headers, options);
    session.schedule();
    return result;
  }

  /** Options: 1 no body, 2 trailers. */
  respond(headers: string, options: number): number {
    return this.send(1, headers, options);
  }

  info(headers: string): number {
    return this.send(2, headers, 0);
  }

  trailers(headers: string): number {
    return this.send(3, headers, 0);
  }

  pushPromise(headers: string, options: number): number | Http2Stream {
    const id = this.send(4, headers, options);
    return id < 0 ? id : new Http2Stream(this.session, id);
  }

  /** Queues a chunk; `done`, a function or a stream of JavaScript, hears when it is on its way. `last`: nothing follows. */
  write(chunk: Chunk, latin1: boolean, last: boolean, done: Written): void {
    const { session } = this;
    if (last) this.shut = true;
    if (session.id < 0 || !net.h2Write(session.id, this.streamId, chunk, latin1 ? 1 : 0, last)) {
      process.nextTick(tellWritten, done, null);
      return;
    }
    this.writing = done;
    session.schedule();
  }

  finishWrite(error: NodeError | null | undefined): void {
    const done = this.writing;
    if (done === undefined) return;
    this.writing = undefined;
    tellWritten(done, error);
  }

  shutdown(): void {
    if (this.shut) return;
    this.shut = true;
    const { session } = this;
    if (session.id < 0) return;
    net.h2Shut(session.id, this.streamId);
    session.schedule();
  }

  readStart(): void {
    const { session } = this;
    if (session.id < 0 || !this.open) return;
    net.h2Reading(session.id, this.streamId, true);
    session.schedule();
  }

  readStop(): void {
    const { session } = this;
    if (session.id >= 0 && this.open) net.h2Reading(session.id, this.streamId, false);
  }

  rstStream(code: number): void {
    const { session } = this;
    if (session.id < 0 || !this.open) return;
    net.h2Reset(session.id, this.streamId, code >>> 0);
    session.schedule();
  }

  state(): number[] {
    const { session } = this;
    return session.id < 0 ? [7, 16, 0, 1, 1, 0] : net.h2StreamState(session.id, this.streamId);
  }

  destroy(): void {
    const { session } = this;
    if (session.id >= 0 && this.open) {
      net.h2Abandon(session.id, this.streamId);
      session.schedule();
    }
    this.open = false;
    session.streams.delete(this.streamId);
    const done = this.writing;
    if (done !== undefined) {
      this.writing = undefined;
      setImmediate(tellWritten, done, null);
    }
    this.owner = undefined;
  }
}

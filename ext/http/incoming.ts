// http.IncomingMessage (https://nodejs.org/api/http.html#class-httpincomingmessage).
//
// A head comes as one string, parts separated by NUL: it is split when somebody asks for the headers.

import stream from "node:stream";
import { classes, methods, readStart } from "internal/http/common";
import { HEAD_MAJOR_SHIFT, HEAD_MINOR_SHIFT } from "internal/net/native_constants";
import type { ClientRequest } from "internal/http/client";
import type { HTTPParser, MessageClass } from "internal/http/common";
import type { IncomingHeaders, Readable as ReadableStream, Socket, Streams } from "internal/http/types";

const { Readable } = stream as Streams;

const kHeaders = Symbol("kHeaders");
const kHeadersDistinct = Symbol("kHeadersDistinct");
const kHeadersCount = Symbol("kHeadersCount");
const kTrailers = Symbol("kTrailers");
const kTrailersDistinct = Symbol("kTrailersDistinct");
const kTrailersCount = Symbol("kTrailersCount");
const kRaw = Symbol("kRawHeaders");
const kText = Symbol("kText");
const kLimit = Symbol("kLimit");
const kAbortController = Symbol("kAbortController");

/** A request on a server, a response on a client. */
export interface IncomingMessage extends ReadableStream {
  socket: Socket;
  connection: Socket;
  /** An old name of `socket`. */
  client: Socket;
  httpVersion: string | null;
  httpVersionMajor: number | null;
  httpVersionMinor: number | null;
  complete: boolean;
  aborted: boolean;
  /** Whether the connection is for another protocol from now on. */
  upgrade: boolean | null;
  joinDuplicateHeaders: boolean | undefined;
  /** Of requests. */
  url: string;
  method: string | null;
  /** Of responses. */
  statusCode: number | null;
  statusMessage: string | null;
  req?: ClientRequest;
  headers: IncomingHeaders;
  headersDistinct: Distinct;
  rawHeaders: string[];
  trailers: IncomingHeaders;
  trailersDistinct: Distinct;
  rawTrailers: string[];
  readonly signal: AbortSignal;
  /** Somebody has begun to read. */
  _consumed: boolean;
  /** The body is thrown away. */
  _dumped: boolean;
  [kHeaders]: IncomingHeaders | null;
  [kHeadersDistinct]?: Distinct;
  [kHeadersCount]: number;
  [kTrailers]: IncomingHeaders | null;
  [kTrailersDistinct]?: Distinct;
  [kTrailersCount]: number;
  /** Names and values in turn, when they have been split. */
  [kRaw]: string[] | undefined;
  /** Names and values before that. */
  [kText]: string;
  /** The most parts of `kText` that count. */
  [kLimit]: number;
  [kAbortController]?: AbortController;
  setHead(parser: HTTPParser, info: number, text: string): void;
  setTrailers(parser: HTTPParser, text: string): void;
  setTimeout(msecs: number, callback?: () => void): this;
  _read(): void;
  _destroy(error: NodeError | null, done: (error?: NodeError | null) => void): void;
  _addHeaderLines(headers: string[] | null | undefined, n: number): void;
  _addHeaderLine(field: string, value: string, target: IncomingHeaders): void;
  _addHeaderLineDistinct(field: string, value: string, target: Distinct): void;
  _dump(): void;
  _dumpAndCloseReadable(): void;
}

/** All values of each header, by their names in lower case. */
type Distinct = Record<string, string[]>;

/** `new IncomingMessage(socket)`; callable for classes of the old kind. */
export function IncomingMessage(this: IncomingMessage, socket: Socket): void {
  Readable.call(this, socket ? { highWaterMark: socket.readableHighWaterMark } : undefined);
  this._readableState.readingMore = true;
  this.socket = socket;
  this.httpVersionMajor = null;
  this.httpVersionMinor = null;
  this.httpVersion = null;
  this.complete = false;
  this[kHeaders] = null;
  this[kHeadersCount] = 0;
  this[kRaw] = undefined;
  this[kText] = "";
  this[kLimit] = 0;
  this.rawTrailers = [];
  this[kTrailers] = null;
  this[kTrailersCount] = 0;
  this.joinDuplicateHeaders = false;
  this.aborted = false;
  this.upgrade = null;
  this.url = "";
  this.method = null;
  this.statusCode = null;
  this.statusMessage = null;
  this.client = socket;
  this._consumed = false;
  this._dumped = false;
}
Object.setPrototypeOf(IncomingMessage.prototype, Readable.prototype);
Object.setPrototypeOf(IncomingMessage, Readable);
classes.IncomingMessage = IncomingMessage as unknown as MessageClass;

const proto: IncomingMessage = IncomingMessage.prototype;

const versions: Record<number, string> = { 0x11: "1.1", 0x10: "1.0" };

/** Takes over what a parser found; see HTTPParser.head. */
proto.setHead = function (parser, info, text) {
  const major = (info >> HEAD_MAJOR_SHIFT) & 15;
  const minor = (info >> HEAD_MINOR_SHIFT) & 15;
  this.httpVersionMajor = major;
  this.httpVersionMinor = minor;
  this.httpVersion = versions[(major << 4) | minor] ?? `${major}.${minor}`;
  this.joinDuplicateHeaders = parser.joinDuplicateHeaders;
  const end = text.indexOf("\0");
  const first = end < 0 ? text : text.slice(0, end);
  this[kText] = end < 0 ? "" : text.slice(end + 1);
  this[kLimit] = parser.maxHeaderPairs;
  if (parser.response) {
    this.statusCode = info & 1023;
    this.statusMessage = first;
  } else {
    this.method = methods[info & 1023];
    this.url = first;
  }
  this.upgrade = (info & (1 << 11)) !== 0;
};

proto.setTrailers = function (parser, text) {
  this.rawTrailers = split(text, parser.maxHeaderPairs);
  this[kTrailersCount] = this.rawTrailers.length;
};

function split(text: string, limit: number): string[] {
  const list = text.split("\0");
  if (limit > 0 && list.length > limit) list.length = limit;
  return list;
}

function raw(message: IncomingMessage): string[] {
  let list = message[kRaw];
  if (list === undefined) {
    const text = message[kText];
    list = message[kRaw] = text === "" ? [] : split(text, message[kLimit]);
    message[kText] = "";
    message[kHeadersCount] = list.length;
  }
  return list;
}

function accessor<K extends keyof IncomingMessage>(
  name: K,
  get: (this: IncomingMessage) => IncomingMessage[K],
  set?: (this: IncomingMessage, value: IncomingMessage[K]) => void,
): void {
  Object.defineProperty(proto, name, { get, set, configurable: true, enumerable: name !== "connection" });
}

accessor(
  "rawHeaders",
  function () {
    return raw(this);
  },
  function (value) {
    this[kRaw] = value;
    this[kHeadersCount] = value?.length ?? 0;
  },
);

accessor(
  "connection",
  function () {
    return this.socket;
  },
  function (value) {
    this.socket = value;
  },
);

accessor(
  "headers",
  function () {
    if (!this[kHeaders]) {
      const headers: IncomingHeaders = (this[kHeaders] = {});
      const list = raw(this);
      for (let i = 0; i + 1 < list.length; i += 2) this._addHeaderLine(list[i]!, list[i + 1]!, headers);
    }
    return this[kHeaders];
  },
  function (value) {
    this[kHeaders] = value;
  },
);

function distinct(list: string[]): Distinct {
  const headers = { __proto__: null } as unknown as Distinct;
  for (let i = 0; i + 1 < list.length; i += 2) (headers[lowerCase(list[i]!)] ??= []).push(list[i + 1]!);
  return headers;
}

accessor(
  "headersDistinct",
  function () {
    return (this[kHeadersDistinct] ??= distinct(raw(this)));
  },
  function (value) {
    this[kHeadersDistinct] = value;
  },
);

accessor(
  "trailers",
  function () {
    if (!this[kTrailers]) {
      const headers: IncomingHeaders = (this[kTrailers] = {});
      const list = this.rawTrailers;
      for (let i = 0; i + 1 < list.length; i += 2) this._addHeaderLine(list[i]!, list[i + 1]!, headers);
    }
    return this[kTrailers];
  },
  function (value) {
    this[kTrailers] = value;
  },
);

accessor(
  "trailersDistinct",
  function () {
    return (this[kTrailersDistinct] ??= distinct(this.rawTrailers));
  },
  function (value) {
    this[kTrailersDistinct] = value;
  },
);

accessor("signal", function () {
  if (this[kAbortController] === undefined) {
    const controller = (this[kAbortController] = new AbortController());
    if (this.destroyed) controller.abort();
    else this.once("close", () => controller.abort());
  }
  return this[kAbortController].signal;
});

proto.setTimeout = function (msecs, callback) {
  if (callback) this.on("timeout", callback);
  this.socket.setTimeout(msecs);
  return this;
};

proto._read = function () {
  if (!this._consumed) {
    this._readableState.readingMore = false;
    this._consumed = true;
  }
  // The rest of the body, where there is one, comes over the socket.
  if (this.socket?.readable) readStart(this.socket);
};

proto._destroy = function (error, cb) {
  if (!this.readableEnded || !this.complete) {
    this.aborted = true;
    this.emit("aborted");
  }
  // The connection is of no use when the message was left in the middle.
  if (this.socket && !this.socket.destroyed && this.aborted) {
    this.socket.destroy(error);
    const { eos } = require("internal/streams/end_of_stream");
    const cleanup = eos(this.socket, (failure?: NodeError | null) => {
      if (failure?.code === "ERR_STREAM_PREMATURE_CLOSE") failure = null;
      cleanup();
      process.nextTick(onError, this, failure || error, cb);
    });
  } else {
    process.nextTick(onError, this, error, cb);
  }
};

function onError(self: IncomingMessage, error: NodeError | null, cb: (error?: NodeError | null) => void): void {
  // An error without anybody to hear it is no reason to end the program.
  if (self.listenerCount("error") === 0) cb();
  else cb(error);
}

// What happens to a second header of the same name. 0: the first wins; 1: joined by ", "; 2: a list; 3: joined by "; ".
const FIRST = 0;
const LIST = 2;
const COOKIE = 3;
const rules: Record<string, number> = { __proto__: null } as unknown as Record<string, number>;
for (const name of [
  "age",
  "authorization",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "from",
  "host",
  "if-modified-since",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "referer",
  "retry-after",
  "server",
  "user-agent",
])
  rules[name] = FIRST;
rules["set-cookie"] = LIST;
rules["cookie"] = COOKIE;

const lowered = new Map<string, string>();
function lowerCase(name: string): string {
  let lower = lowered.get(name);
  if (lower === undefined) {
    lower = name.toLowerCase();
    if (lowered.size < 512 && name.length < 64) lowered.set(name, lower);
  }
  return lower;
}

proto._addHeaderLines = function (headers, n) {
  if (!headers?.length) return;
  let target: IncomingHeaders | null;
  if (this.complete) {
    this.rawTrailers = headers;
    this[kTrailersCount] = n;
    target = this[kTrailers];
  } else {
    this.rawHeaders = headers;
    this[kHeadersCount] = n;
    target = this[kHeaders];
  }
  if (target) for (let i = 0; i < n; i += 2) this._addHeaderLine(headers[i]!, headers[i + 1]!, target);
};

proto._addHeaderLine = function (field, value, target) {
  const name = lowerCase(field);
  // As Node, whose headers have Object.prototype: a field of this name is in rawHeaders only.
  if (name === "__proto__") return;
  const known = target[name];
  const rule = rules[name];
  if (rule === LIST) {
    if (known !== undefined && Object.hasOwn(target, name)) (known as string[]).push(value);
    else target[name] = [value];
    return;
  }
  if (typeof known !== "string") {
    target[name] = value;
    return;
  }
  if (rule === COOKIE) target[name] = `${known}; ${value}`;
  else if (rule === undefined || this.joinDuplicateHeaders) target[name] = `${known}, ${value}`;
};

proto._addHeaderLineDistinct = function (field, value, target) {
  const name = lowerCase(field);
  (target[name] ??= []).push(value);
};

/** Throws the rest of the body away. */
proto._dump = function () {
  if (this._dumped) return;
  this._dumped = true;
  // Nobody is to see what is left.
  this.removeAllListeners("data");
  this.resume();
};

proto._dumpAndCloseReadable = function () {
  this._dumped = true;
  this._readableState.ended = true;
  this._readableState.endEmitted = true;
  this._readableState.destroyed = true;
  this._readableState.closed = true;
  this._readableState.closeEmitted = true;
};

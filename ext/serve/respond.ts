/** Sending what a handler has returned. Strings and bytes go out with their head in one system call. */
import { STATUS_CODES } from "internal/http/status";
import { chunkBytes } from "internal/fetch/body";
import { blobBytesSync, isBlob } from "web/blob";
import { readableOf } from "internal/streams/webstreams/readable";
import { acquireReader } from "internal/streams/webstreams/readable_core";
import { guardSink } from "internal/serve/guard";
import { responseState, ResponseState } from "web/response";
import type { IncomingRequest } from "internal/serve/request";
import {
  ENCODING_LATIN1,
  ENCODING_UTF8,
  HEAD_KEEP_ALIVE,
  HEAD_MINOR_SHIFT,
  RESPOND_NO_BODY,
  RESPOND_NO_DATE,
  RESPOND_NO_LENGTH,
  WRITTEN_ALL,
  WRITTEN_LATER,
} from "internal/net/native_constants";
import type { CookieMap } from "internal/serve/request";
import type { ServerConnection } from "internal/serve/connection";

const net = native("net");

/** Bytes of a body that are given to the system at once. */
const PIECE = 512 * 1024;

/** Of internal/serve/streams. */
let respondOnStream: (request: IncomingRequest, state: ResponseState) => void;

const statusLines: string[] = [];
/** The first line of a response. */
function statusLine(status: number, text: string): string {
  const known = statusLines[status];
  if (known !== undefined) return known;
  const reason = STATUS_CODES[status];
  if (reason === undefined) return `HTTP/1.1 ${status} ${text}\r\n`;
  return (statusLines[status] = `HTTP/1.1 ${status} ${reason}\r\n`);
}

/** Heads of responses with status 200 that have a Content-Type and nothing else. */
const plainHeads = new Map<string, string>();

/** What headers say about how a response is sent. */
export const found = { date: false, close: false, chunked: false, length: undefined as string | undefined };

/** Status line and headers of a response, without those that sending adds. What it found is in `found`. */
function headOf(state: ResponseState): string {
  const { items } = state.list;
  found.date = false;
  found.close = false;
  found.chunked = false;
  found.length = undefined;
  if (items.length === 3 && items[0] === "content-type" && state.status === 200) {
    const type = items[2]!;
    let head = plainHeads.get(type);
    if (head === undefined) {
      head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n`;
      if (plainHeads.size < 100) plainHeads.set(type, head);
    }
    return head;
  }
  let head = statusLine(state.status, state.statusText);
  for (let i = 0; i < items.length; i += 3) {
    const name = items[i]!;
    const value = items[i + 2]!;
    if (name === "content-length") {
      found.length = value;
      continue;
    }
    if (name === "transfer-encoding") {
      found.chunked = /(?:^|[\s,])chunked\s*$/i.test(value);
      continue;
    }
    if (name === "date") found.date = true;
    else if (name === "connection" && /(?:^|[\s,])close(?:$|[\s,])/i.test(value)) found.close = true;
    head += `${name === "content-type" ? "Content-Type" : items[i + 1]!}: ${value}\r\n`;
  }
  return head;
}

const typedHeads = new Map<string, string>();

/** The head of a response whose body has a media type of its own; "" where there is more to it. What it found is in `found`. */
export function plainHeadOf(state: ResponseState, type: string): string {
  const { status, list } = state;
  if (status < 200 || status === 204 || status === 304) return "";
  if (status === 200 && list.items.length === 0) {
    found.date = found.close = false;
    found.length = undefined;
    let head = typedHeads.get(type);
    if (head === undefined) {
      head = `HTTP/1.1 200 OK\r\n${type === "" ? "" : `Content-Type: ${type}\r\n`}`;
      if (typedHeads.size < 200) typedHeads.set(type, head);
    }
    return head;
  }
  const head = headOf(state);
  return type === "" || list.has("content-type") ? head : `${head}Content-Type: ${type}\r\n`;
}

/** The same with what the request and its connection ask for. */
function fullHeadOf(request: IncomingRequest, state: ResponseState): string {
  const { connection } = request;
  let head = headOf(state);
  if (request.cookies !== undefined) head += cookieLines(request.cookies);
  const { altSvc } = connection.server;
  if (altSvc !== "" && !state.list.has("alt-svc")) head += `Alt-Svc: ${altSvc}\r\n`;
  if (found.close) connection.last = true;
  else if (connection.last) head += "Connection: close\r\n";
  else if (((request.info >> HEAD_MINOR_SHIFT) & 15) === 0 && (request.info & HEAD_KEEP_ALIVE) !== 0)
    head += "Connection: keep-alive\r\n";
  return head;
}

/** The system sends a file; nothing may be written before it has. */
export function fileUnderWay(connection: ServerConnection, request: IncomingRequest): void {
  connection.sending = 1;
  connection.drained = () => {
    connection.sending = 0;
    connection.finished(request);
  };
}

/**
 * Has the system send a part of a file by itself (sendfile): `length` bytes from `start` on, undefined for all that follow. False
 * where it cannot, and nothing was sent.
 */
export function sendFilePart(
  request: IncomingRequest,
  state: ResponseState,
  path: string,
  start: number,
  length: number | undefined,
): boolean {
  const { connection } = request;
  const head = fullHeadOf(request, state);
  const result = net.httpSendFile(connection.id, head, path, start, length, found.date ? RESPOND_NO_DATE : 0);
  if (result[1] < 0) return false;
  request.begun = true;
  if (result[0] === WRITTEN_ALL) {
    connection.finished(request);
  } else if (result[0] === WRITTEN_LATER) {
    fileUnderWay(connection, request);
  } else {
    // The client has the head: there is no other way to say that the rest does not come.
    connection.close();
  }
  return true;
}

/** Sends a Response for a request. Throws where its body has been used; nothing was sent then. */
export function respond(request: IncomingRequest, response: unknown): void {
  const { connection } = request;
  const state = responseState(response);
  if (request.done) {
    // Nobody is there any more.
    if (state.body !== null && !state.body.unusable && state.body.source === undefined)
      state.body.stream.cancel().catch(() => {});
    return;
  }
  const { status, body } = state;
  if (status === 0) {
    throw new TypeError(
      "Cannot send a Response with status 0. HTTP status codes must be between 100 and 999 (Response.error() returns status 0).",
    );
  }
  if (body !== null && body.unusable) {
    const error: NodeError = new TypeError("Response body already used");
    error.code = "ERR_BODY_ALREADY_USED";
    throw error;
  }
  const source = body === null ? undefined : body.source;
  if (isBlob(source) && blobBytesSync(source) === undefined) {
    require("internal/serve/files").respondWithFile(request, state, body!.take() as Blob);
    return;
  }
  if (connection.isStream) {
    respondOnStream ??= require("internal/serve/streams").respondOnStream;
    respondOnStream(request, state);
    return;
  }
  let head = fullHeadOf(request, state);
  let flags = found.date ? RESPOND_NO_DATE : 0;
  const isHead = request.method === "HEAD";
  if (
    body === null ||
    typeof source === "string" ||
    source instanceof Uint8Array ||
    (source !== undefined && isBlob(source))
  ) {
    if (status === 204 || status === 304 || status < 200) {
      flags |= RESPOND_NO_LENGTH | RESPOND_NO_BODY;
    } else if (isHead) {
      // A handler may know what the length would be.
      if (body === null && found.length !== undefined) {
        head += `Content-Length: ${found.length}\r\n`;
        flags |= RESPOND_NO_LENGTH;
      } else if (body === null && found.chunked) {
        head += "Transfer-Encoding: chunked\r\n";
        flags |= RESPOND_NO_LENGTH;
      }
      flags |= RESPOND_NO_BODY;
    }
    const content = body === null ? undefined : body.take();
    if (content instanceof Uint8Array && content.byteLength > PIECE && flags === (found.date ? RESPOND_NO_DATE : 0)) {
      sendPieces(request, head, content, flags);
      return;
    }
    request.begun = true;
    net.httpRespond(
      connection.id,
      head,
      content === undefined || typeof content === "string" || content instanceof Uint8Array
        ? content
        : blobBytesSync(content as Blob),
      flags,
    );
    connection.finished(request);
    return;
  }
  if (isHead || status === 204 || status === 304) {
    body.stream.cancel().catch(() => {});
    if (isHead)
      head += found.length === undefined ? "Transfer-Encoding: chunked\r\n" : `Content-Length: ${found.length}\r\n`;
    request.begun = true;
    net.httpRespond(connection.id, head, undefined, flags | RESPOND_NO_LENGTH | RESPOND_NO_BODY);
    connection.finished(request);
    return;
  }
  sendStream(
    request,
    head,
    flags,
    body.stream,
    found.length !== undefined && /^\d+$/.test(found.length) ? Number(found.length) : undefined,
  );
}

/** Sends bytes piece by piece: what the system does not take at once has to be kept, and that need not be all. */
function sendPieces(request: IncomingRequest, head: string, bytes: Uint8Array, flags: number): void {
  const { connection } = request;
  let at = PIECE;
  const go = () => {
    while (at < bytes.byteLength) {
      const ready = connection.write(bytes.subarray(at, (at += PIECE)));
      if (!ready && at < bytes.byteLength) {
        connection.drained = go;
        return;
      }
    }
    connection.finished(request);
  };
  request.begun = true;
  const result = net.httpRespond(
    connection.id,
    `${head}Content-Length: ${bytes.byteLength}\r\n`,
    bytes.subarray(0, PIECE),
    flags | RESPOND_NO_LENGTH,
  );
  if (result === WRITTEN_LATER) connection.drained = go;
  else go();
}

/** Heads of responses that are always the same. */
const fixedHeads = new WeakMap<Response, string>();

/** Sends a response that is always the same, where nothing about the request asks for more; false if something does. */
export function sendPlain(request: IncomingRequest, response: Response, body: unknown): boolean {
  const { connection } = request;
  if (connection.isStream || connection.server.altSvc !== "") return false;
  let head = fixedHeads.get(response);
  if (head === undefined) {
    const state = responseState(response);
    head = headOf(state);
    // An empty head: such responses go the long way.
    if (found.date || found.close || state.status < 200 || state.status === 204 || state.status === 304) head = "";
    fixedHeads.set(response, head);
  }
  if (head === "" || connection.last || ((request.info >> HEAD_MINOR_SHIFT) & 15) === 0) return false;
  request.begun = true;
  net.httpRespond(connection.id, head, body, request.method === "HEAD" ? RESPOND_NO_BODY : 0);
  connection.finished(request);
  return true;
}

function cookieLines(cookies: CookieMap): string {
  let text = "";
  for (const line of cookies.toSetCookieHeaders()) text += `Set-Cookie: ${line}\r\n`;
  return text;
}

/**
 * Sends a stream: what is there within the same turn of the loop goes out with the head, with its length if that is all. `length`:
 * what the handler says the length is.
 */
function sendStream(
  request: IncomingRequest,
  head: string,
  flags: number,
  stream: unknown,
  length: number | undefined,
): void {
  const { connection } = request;
  const reader = acquireReader(readableOf(stream));
  // HTTP/1.0 knows no chunks: the end of the connection is the end of the body.
  const old = ((request.info >> HEAD_MINOR_SHIFT) & 15) === 0;
  const chunked = !old && length === undefined;
  if (old && length === undefined && !connection.last) {
    head = head.replace("Connection: keep-alive\r\n", "");
    connection.last = true;
  }
  let early: Uint8Array[] | undefined = [];
  let earlyLength = 0;
  let sent = 0;
  let ended = false;
  let held = false;
  let inRead = false;
  let more = false;

  const next = () => {
    inRead = true;
    do {
      more = false;
      reader.read(guarded);
    } while (more && !request.done);
    inRead = false;
  };
  const go = () => {
    more = true;
    if (!inRead) next();
  };
  const write = (bytes: Uint8Array): boolean => {
    connection.touched = connection.server.now;
    if (!chunked) return connection.write(bytes);
    return (
      net.writeMany(connection.id, [
        `${bytes.byteLength.toString(16)}\r\n`,
        ENCODING_LATIN1,
        bytes,
        ENCODING_UTF8,
        "\r\n",
        ENCODING_LATIN1,
      ]) !== WRITTEN_LATER
    );
  };
  const flush = () => {
    const pieces = early;
    if (pieces === undefined || request.done) return;
    early = undefined;
    if (ended && length === undefined) {
      const all = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      request.begun = true;
      net.httpRespond(connection.id, head, all, flags);
      connection.finished(request);
      return;
    }
    if (length !== undefined) head += `Content-Length: ${length}\r\n`;
    else if (chunked) head += "Transfer-Encoding: chunked\r\n";
    request.begun = true;
    net.httpRespond(connection.id, head, undefined, flags | RESPOND_NO_LENGTH);
    let ready = true;
    for (const piece of pieces) ready = write(piece);
    if (ended) {
      finish();
    } else if (held) {
      held = false;
      if (ready) go();
      else connection.drained = go;
    } else if (!ready) {
      // The next chunk waits in `chunk`.
    }
  };
  const finish = () => {
    if (request.done) return;
    if (length !== undefined && sent !== length) {
      // The client would wait for the rest, or take the next response for it.
      connection.close();
      return;
    }
    if (chunked) net.write(connection.id, "0\r\n\r\n", 1, undefined, 0);
    connection.finished(request);
  };
  const sink = {
    chunk(value: unknown) {
      if (request.done) return;
      let bytes: Uint8Array;
      try {
        bytes = chunkBytes(value);
      } catch (error) {
        sink.error(error);
        require("internal/streams/webstreams/core").markHandled(reader.cancel(error));
        return;
      }
      sent += bytes.byteLength;
      if (length !== undefined && sent > length) {
        bytes = bytes.subarray(0, bytes.byteLength - (sent - length));
        sent = length;
      }
      if (early !== undefined) {
        if (bytes.byteLength > 0) early.push(bytes);
        earlyLength += bytes.byteLength;
        if (earlyLength < 256 * 1024) go();
        else held = true;
        return;
      }
      if (bytes.byteLength === 0 || write(bytes)) go();
      else connection.drained = go;
    },
    close() {
      ended = true;
      if (early === undefined) finish();
    },
    error(reason: unknown) {
      if (request.done) return;
      if (early !== undefined && earlyLength === 0) {
        early = undefined;
        connection.gone = undefined;
        connection.server.failed(request, reason);
        return;
      }
      connection.server.report(reason);
      connection.close();
    },
  };
  connection.gone = () => {
    require("internal/streams/webstreams/core").markHandled(reader.cancel(undefined));
  };
  const guarded = guardSink(sink, (error) => connection.server.broken(connection, error));
  next();
  setImmediate(() => {
    try {
      flush();
    } catch (error) {
      connection.server.broken(connection, error);
    }
  });
}

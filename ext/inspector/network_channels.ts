// What Network tells of the requests of node:http, node:https, node:http2 and fetch, by their diagnostics channels, while a session
// has enabled it.
import EventEmitter from "node:events";
import type { EventEmitter as Emitter } from "internal/events/types";
import { tell } from "internal/inspector/network";

const { subscribe: listen, unsubscribe: unlisten } = require("node:diagnostics_channel");

type Subscription = (message: unknown) => void;

/** A request that was told of. */
interface Told {
  id: string;
  url: string;
}
const { MIMEType } = require("node:util");
const told = new WeakMap<object, Told>();
let lastId = 0;

const performance = require("web/performance").performance as { now(): number; timeOrigin: number };

/** Seconds of a clock that only goes forward. */
const timestamp = () => performance.now() / 1000;
/** Seconds since 1970. */
const wallTime = () => (performance.timeOrigin + performance.now()) / 1000;

function note(of: object, url: string): Told {
  const entry = { id: `node-network-event-${++lastId}`, url };
  told.set(of, entry);
  return entry;
}

/** Values as the protocol has them; more than one cookie in lines of their own. */
function headersOf(headers: Record<string, unknown>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (key.startsWith(":")) continue;
    if (!Array.isArray(value)) result[key] = String(value);
    else result[key] = value.join(key === "set-cookie" ? "\n" : key === "cookie" ? "; " : ", ");
  }
  return result;
}

/** Type and charset of a Content-Type; both empty if it is none. */
function contentType(value: string | undefined): { mimeType: string; charset: string } {
  if (value === undefined) return { mimeType: "", charset: "" };
  try {
    const type = new MIMEType(value);
    return { mimeType: type.essence, charset: type.params.get("charset") ?? "" };
  } catch {
    return { mimeType: "", charset: "" };
  }
}

function tellResponse(entry: Told, type: string, status: number, statusText: string, headers: Record<string, string>) {
  tell("responseReceived", {
    requestId: entry.id,
    timestamp: timestamp(),
    type,
    response: { url: entry.url, status, statusText, headers, ...contentType(headers["content-type"]) },
  });
}

function tellData(entry: Told, chunk: Uint8Array | string): void {
  const data = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  tell("dataReceived", {
    requestId: entry.id,
    timestamp: timestamp(),
    dataLength: data.byteLength,
    encodedDataLength: data.byteLength,
    data,
  });
}

function tellFinished(entry: Told): void {
  tell("loadingFinished", { requestId: entry.id, timestamp: timestamp() });
}

function tellFailed(entry: Told, type: string, error: unknown): void {
  const errorText = error instanceof Error ? error.message : String(error);
  tell("loadingFailed", { requestId: entry.id, timestamp: timestamp(), type, errorText });
}

// `on` of a stream would have it flow; nobody else hears of this listener.
function onData(of: Emitter, entry: Told): void {
  EventEmitter.prototype.on.call(of, "data", (chunk: Uint8Array | string) => tellData(entry, chunk));
}

interface HttpRequest extends Emitter {
  protocol: string;
  path: string;
  host: string;
  method: string;
  getHeader(name: string): unknown;
  getHeaders(): Record<string, unknown>;
}
interface HttpResponse extends Emitter {
  statusCode: number;
  statusMessage: string;
  headers: Record<string, unknown>;
}
interface Http2Stream extends Emitter {
  writableEnded: boolean;
  rstCode: number;
}
interface FetchRequest {
  origin: string;
  path: string;
  method: string;
  headers: string[];
}

const listeners = {
  "http.client.request.created"({ request }: { request: HttpRequest }) {
    const host = (request.getHeader("host") as string | undefined) ?? request.host;
    const { id, url } = note(request, `${request.protocol}//${host}${request.path}`);
    tell("requestWillBeSent", {
      requestId: id,
      timestamp: timestamp(),
      wallTime: wallTime(),
      request: { url, method: request.method, headers: headersOf(request.getHeaders()) },
    });
  },
  "http.client.request.error"({ request, error }: { request: HttpRequest; error: unknown }) {
    const entry = told.get(request);
    if (entry !== undefined) tellFailed(entry, "Other", error);
  },
  "http.client.response.finish"({ request, response }: { request: HttpRequest; response: HttpResponse }) {
    const entry = told.get(request);
    if (entry === undefined) return;
    tellResponse(entry, "Other", response.statusCode, response.statusMessage, headersOf(response.headers));
    onData(response, entry);
    response.once("end", () => tellFinished(entry));
  },
  "http2.client.stream.created"({ stream, headers }: { stream: Http2Stream; headers: Record<string, unknown> }) {
    const plain = headersOf(headers);
    const url = `${headers[":scheme"] as string}://${headers[":authority"] as string}${headers[":path"] as string}`;
    const entry = note(stream, url);
    tell("requestWillBeSent", {
      requestId: entry.id,
      timestamp: timestamp(),
      wallTime: wallTime(),
      charset: contentType(plain["content-type"]).charset,
      request: { url, method: headers[":method"], headers: plain, hasPostData: !stream.writableEnded },
    });
  },
  "http2.client.stream.bodyChunkSent"(message: {
    stream: Http2Stream;
    writev: boolean;
    data: unknown;
    encoding: BufferEncoding;
  }) {
    const entry = told.get(message.stream);
    if (entry === undefined) return;
    const send = (chunk: Uint8Array | string, encoding: BufferEncoding) => {
      const data = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
      tell("dataSent", { requestId: entry.id, timestamp: timestamp(), dataLength: data.byteLength, data });
    };
    if (!message.writev) send(message.data as Uint8Array | string, message.encoding);
    else
      for (const { chunk, encoding } of message.data as { chunk: string; encoding: BufferEncoding }[])
        send(chunk, encoding);
  },
  "http2.client.stream.bodySent"({ stream }: { stream: Http2Stream }) {
    const entry = told.get(stream);
    if (entry !== undefined) tell("dataSent", { requestId: entry.id, finished: true });
  },
  "http2.client.stream.error"({ stream, error }: { stream: Http2Stream; error: unknown }) {
    const entry = told.get(stream);
    if (entry !== undefined) tellFailed(entry, "Other", error);
  },
  "http2.client.stream.finish"({ stream, headers }: { stream: Http2Stream; headers: Record<string, unknown> }) {
    const entry = told.get(stream);
    if (entry === undefined) return;
    tellResponse(entry, "Other", headers[":status"] as number, "", headersOf(headers));
    onData(stream, entry);
  },
  "http2.client.stream.close"({ stream }: { stream: Http2Stream }) {
    const entry = told.get(stream);
    // Others have had their error.
    if (entry !== undefined && stream.rstCode === 0) tellFinished(entry);
  },
  "undici:request:create"({ request }: { request: FetchRequest }) {
    const headers: Record<string, string> = {};
    for (let at = 0; at < request.headers.length; at += 2)
      headers[request.headers[at]!.toLowerCase()] = request.headers[at + 1]!;
    const { id, url } = note(request, `${request.origin}${request.path}`);
    tell("requestWillBeSent", {
      requestId: id,
      timestamp: timestamp(),
      wallTime: wallTime(),
      request: { url, method: request.method, headers },
    });
  },
  "undici:request:headers"(message: {
    request: FetchRequest;
    response: { statusCode: number; headers: Buffer[]; statusText: string };
  }) {
    const entry = told.get(message.request);
    if (entry === undefined) return;
    const { statusCode, statusText, headers: list } = message.response;
    const headers: Record<string, string> = {};
    for (let at = 0; at < list.length; at += 2) {
      const name = list[at]!.toString("latin1").toLowerCase();
      const value = list[at + 1]!.toString("latin1");
      headers[name] =
        headers[name] === undefined ? value : `${headers[name]}${name === "set-cookie" ? "\n" : ", "}${value}`;
    }
    tellResponse(entry, "Fetch", statusCode, statusText, headers);
  },
  "undici:request:bodyChunkReceived"({ request, chunk }: { request: FetchRequest; chunk: Uint8Array }) {
    const entry = told.get(request);
    if (entry !== undefined) tellData(entry, chunk);
  },
  "undici:request:trailers"({ request }: { request: FetchRequest }) {
    const entry = told.get(request);
    if (entry !== undefined) tellFinished(entry);
  },
  "undici:request:error"({ request, error }: { request: FetchRequest; error: unknown }) {
    const entry = told.get(request);
    if (entry !== undefined) tellFailed(entry, "Fetch", error);
  },
};

export function subscribe(): void {
  for (const [name, listener] of Object.entries(listeners)) listen(name, listener as Subscription);
}

export function unsubscribe(): void {
  for (const [name, listener] of Object.entries(listeners)) unlisten(name, listener as Subscription);
}

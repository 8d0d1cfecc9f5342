// The domain Network (https://chromedevtools.github.io/devtools-protocol/tot/Network/) as Node has it: requests that the program, or
// Node's own modules, tell of, and what of their bodies a session has not fetched yet. IO reads resources that the program has put.
import type { Domain, Fields, ProtocolSession } from "internal/inspector/domains";
import { ProtocolError } from "internal/inspector/domains";
import { validateObject, validateString } from "internal/core/validators";

/** The protocol's number of an error of the server. */
const SERVER_ERROR = -32000;
/** Node tells of what a session does not have by this number, too. */
const INVALID_PARAMS = -32602;

/** What a session keeps: its requests by their ids. */
const KEY = "Network";
/** Bytes of bodies that a session keeps, and of one request, where `enable` names none: Node's. */
const MAX_TOTAL_BYTES = 100 * 1024 * 1024;
const MAX_REQUEST_BYTES = 5 * 1024 * 1024;
/** Bytes that IO.read gives at most where the client names no size. */
const IO_READ_BYTES = 1024 * 1024;

/** A request as a session knows it. */
interface Kept {
  sent: Uint8Array[];
  received: Uint8Array[];
  isSent: boolean;
  isReceived: boolean;
  /** Whether the bodies are UTF-8; else they are told in base64. */
  isSentText: boolean;
  isReceivedText: boolean;
  /** `streamResourceContent` was called: what comes is told at once. */
  isStreamed: boolean;
  bytes: number;
}

interface NetworkSession {
  requests: Map<string, Kept>;
  bytes: number;
  /** More bytes than these: the oldest requests go. */
  maxBytes: number;
  /** What would make a request larger than that is not kept. */
  maxRequestBytes: number;
}

const sessions = new Set<ProtocolSession>();
/** Resources of `NetworkResources.put` by URL. */
const resources = new Map<string, Buffer>();
const streams = new Map<string, { data: Buffer; at: number }>();
let lastStream = 0;

function kept(session: ProtocolSession): NetworkSession {
  return session.kept.get(KEY) as NetworkSession;
}

function find(session: ProtocolSession, params: Fields): Kept {
  const { requestId } = params;
  if (typeof requestId !== "string") {
    throw new ProtocolError(INVALID_PARAMS, "Invalid parameters: requestId: string value expected");
  }
  const request = (session.kept.get(KEY) as NetworkSession | undefined)?.requests.get(requestId);
  if (request === undefined) throw new ProtocolError(INVALID_PARAMS, "Request not found");
  return request;
}

function forget(session: ProtocolSession, id: string): void {
  const of = kept(session);
  const request = of.requests.get(id);
  if (request === undefined) return;
  of.bytes -= request.bytes;
  of.requests.delete(id);
}

function keep(session: ProtocolSession, request: Kept, list: Uint8Array[], data: Uint8Array): void {
  const of = kept(session);
  if (request.bytes + data.byteLength > of.maxRequestBytes) return;
  list.push(Buffer.from(data));
  request.bytes += data.byteLength;
  of.bytes += data.byteLength;
  for (const id of of.requests.keys()) {
    if (of.bytes <= of.maxBytes) return;
    forget(session, id);
  }
}

/** The frames of the program that runs, as the protocol has them. */
function initiator(): Fields {
  const { getCallSites } = require("node:util");
  const callFrames = [];
  for (const site of getCallSites(100)) {
    const { functionName, scriptName, scriptId } = site;
    // Built-in modules have no files.
    if (/^(?:node|bun|internal|web)[:/]/.test(scriptName)) continue;
    callFrames.push({
      functionName,
      scriptId: String(scriptId ?? 0),
      url: scriptName,
      lineNumber: site.lineNumber - 1,
      columnNumber: (site.columnNumber ?? site.column) - 1,
    });
  }
  return { type: "script", stack: { callFrames } };
}

const isUtf8 = (charset: unknown) => typeof charset === "string" && charset.toLowerCase() === "utf-8";

/** `source[name]` if it has that type; undefined tells that the event is not complete. */
function field<T extends "string" | "number" | "object">(
  source: Fields,
  name: string,
  type: T,
): (T extends "string" ? string : T extends "number" ? number : Fields) | undefined {
  const value = source[name];
  return typeof value === type && value !== null ? (value as never) : undefined;
}

const isComplete = (...values: unknown[]) => !values.includes(undefined);

/** What each event makes of its parameters for a session: what the session is told, if anything. */
const events: Record<string, (session: ProtocolSession, params: Fields) => Fields | undefined> = {
  requestWillBeSent(session, params) {
    const requestId = field(params, "requestId", "string");
    const timestamp = field(params, "timestamp", "number");
    const wallTime = field(params, "wallTime", "number");
    const request = field(params, "request", "object");
    const url = request && field(request, "url", "string");
    const method = request && field(request, "method", "string");
    const headers = request && field(request, "headers", "object");
    if (requestId === undefined || !isComplete(timestamp, wallTime, url, method, headers)) return undefined;
    const hasPostData = request!.hasPostData === true;
    if (kept(session).requests.has(requestId)) return undefined;
    kept(session).requests.set(requestId, {
      sent: [],
      received: [],
      isSent: !hasPostData,
      isReceived: false,
      isSentText: isUtf8(params.charset),
      isReceivedText: false,
      isStreamed: false,
      bytes: 0,
    });
    return {
      requestId,
      request: { url, method, headers, hasPostData },
      initiator: params.initiator ?? initiator(),
      timestamp,
      wallTime,
    };
  },
  responseReceived(session, params) {
    const requestId = field(params, "requestId", "string");
    const timestamp = field(params, "timestamp", "number");
    const type = field(params, "type", "string");
    const response = field(params, "response", "object");
    const url = response && field(response, "url", "string");
    const status = response && field(response, "status", "number");
    const statusText = response && field(response, "statusText", "string");
    const headers = response && field(response, "headers", "object");
    if (requestId === undefined || !isComplete(timestamp, type, url, status, statusText, headers)) return undefined;
    const mimeType = field(response!, "mimeType", "string") ?? "";
    const charset = field(response!, "charset", "string") ?? "";
    const request = kept(session).requests.get(requestId);
    if (request === undefined) return undefined;
    request.isReceivedText = isUtf8(charset);
    return { requestId, timestamp, type, response: { url, status, statusText, headers, mimeType, charset } };
  },
  dataSent(session, params) {
    const request = kept(session).requests.get(params.requestId as string);
    if (request === undefined) return undefined;
    if (params.finished === true) request.isSent = true;
    else if (params.data instanceof Uint8Array) keep(session, request, request.sent, params.data);
    return undefined;
  },
  dataReceived(session, params) {
    const requestId = field(params, "requestId", "string");
    const timestamp = field(params, "timestamp", "number");
    const dataLength = field(params, "dataLength", "number");
    const encodedDataLength = field(params, "encodedDataLength", "number");
    const { data } = params;
    if (requestId === undefined || !isComplete(timestamp, dataLength, encodedDataLength)) return undefined;
    const request = kept(session).requests.get(requestId);
    if (request === undefined || !(data instanceof Uint8Array)) return undefined;
    if (!request.isStreamed) {
      keep(session, request, request.received, data);
      return undefined;
    }
    return { requestId, timestamp, dataLength, encodedDataLength, data: base64(data) };
  },
  loadingFinished(session, params) {
    const requestId = field(params, "requestId", "string");
    const timestamp = field(params, "timestamp", "number");
    if (requestId === undefined || timestamp === undefined) return undefined;
    const request = kept(session).requests.get(requestId);
    if (request !== undefined) {
      request.isReceived = true;
      if (request.isStreamed) forget(session, requestId);
    }
    return { requestId, timestamp };
  },
  loadingFailed(session, params) {
    const requestId = field(params, "requestId", "string");
    const timestamp = field(params, "timestamp", "number");
    const type = field(params, "type", "string");
    const errorText = field(params, "errorText", "string");
    if (requestId === undefined || !isComplete(timestamp, type, errorText)) return undefined;
    forget(session, requestId);
    return { requestId, timestamp, type, errorText };
  },
  webSocketCreated(_session, params) {
    const requestId = field(params, "requestId", "string");
    const url = field(params, "url", "string");
    if (requestId === undefined || url === undefined) return undefined;
    return { requestId, url, initiator: params.initiator ?? initiator() };
  },
  webSocketHandshakeResponseReceived(_session, params) {
    const requestId = field(params, "requestId", "string");
    const timestamp = field(params, "timestamp", "number");
    const response = field(params, "response", "object");
    const status = response && field(response, "status", "number");
    const statusText = response && field(response, "statusText", "string");
    const headers = response && field(response, "headers", "object");
    if (requestId === undefined || !isComplete(timestamp, status, statusText, headers)) return undefined;
    return { requestId, timestamp, response: { status, statusText, headers } };
  },
  webSocketClosed(_session, params) {
    const requestId = field(params, "requestId", "string");
    const timestamp = field(params, "timestamp", "number");
    return requestId === undefined || timestamp === undefined ? undefined : { requestId, timestamp };
  },
};

function base64(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
}

/** Tells the sessions that have enabled the domain; an event that lacks a parameter is told to nobody, as in Node. */
export function tell(event: string, params: Fields): void {
  for (const session of sessions) {
    const told = events[event]!(session, params);
    if (told !== undefined) session.notify(`Network.${event}`, told);
  }
}

/** `inspector.Network`: how a program tells of its own requests. */
export const network: Record<string, (params: unknown) => void> = {};
for (const event of Object.keys(events)) {
  network[event] = (params) => {
    validateObject(params, "params");
    tell(event, params as Fields);
  };
}

/** `inspector.NetworkResources`: what `Network.loadNetworkResource` finds. */
export const networkResources = {
  put(url: unknown, data: unknown): void {
    validateString(url, "url");
    validateString(data, "data");
    resources.set(url, Buffer.from(data));
  },
};

/** A size that a client may name. */
function size(params: Fields, name: string): number | undefined {
  const value = params[name];
  if (value === undefined) return undefined;
  // No limit is -1.
  if (Number.isInteger(value)) return (value as number) < 0 ? Infinity : (value as number);
  throw new ProtocolError(INVALID_PARAMS, `Invalid parameters: ${name}: integer value expected`);
}

function stop(session: ProtocolSession): void {
  if (!sessions.delete(session)) return;
  session.kept.delete(KEY);
  if (sessions.size === 0) require("internal/inspector/network_channels").unsubscribe();
}

export const Network: Domain = {
  enable(session, params) {
    const maxBytes = size(params, "maxTotalBufferSize");
    const maxRequestBytes = size(params, "maxResourceBufferSize");
    // Sizes begin anew for a session that has enabled the domain.
    if (!sessions.has(session) || (maxBytes ?? maxRequestBytes) !== undefined) {
      session.kept.set(KEY, {
        requests: new Map(),
        bytes: 0,
        maxBytes: maxBytes ?? MAX_TOTAL_BYTES,
        maxRequestBytes: maxRequestBytes ?? MAX_REQUEST_BYTES,
      } satisfies NetworkSession);
    }
    if (sessions.has(session)) return {};
    sessions.add(session);
    if (sessions.size === 1) require("internal/inspector/network_channels").subscribe();
    return {};
  },
  disable(session) {
    stop(session);
    return {};
  },
  getRequestPostData(session, params) {
    const request = find(session, params);
    if (!request.isSent) throw new ProtocolError(INVALID_PARAMS, "Request data is not finished yet");
    if (!request.isSentText) throw new ProtocolError(SERVER_ERROR, "Unable to serialize binary request body");
    return { postData: Buffer.concat(request.sent).toString() };
  },
  getResponseBody(session, params) {
    const request = find(session, params);
    if (request.isStreamed) {
      throw new ProtocolError(INVALID_PARAMS, "Response body of the request is been streamed");
    }
    if (!request.isReceived) throw new ProtocolError(INVALID_PARAMS, "Response data is not finished yet");
    const body = Buffer.concat(request.received);
    // A body is fetched once.
    forget(session, params.requestId as string);
    if (request.isReceivedText) return { body: body.toString(), base64Encoded: false };
    return { body: base64(body), base64Encoded: true };
  },
  streamResourceContent(session, params) {
    const request = find(session, params);
    request.isStreamed = true;
    const bufferedData = base64(Buffer.concat(request.received));
    request.received = [];
    if (request.isReceived) forget(session, params.requestId as string);
    return { bufferedData };
  },
  loadNetworkResource(_session, params) {
    const { url } = params;
    const data = typeof url === "string" ? resources.get(url) : undefined;
    if (data === undefined) return { resource: { success: false } };
    const stream = String(++lastStream);
    streams.set(stream, { data, at: 0 });
    return { resource: { success: true, stream } };
  },
  disconnect(session) {
    stop(session);
    return {};
  },
};

export const IO: Domain = {
  read(_session, params) {
    const stream = streams.get(params.handle as string);
    if (stream === undefined) return { data: "", eof: true };
    const { data } = stream;
    if (typeof params.offset === "number") stream.at = Math.max(0, params.offset);
    const size = typeof params.size === "number" && params.size > 0 ? params.size : IO_READ_BYTES;
    const part = data.subarray(stream.at, stream.at + size);
    stream.at += part.length;
    return { data: part.toString(), eof: stream.at >= data.length };
  },
  close(_session, params) {
    streams.delete(params.handle as string);
    return {};
  },
};

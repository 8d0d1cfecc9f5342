// What sessions, streams and the compatibility layer of node:http2 share: header lists, settings, checks of arguments.

import { codes, hideStackFrames, kIsNodeError } from "internal/core/errors";
import { checkIsHttpToken } from "internal/http/common";
import { nghttp2ErrorString } from "internal/http/http2/constants";
import type { Http2Session } from "internal/http/http2/session";
import type { HeaderValue } from "internal/http/types";

export const kAuthority = Symbol("authority");
export const kSensitiveHeaders = Symbol("sensitiveHeaders");
export const kStrictSingleValueFields = Symbol("strictSingleValueFields");
export const kSocket = Symbol("socket");
export const kProtocol = Symbol("protocol");
export const kProxySocket = Symbol("proxySocket");
export const kRequest = Symbol("request");

export const MAX_ADDITIONAL_SETTINGS = 10;
export const SESSION_SERVER = 0;
export const SESSION_CLIENT = 1;
const MAX_UINT32 = 4294967295;

/** Header fields by their names. */
export interface HeaderObject {
  [name: string]: HeaderValue | undefined;
  ":authority"?: string;
  ":method"?: string;
  ":path"?: string;
  ":protocol"?: string;
  ":scheme"?: string;
  ":status"?: number;
  date?: string;
  expect?: string;
  host?: string;
  /** Names of fields that must never be indexed. */
  [kSensitiveHeaders]?: string[] | undefined;
}

/** Header fields as `[name, value, …]`. */
export type HeaderList = HeaderValue[] & { [kSensitiveHeaders]?: string[] | undefined };

/** https://nodejs.org/api/http2.html#settings-object */
export interface Settings {
  headerTableSize?: number;
  enablePush?: boolean;
  initialWindowSize?: number;
  maxFrameSize?: number;
  maxConcurrentStreams?: number;
  maxHeaderListSize?: number;
  /** Another name of maxHeaderListSize. */
  maxHeaderSize?: number;
  enableConnectProtocol?: boolean;
  customSettings?: { [id: string]: number };
}

/** Options of a session, of a server or a client. */
export interface SessionOptions {
  settings?: Settings;
  /** Numbers of settings of the peer that are of interest. */
  remoteCustomSettings?: number[];
  /** Names of a server that its first frame tells of. */
  origins?: string[];
  strictSingleValueFields?: boolean;
  strictFieldWhitespaceValidation?: boolean;
  maxDeflateDynamicTableSize?: number;
  maxHeaderListPairs?: number;
  maxOutstandingPings?: number;
  maxOutstandingSettings?: number;
  maxReservedRemoteStreams?: number;
  maxSendHeaderBlockLength?: number;
  maxSessionInvalidFrames?: number;
  maxSessionMemory?: number;
  maxSessionRejectedStreams?: number;
  maxSettings?: number;
  paddingStrategy?: number;
  peerMaxConcurrentStreams?: number;
  streamResetBurst?: number;
  streamResetRate?: number;
}

// Fields of which a message has one at most.
const singles = new Set([
  ":status",
  ":method",
  ":authority",
  ":scheme",
  ":path",
  ":protocol",
  "access-control-allow-credentials",
  "access-control-max-age",
  "access-control-request-method",
  "age",
  "authorization",
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-md5",
  "content-range",
  "content-type",
  "date",
  "dnt",
  "etag",
  "expires",
  "from",
  "host",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "range",
  "referer",
  "retry-after",
  "tk",
  "upgrade-insecure-requests",
  "user-agent",
  "x-content-type-options",
]);

const pseudos = new Set([":status", ":method", ":authority", ":scheme", ":path", ":protocol"]);

function pseudoError(key: string): CodedError {
  return new codes.ERR_HTTP2_INVALID_PSEUDOHEADER(key);
}

/** A pseudo-header that a request may have. */
export const assertValidPseudoHeader = hideStackFrames((key: string) => {
  if (!pseudos.has(key)) throw pseudoError(key);
});

/** A pseudo-header that an answer may have. */
export const assertValidPseudoHeaderResponse = hideStackFrames((key: string) => {
  if (key !== ":status") throw pseudoError(key);
});

/** Trailers have none. */
export const assertValidPseudoHeaderTrailer = hideStackFrames((key: string) => {
  throw pseudoError(key);
});

function isConnectionSpecific(name: string, value: unknown): boolean {
  switch (name) {
    case "connection":
    case "upgrade":
    case "http2-settings":
    case "keep-alive":
    case "proxy-connection":
    case "transfer-encoding":
      return true;
    case "te":
      return value !== "trailers";
    default:
      return false;
  }
}

const SENSITIVE = "\x01";

/**
 * Fields, an object or a flat array, as native code takes them: `name NUL value NUL …`, pseudo-headers first, a mark before names that must
 * never be indexed.
 */
export function headerText(
  source: HeaderObject | HeaderList,
  checkPseudo: (key: string) => void,
  strict: boolean,
): string {
  let pseudo = "";
  let text = "";
  let seen: Set<string> | undefined;
  checkPseudo = (checkPseudo as { withoutStackTrace?: typeof checkPseudo }).withoutStackTrace ?? checkPseudo;
  const listed = Array.isArray(source);
  const sensitive: string[] | undefined = source[kSensitiveHeaders]?.map((name: string) => name.toLowerCase());

  const add = (name: string, value: HeaderValue) => {
    const key = name.toLowerCase();
    const single = strict && singles.has(key);
    let several = Array.isArray(value);
    if (several) {
      if ((value as string[]).length === 0) return;
      if ((value as string[]).length === 1) {
        value = String((value as string[])[0]);
        several = false;
      } else if (single) {
        throw new codes.ERR_HTTP2_HEADER_SINGLE_VALUE(key);
      }
    } else {
      value = String(value);
    }
    // Names of an object differ, unless some are written in another case.
    if (single && (listed || key !== name)) {
      if (!listed && source[key] !== undefined) throw new codes.ERR_HTTP2_HEADER_SINGLE_VALUE(key);
      seen ??= new Set();
      if (seen.has(key)) throw new codes.ERR_HTTP2_HEADER_SINGLE_VALUE(key);
      seen.add(key);
    }
    const marked = sensitive !== undefined && sensitive.includes(key) ? SENSITIVE + key : key;
    if (key[0] === ":") {
      checkPseudo(key);
      pseudo += `${marked}\0${valueText(value)}\0`;
      return;
    }
    if (!checkIsHttpToken(key)) throw new codes.ERR_INVALID_HTTP_TOKEN("Header name", key);
    if (isConnectionSpecific(key, value)) throw new codes.ERR_HTTP2_INVALID_CONNECTION_HEADERS(key);
    if (several) for (const item of value as string[]) text += `${marked}\0${valueText(item)}\0`;
    else text += `${marked}\0${valueText(value)}\0`;
  };

  if (listed) {
    for (let i = 0; i < source.length; i += 2) {
      if (source[i + 1] !== undefined && source[i] !== "") add(source[i] as string, source[i + 1]!);
    }
  } else {
    for (const key of Object.keys(source)) {
      const value = source[key];
      if (value !== undefined && key !== "") add(key, value);
    }
  }
  return checked(pseudo, text);
}

/** Values are sent as Latin-1, where a NUL would begin another field: it becomes another byte that no field may have. */
function checked(pseudo: string, text: string): string {
  const all = pseudo + text;
  return /[^\0-\xff]/.test(all)
    ? all.replace(/[^\0-\xff]/g, (char) => ((char.charCodeAt(0) & 0xff) === 0 ? "\x02" : char))
    : all;
}

function valueText(value: unknown): string {
  const text = String(value);
  return text.includes("\0") ? text.replaceAll("\0", "\x02") : text;
}

/** The same as Node's list for its binding: `[text with flags, count]`. */
export function buildNgHeaderString(
  source: HeaderObject | HeaderList,
  checkPseudo: (key: string) => void,
  strict: boolean,
): [string, number] {
  const parts = headerText(source, checkPseudo, strict).split("\0");
  let text = "";
  let count = 0;
  for (let i = 0; i + 1 < parts.length; i += 2, count++) {
    const never = parts[i]![0] === SENSITIVE;
    text += `${never ? parts[i]!.slice(1) : parts[i]}\0${parts[i + 1]}\0${never ? "\x01" : "\0"}`;
  }
  return [text, count];
}

/** Fields of a block, `[name, value, …]`, as the object that programs get. */
export function toHeaderObject(list: string[], sensitive?: string[]): HeaderObject {
  const out: HeaderObject = Object.create(null);
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i]!;
    let value = list[i + 1] as string | number;
    if (name === ":status") (value as number) |= 0;
    const known = out[name];
    if (known === undefined) out[name] = name === "set-cookie" ? [value as string] : value;
    else if (singles.has(name)) continue;
    else if (name === "cookie") out[name] = `${known}; ${value}`;
    else if (name === "set-cookie") (known as string[]).push(value as string);
    else out[name] = `${known}, ${value}`;
  }
  out[kSensitiveHeaders] = sensitive;
  return out;
}

/** The server that a request is for. */
export function getAuthority(headers: HeaderObject): string | undefined {
  return headers[":authority"] !== undefined ? headers[":authority"] : headers.host;
}

function isTunnel(method: unknown, protocol: unknown): boolean {
  return method === "CONNECT" && protocol === undefined;
}

/** A request's headers: what programs see of them, what is sent, and what is of interest in them. */
export interface PreparedHeaders {
  headersObject?: HeaderObject;
  rawHeaders?: HeaderList;
  /** For native code, see `headerText`. */
  headersList: string;
  scheme: string | undefined;
  authority: string | undefined;
  method: string | undefined;
}

/** A request's headers from an object, complete. */
export function prepareRequestHeadersObject(given: HeaderObject, session: Http2Session): PreparedHeaders {
  const headers: HeaderObject = Object.assign(Object.create(null), given);
  headers[":method"] ??= "GET";
  if (isTunnel(headers[":method"], headers[":protocol"])) {
    if (headers[":authority"] === undefined) throw new codes.ERR_HTTP2_CONNECT_AUTHORITY();
    if (headers[":scheme"] !== undefined) throw new codes.ERR_HTTP2_CONNECT_SCHEME();
    if (headers[":path"] !== undefined) throw new codes.ERR_HTTP2_CONNECT_PATH();
  } else {
    if (getAuthority(headers) === undefined) headers[":authority"] = session[kAuthority];
    if (headers[":scheme"] === undefined) headers[":scheme"] = session[kProtocol]!.slice(0, -1);
    if (headers[":path"] === undefined) headers[":path"] = "/";
  }
  return {
    headersObject: headers,
    headersList: headerText(headers, assertValidPseudoHeader, session[kStrictSingleValueFields]),
    scheme: headers[":scheme"],
    authority: getAuthority(headers),
    method: headers[":method"],
  };
}

/** A request's headers from a flat array: what is missing stands before it. */
export function prepareRequestHeadersArray(given: HeaderList, session: Http2Session): PreparedHeaders {
  const pseudo: HeaderObject = {};
  for (let i = 0; i < given.length; i += 2)
    if ((given[i] as string)[0] === ":") pseudo[(given[i] as string).toLowerCase()] = given[i + 1];
  const missing: HeaderValue[] = [];
  const host = (given as { host?: string }).host;
  let { ":method": method, ":scheme": scheme, ":authority": authority } = pseudo;
  if (method === undefined) missing.push(":method", (method = "GET"));
  if (isTunnel(method, pseudo[":protocol"])) {
    if (authority === undefined) throw new codes.ERR_HTTP2_CONNECT_AUTHORITY();
    if (scheme !== undefined) throw new codes.ERR_HTTP2_CONNECT_SCHEME();
    if (pseudo[":path"] !== undefined) throw new codes.ERR_HTTP2_CONNECT_PATH();
  } else {
    if (authority === undefined && host === undefined) missing.push(":authority", (authority = session[kAuthority]!));
    if (scheme === undefined) missing.push(":scheme", (scheme = session[kProtocol]!.slice(0, -1)));
    if (pseudo[":path"] === undefined) missing.push(":path", "/");
  }
  const rawHeaders: HeaderList = missing.length > 0 ? missing.concat(given) : given;
  const sensitive = given[kSensitiveHeaders];
  if (sensitive !== undefined) rawHeaders[kSensitiveHeaders] = sensitive;
  return {
    rawHeaders,
    headersList: headerText(rawHeaders, assertValidPseudoHeader, session[kStrictSingleValueFields]),
    scheme,
    authority: authority ?? host,
    method,
  };
}

/** Requests with these methods have no body unless the program says so. */
export function isPayloadMeaningless(method: unknown): boolean {
  return method === "GET" || method === "HEAD" || method === "DELETE";
}

export function sessionName(type: unknown): string {
  return type === SESSION_CLIENT ? "client" : type === SESSION_SERVER ? "server" : "<invalid>";
}

/** An error of the protocol's machine: nghttp2's number with its text, or a code of Node's own. */
export class NghttpError extends Error {
  declare code: string;
  declare errno: number;

  constructor(errno: number, code?: string) {
    super(code === undefined ? nghttp2ErrorString(errno) : new codes[code]().message);
    this.code = code ?? "ERR_HTTP2_ERROR";
    this.errno = errno;
  }

  get [kIsNodeError](): boolean {
    return true;
  }

  toString(): string {
    return `${this.name} [${this.code}]: ${this.message}`;
  }
}

export const assertIsObject = hideStackFrames((value: unknown, name: string, types?: unknown) => {
  if (value !== undefined && (value === null || typeof value !== "object" || Array.isArray(value))) {
    throw new codes.ERR_INVALID_ARG_TYPE(name, types || "Object", value);
  }
});

export const assertIsArray = hideStackFrames((value: unknown, name: string, types?: unknown) => {
  if (value !== undefined && !Array.isArray(value)) throw new codes.ERR_INVALID_ARG_TYPE(name, types || "Array", value);
});

export const assertWithinRange = hideStackFrames((name: string, value: unknown, min = 0, max = Infinity) => {
  if (value !== undefined && (typeof value !== "number" || value < min || value > max)) {
    throw new codes.ERR_HTTP2_INVALID_SETTING_VALUE.RangeError(name, value, min, max);
  }
});

// ---------------------------------------------------------------------------------------------------------------------
// Settings

/** Throws where a settings object has a value that cannot be sent. */
export const validateSettings = hideStackFrames((settings: Settings | undefined) => {
  if (settings === undefined) return;
  assertIsObject(settings.customSettings, "customSettings", "Number");
  if (settings.customSettings) {
    const entries = Object.entries(settings.customSettings);
    if (entries.length > MAX_ADDITIONAL_SETTINGS) throw new codes.ERR_HTTP2_TOO_MANY_CUSTOM_SETTINGS();
    for (const [key, value] of entries) {
      assertWithinRange("customSettings:id", Number(key), 0, 0xffff);
      assertWithinRange("customSettings:value", Number(value), 0, MAX_UINT32);
    }
  }
  assertWithinRange("headerTableSize", settings.headerTableSize, 0, MAX_UINT32);
  assertWithinRange("initialWindowSize", settings.initialWindowSize, 0, 2147483647);
  assertWithinRange("maxFrameSize", settings.maxFrameSize, 16384, 16777215);
  assertWithinRange("maxConcurrentStreams", settings.maxConcurrentStreams, 0, MAX_UINT32);
  assertWithinRange("maxHeaderListSize", settings.maxHeaderListSize, 0, MAX_UINT32);
  assertWithinRange("maxHeaderSize", settings.maxHeaderSize, 0, MAX_UINT32);
  for (const name of ["enablePush", "enableConnectProtocol"] as const) {
    if (settings[name] !== undefined && typeof settings[name] !== "boolean") {
      throw new codes.ERR_HTTP2_INVALID_SETTING_VALUE(name, settings[name]);
    }
  }
});

/** The entries of a SETTINGS frame: `[identifier, value, …]`. */
export function settingsList(settings: Settings): number[] {
  const known = new Map<number, number>();
  const custom: number[] = [];
  const extra = settings.customSettings;
  if (typeof extra === "object" && extra !== null) {
    for (const key in extra) {
      const value = extra[key];
      if (typeof value !== "number") continue;
      const id = Number(key);
      if (!(id > 0 && id <= 0xffff))
        throw new codes.ERR_HTTP2_INVALID_SETTING_VALUE.RangeError("Range Error", id, 0, 0xffff);
      if (!(value > 0 && value <= MAX_UINT32))
        throw new codes.ERR_HTTP2_INVALID_SETTING_VALUE.RangeError("Range Error", value, 0, MAX_UINT32);
      if (id <= 6 || id === 8) known.set(id, value);
      else custom.push(id, value);
    }
  }
  const number = (id: number, value: unknown) => {
    if (typeof value === "number") known.set(id, value);
  };
  number(1, settings.headerTableSize);
  number(3, settings.maxConcurrentStreams);
  number(4, settings.initialWindowSize);
  number(5, settings.maxFrameSize);
  const { maxHeaderSize, maxHeaderListSize } = settings;
  if (maxHeaderSize !== undefined && maxHeaderSize !== maxHeaderListSize) {
    process.emitWarning("settings.maxHeaderSize overwrite settings.maxHeaderListSize");
    number(6, maxHeaderSize);
  } else {
    number(6, maxHeaderListSize);
  }
  if (typeof settings.enablePush === "boolean") known.set(2, settings.enablePush ? 1 : 0);
  if (typeof settings.enableConnectProtocol === "boolean") known.set(8, settings.enableConnectProtocol ? 1 : 0);
  const list: number[] = [];
  for (const id of [1, 2, 3, 4, 5, 6, 8]) {
    const value = known.get(id);
    if (value !== undefined) list.push(id, value);
  }
  return list.concat(custom);
}

/** A settings object of native code's numbers. */
export function settingsObject(list: number[]): Settings {
  const out: Settings = {
    headerTableSize: list[0],
    enablePush: list[1] !== 0,
    initialWindowSize: list[2],
    maxFrameSize: list[3],
    maxConcurrentStreams: list[4],
    maxHeaderListSize: list[5],
    maxHeaderSize: list[5],
    enableConnectProtocol: list[6] !== 0,
  };
  for (let i = 7; i < list.length; i += 2) (out.customSettings ??= {})[String(list[i])] = list[i + 1];
  return out;
}

/** http2.getDefaultSettings() */
export function getDefaultSettings(): Settings {
  return Object.assign(Object.create(null), {
    headerTableSize: 4096,
    enablePush: true,
    initialWindowSize: 65535,
    maxFrameSize: 16384,
    maxConcurrentStreams: 4294967295,
    maxHeaderSize: 65535,
    maxHeaderListSize: 65535,
    enableConnectProtocol: false,
  });
}

/** http2.getPackedSettings() */
export function getPackedSettings(settings?: Settings): Buffer {
  assertIsObject(settings, "settings");
  validateSettings(settings);
  const list = settingsList({ ...settings });
  const { Buffer } = require("node:buffer");
  const out = Buffer.alloc(list.length * 3);
  for (let i = 0; i < list.length; i += 2) {
    out.writeUInt16BE(list[i], i * 3);
    out.writeUInt32BE(list[i + 1], i * 3 + 2);
  }
  return out;
}

/** http2.getUnpackedSettings() */
export function getUnpackedSettings(buf: Uint8Array, options: { validate?: boolean } | null = {}): Settings {
  if (!ArrayBuffer.isView(buf) || (buf as { length?: unknown }).length === undefined) {
    throw new codes.ERR_INVALID_ARG_TYPE("buf", ["Buffer", "TypedArray"], buf);
  }
  const bytes = buf;
  if (bytes.length % 6 !== 0) throw new codes.ERR_HTTP2_INVALID_PACKED_SETTINGS_LENGTH();
  const settings: Settings = {};
  for (let at = 0; at < bytes.length; at += 6) {
    const id = bytes[at] * 256 + bytes[at + 1];
    const value = ((bytes[at + 2] * 256 + bytes[at + 3]) * 256 + bytes[at + 4]) * 256 + bytes[at + 5];
    switch (id) {
      case 1:
        settings.headerTableSize = value;
        break;
      case 2:
        settings.enablePush = value !== 0;
        break;
      case 3:
        settings.maxConcurrentStreams = value;
        break;
      case 4:
        settings.initialWindowSize = value;
        break;
      case 5:
        settings.maxFrameSize = value;
        break;
      case 6:
        settings.maxHeaderListSize = settings.maxHeaderSize = value;
        break;
      case 8:
        settings.enableConnectProtocol = value !== 0;
        break;
      default:
        (settings.customSettings ??= {})[id] = value;
    }
  }
  if (options != null && options.validate) validateSettings(settings);
  return settings;
}

/** Throws for settings of the peer that cannot be. */
export function checkRemoteCustom(list: unknown[]): void {
  if (list.length > MAX_ADDITIONAL_SETTINGS) throw new codes.ERR_HTTP2_TOO_MANY_CUSTOM_SETTINGS();
  for (const id of list) {
    if (typeof id !== "number" || !(id >= 0 && id <= 0xffff)) {
      throw new codes.ERR_HTTP2_INVALID_SETTING_VALUE.RangeError("Range Error", id, 0, 0xffff);
    }
  }
}

/** The limits of a session in native code's order. */
export function limitList(options: SessionOptions): number[] {
  const number = (value: unknown, min?: number) =>
    typeof value !== "number" ? NaN : min !== undefined ? Math.max(min, value) : value;
  return [
    number(options.maxDeflateDynamicTableSize),
    number(options.maxReservedRemoteStreams),
    number(options.maxSendHeaderBlockLength),
    number(options.peerMaxConcurrentStreams),
    number(options.paddingStrategy),
    number(options.maxHeaderListPairs),
    number(options.maxOutstandingPings),
    number(options.maxOutstandingSettings, 1),
    number(options.maxSessionMemory, 1),
    number(options.maxSettings, 1),
    number(options.streamResetBurst, 1),
    number(options.streamResetRate, 1),
    typeof options.strictFieldWhitespaceValidation === "boolean"
      ? Number(options.strictFieldWhitespaceValidation)
      : NaN,
    number(options.maxSessionInvalidFrames),
    number(options.maxSessionRejectedStreams),
    ...(options.remoteCustomSettings ?? []),
  ];
}

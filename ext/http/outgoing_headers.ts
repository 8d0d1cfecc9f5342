// The headers of http.OutgoingMessage: setting and reading them, and the head that is made of them
// (https://nodejs.org/api/http.html#class-httpoutgoingmessage).

import { codes } from "internal/core/errors";
import { validateString } from "internal/core/validators";
import {
  checkInvalidHeaderChar,
  checkIsHttpToken,
  chunkExpression,
  kOutHeaders,
  utcDate,
  validateHeaderName,
  validateHeaderValue,
} from "internal/http/common";
import type { OutgoingMessage } from "internal/http/outgoing";
import type { HeaderValue, OutHeaders } from "internal/http/types";

/** Names of fields (lowercase) whose values are sent as one, joined by "; ". */
export const kUniqueHeaders = Symbol("kUniqueHeaders");

const CONNECTION = 1;
const CONTENT_LENGTH = 2;
const TRANSFER_ENCODING = 4;
const DATE = 8;
const EXPECT = 16;
const TRAILER = 32;
const KEEP_ALIVE = 64;

function kindOf(field: string): number {
  // Lengths sort out nearly everything before a comparison.
  switch (field.length) {
    case 4:
      return field.toLowerCase() === "date" ? DATE : 0;
    case 6:
      return field.toLowerCase() === "expect" ? EXPECT : 0;
    case 7:
      return field.toLowerCase() === "trailer" ? TRAILER : 0;
    case 10: {
      const lower = field.toLowerCase();
      return lower === "connection" ? CONNECTION : lower === "keep-alive" ? KEEP_ALIVE : 0;
    }
    case 14:
      return field.toLowerCase() === "content-length" ? CONTENT_LENGTH : 0;
    case 17:
      return field.toLowerCase() === "transfer-encoding" ? TRANSFER_ENCODING : 0;
    default:
      return 0;
  }
}

/** A head in the making: the KINDs of fields that it has, and its text. */
interface Head {
  seen: number;
  header: string;
}

function matchHeader(self: OutgoingMessage, state: Head, field: string, value: HeaderValue): void {
  const kind = kindOf(field);
  if (kind === 0) return;
  state.seen |= kind;
  switch (kind) {
    case CONNECTION:
      self._removedConnection = false;
      if (/(?:^|\W)close(?:$|\W)/i.test(value as string)) self._last = true;
      else self.shouldKeepAlive = true;
      break;
    case TRANSFER_ENCODING:
      self._removedTE = false;
      if (chunkExpression.test(value as string)) self.chunkedEncoding = true;
      break;
    case CONTENT_LENGTH:
      self._contentLength = +value;
      self._removedContLen = false;
      break;
    case KEEP_ALIVE:
      self._defaultKeepAlive = false;
      break;
  }
}

/** What is checked is what is sent: an object is text once. A string of `setHeader` has been checked there. */
function storeHeader(self: OutgoingMessage, state: Head, key: string, value: HeaderValue, validate: boolean): void {
  let text = value as string;
  if (typeof value !== "string") {
    if (value === undefined) throw new codes.ERR_HTTP_INVALID_HEADER_VALUE(value, key);
    text = `${value}`;
    if (typeof value !== "number") validate = true;
  }
  if (validate) validateHeaderValue(key, text);
  state.header += `${key}: ${text}\r\n`;
  matchHeader(self, state, key, text);
}

function processHeader(self: OutgoingMessage, state: Head, key: string, value: HeaderValue, validate: boolean): void {
  if (validate) validateHeaderName(key);
  if (Array.isArray(value)) {
    const unique = self[kUniqueHeaders];
    if ((value.length < 2 || !isCookieField(key)) && (!unique || !unique.has(key.toLowerCase()))) {
      // Whoever has the array may have changed it since.
      for (let i = 0; i < value.length; i++) storeHeader(self, state, key, value[i]!, true);
      return;
    }
    value = value.join("; ");
    validate = true;
  }
  storeHeader(self, state, key, value, validate);
}

function isCookieField(name: string): boolean {
  return name.length === 6 && name.toLowerCase() === "cookie";
}

type HeaderMethods = Pick<
  OutgoingMessage,
  | "_renderHeaders"
  | "_storeHeader"
  | "setHeader"
  | "setHeaders"
  | "appendHeader"
  | "getHeader"
  | "getHeaderNames"
  | "getRawHeaderNames"
  | "getHeaders"
  | "hasHeader"
  | "removeHeader"
  | "addTrailers"
>;

/** Methods of OutgoingMessage, for its prototype. */
export const headerMethods: HeaderMethods & ThisType<OutgoingMessage> = {
  _renderHeaders() {
    if (this._header) throw new codes.ERR_HTTP_HEADERS_SENT("render");
    const map = this[kOutHeaders];
    const headers: { [name: string]: HeaderValue } = {};
    if (map !== null) for (const key of Object.keys(map)) headers[map[key]![0]] = map[key]![1];
    return headers;
  },

  _storeHeader(firstLine, headers) {
    const state = { seen: 0, header: firstLine };
    if (headers) {
      if (headers === this[kOutHeaders]) {
        for (const key in headers) {
          const entry = (headers as OutHeaders)[key]!;
          processHeader(this, state, entry[0], entry[1], false);
        }
      } else if (Array.isArray(headers)) {
        if (headers.length && Array.isArray(headers[0])) {
          for (const entry of headers as [string, HeaderValue][]) processHeader(this, state, entry[0], entry[1], true);
        } else {
          if (headers.length % 2 !== 0) throw new codes.ERR_INVALID_ARG_VALUE("headers", headers);
          for (let n = 0; n < headers.length; n += 2)
            processHeader(this, state, headers[n] as string, headers[n + 1] as HeaderValue, true);
        }
      } else {
        for (const key in headers) {
          if (Object.hasOwn(headers, key))
            processHeader(this, state, key, (headers as { [name: string]: HeaderValue })[key]!, true);
        }
      }
    }
    let { header } = state;
    const { seen } = state;

    if (this.sendDate && (seen & DATE) === 0) header += `Date: ${utcDate()}\r\n`;

    // A response that has no body cannot be chunked either.
    if (this.chunkedEncoding && (this.statusCode === 204 || this.statusCode === 304)) {
      this.chunkedEncoding = false;
      this.shouldKeepAlive = false;
    }
    if (this._removedConnection) {
      // Programs that remove the header decide about the connection themselves.
      this._last = !this.shouldKeepAlive;
    } else if ((seen & CONNECTION) === 0) {
      const keep =
        this.shouldKeepAlive && ((seen & CONTENT_LENGTH) !== 0 || this.useChunkedEncodingByDefault || this.agent);
      if (keep && this.maxRequestsOnConnectionReached) {
        header += "Connection: close\r\n";
      } else if (keep) {
        header += "Connection: keep-alive\r\n";
        if (this._keepAliveTimeout && this._defaultKeepAlive) {
          const timeout = Math.floor(this._keepAliveTimeout / 1000);
          const max = this._maxRequestsPerSocket > 0 ? `, max=${this._maxRequestsPerSocket}` : "";
          header += `Keep-Alive: timeout=${timeout}${max}\r\n`;
        }
      } else {
        this._last = true;
        header += "Connection: close\r\n";
      }
    }
    if ((seen & (CONTENT_LENGTH | TRANSFER_ENCODING)) === 0) {
      if (!this._hasBody) {
        this.chunkedEncoding = false;
      } else if (!this.useChunkedEncodingByDefault) {
        this._last = true;
      } else if ((seen & TRAILER) === 0 && !this._removedContLen && typeof this._contentLength === "number") {
        header += `Content-Length: ${this._contentLength}\r\n`;
      } else if (!this._removedTE) {
        header += "Transfer-Encoding: chunked\r\n";
        this.chunkedEncoding = true;
      } else {
        // Neither: the end of the connection is the end of the body.
        this._last = true;
      }
    }
    // A trailer needs chunks.
    if (this.chunkedEncoding !== true && (seen & TRAILER) !== 0) throw new codes.ERR_HTTP_TRAILER_INVALID();
    this._header = `${header}\r\n`;
    this._headerSent = false;
    // With Expect the head goes out before there is a body.
    if ((seen & EXPECT) !== 0) this._send("", "latin1");
  },

  setHeader(name, value) {
    if (this._header) throw new codes.ERR_HTTP_HEADERS_SENT("set");
    if (typeof name !== "string" || !checkIsHttpToken(name))
      throw new codes.ERR_INVALID_HTTP_TOKEN("Header name", name);
    if (value === undefined) throw new codes.ERR_HTTP_INVALID_HEADER_VALUE(value, name);
    if (checkInvalidHeaderChar(value)) throw new codes.ERR_INVALID_CHAR("header content", name);
    const headers: OutHeaders = (this[kOutHeaders] ??= Object.create(null));
    headers[name.toLowerCase()] = [name, value];
    return this;
  },

  setHeaders(headers) {
    if (this._header) throw new codes.ERR_HTTP_HEADERS_SENT("set");
    if (!headers || Array.isArray(headers) || typeof headers.keys !== "function" || typeof headers.get !== "function") {
      throw new codes.ERR_INVALID_ARG_TYPE("headers", ["Headers", "Map"], headers);
    }
    // Headers gives every cookie on its own.
    const cookies = [];
    for (const { 0: key, 1: value } of headers) {
      if (key === "set-cookie") {
        if (Array.isArray(value)) cookies.push(...value);
        else cookies.push(value);
        continue;
      }
      this.setHeader(key, value);
    }
    if (cookies.length) this.setHeader("set-cookie", cookies);
    return this;
  },

  appendHeader(name, value) {
    if (this._header) throw new codes.ERR_HTTP_HEADERS_SENT("append");
    validateHeaderName(name);
    validateHeaderValue(name, value);
    const field = name.toLowerCase();
    const headers = this[kOutHeaders];
    if (headers === null || !headers[field]) return this.setHeader(name, value);
    if (!Array.isArray(headers[field][1])) headers[field][1] = [headers[field][1] as string];
    const existing = headers[field][1] as string[];
    if (Array.isArray(value)) for (const item of value) existing.push(item);
    else existing.push(value);
    return this;
  },

  getHeader(name) {
    validateString(name, "name");
    const headers = this[kOutHeaders];
    if (headers === null) return undefined;
    return headers[name.toLowerCase()]?.[1];
  },

  getHeaderNames() {
    return this[kOutHeaders] !== null ? Object.keys(this[kOutHeaders]) : [];
  },

  getRawHeaderNames() {
    const headers = this[kOutHeaders];
    return headers === null ? [] : Object.keys(headers).map((key) => headers[key]![0]);
  },

  getHeaders() {
    const headers = this[kOutHeaders];
    const out = Object.create(null);
    if (headers) for (const key of Object.keys(headers)) out[key] = headers[key]![1];
    return out;
  },

  hasHeader(name) {
    validateString(name, "name");
    return Boolean(this[kOutHeaders]?.[name.toLowerCase()]);
  },

  removeHeader(name) {
    validateString(name, "name");
    if (this._header) throw new codes.ERR_HTTP_HEADERS_SENT("remove");
    const key = name.toLowerCase();
    switch (key) {
      case "connection":
        this._removedConnection = true;
        break;
      case "content-length":
        this._removedContLen = true;
        break;
      case "transfer-encoding":
        this._removedTE = true;
        break;
      case "date":
        this.sendDate = false;
        break;
    }
    if (this[kOutHeaders] !== null) delete this[kOutHeaders][key];
  },

  addTrailers(headers) {
    this._trailer = "";
    const isArray = Array.isArray(headers);
    for (const item of isArray ? headers : Object.keys(headers)) {
      const field = isArray ? item[0]! : (item as string);
      const value = isArray ? (item[1] as HeaderValue) : (headers as { [name: string]: HeaderValue })[item as string]!;
      validateHeaderName(field, "Trailer name");
      const unique = this[kUniqueHeaders];
      const list =
        Array.isArray(value) && value.length > 1 && !unique?.has(field.toLowerCase())
          ? value
          : [Array.isArray(value) ? value.join("; ") : value];
      for (const each of list) {
        const one = `${each}`;
        if (checkInvalidHeaderChar(one)) throw new codes.ERR_INVALID_CHAR("trailer content", field);
        this._trailer += `${field}: ${one}\r\n`;
      }
    }
  },
};

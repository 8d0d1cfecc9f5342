/**
 * node:http2 (https://nodejs.org/api/http2.html). Not implemented yet: what programs look at when they are loaded exists
 * (constants, so that one can see which protocol a request would use), everything that would open a session throws.
 */

function missing(name: string): never {
  throw new Error(`bao: http2.${name} is not implemented`);
}

const headers = ["status", "method", "authority", "scheme", "path", "protocol"];
const plain = ["accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "access-control-allow-credentials",
  "access-control-allow-headers", "access-control-allow-methods", "access-control-allow-origin", "access-control-expose-headers",
  "access-control-request-headers", "access-control-request-method", "age", "authorization", "cache-control", "connection",
  "content-disposition", "content-encoding", "content-length", "content-type", "cookie", "date", "etag", "forwarded", "host",
  "if-modified-since", "if-none-match", "if-range", "last-modified", "link", "location", "range", "referer", "server", "set-cookie",
  "strict-transport-security", "trailer", "transfer-encoding", "te", "upgrade-insecure-requests", "upgrade", "user-agent", "vary",
  "x-content-type-options", "x-frame-options", "keep-alive", "proxy-connection", "x-xss-protection", "alt-svc",
  "content-security-policy", "early-data", "expect-ct", "origin", "purpose", "timing-allow-origin", "x-forwarded-for", "priority",
  "accept-patch", "content-language", "content-location", "content-md5", "content-range", "expect", "expires", "from", "if-match",
  "if-unmodified-since", "max-forwards", "prefer", "proxy-authenticate", "proxy-authorization", "refresh", "retry-after", "tk", "via",
  "warning", "www-authenticate", "http2-settings", "allow", "access-control-max-age", "dnt"];
const errors = ["NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
  "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"];

function makeConstants(): any {
  const constants: any = {};
  errors.forEach((name, code) => { constants[`NGHTTP2_${name}`] = code; });
  for (const name of headers) constants[`HTTP2_HEADER_${name.toUpperCase()}`] = `:${name}`;
  for (const name of plain) constants[`HTTP2_HEADER_${name.toUpperCase().replaceAll("-", "_")}`] = name;
  const { METHODS, STATUS_CODES } = require("node:http");
  for (const name of METHODS) constants[`HTTP2_METHOD_${name.replaceAll("-", "_")}`] = name;
  for (const code of Object.keys(STATUS_CODES)) {
    constants[`HTTP_STATUS_${STATUS_CODES[code].toUpperCase().replaceAll("'", "").replaceAll(/[ -]/g, "_")}`] = Number(code);
  }
  return constants;
}

let constants: any;

export default {
  get constants() {
    return constants ??= makeConstants();
  },
  sensitiveHeaders: Symbol("nodejs.http2.sensitiveHeaders"),
  connect: () => missing("connect()"),
  createServer: () => missing("createServer()"),
  createSecureServer: () => missing("createSecureServer()"),
  performServerHandshake: () => missing("performServerHandshake()"),
  getDefaultSettings: () => missing("getDefaultSettings()"),
  getPackedSettings: () => missing("getPackedSettings()"),
  getUnpackedSettings: () => missing("getUnpackedSettings()"),
  Http2ServerRequest: class Http2ServerRequest {
    constructor() {
      missing("Http2ServerRequest");
    }
  },
  Http2ServerResponse: class Http2ServerResponse {
    constructor() {
      missing("Http2ServerResponse");
    }
  },
};

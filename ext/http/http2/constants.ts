// http2.constants, and the texts of nghttp2's numbers.

const errorNames = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
];

/** Names of the codes of HTTP/2 errors. */
export const nameForErrorCode: string[] = errorNames.map((name) => `NGHTTP2_${name}`);

const fields =
  "accept-encoding accept-language accept-ranges accept access-control-allow-credentials access-control-allow-headers \
access-control-allow-methods access-control-allow-origin access-control-expose-headers access-control-request-headers \
access-control-request-method age authorization cache-control connection content-disposition content-encoding content-length \
content-type cookie date etag forwarded host if-modified-since if-none-match if-range last-modified link location range referer server \
set-cookie strict-transport-security transfer-encoding te upgrade-insecure-requests upgrade user-agent vary x-content-type-options \
x-frame-options keep-alive proxy-connection x-xss-protection alt-svc content-security-policy early-data expect-ct origin purpose \
timing-allow-origin x-forwarded-for priority accept-charset access-control-max-age allow content-language content-location content-md5 \
content-range dnt expect expires from if-match if-unmodified-since max-forwards prefer proxy-authenticate proxy-authorization refresh \
retry-after trailer tk via warning www-authenticate http2-settings";

const methods =
  "ACL BASELINE-CONTROL BIND CHECKIN CHECKOUT CONNECT COPY DELETE GET HEAD LABEL LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL \
MKREDIRECTREF MKWORKSPACE MOVE OPTIONS ORDERPATCH PATCH POST PRI PROPFIND PROPPATCH PUT REBIND REPORT SEARCH TRACE UNBIND UNCHECKOUT \
UNLINK UNLOCK UPDATE UPDATEREDIRECTREF VERSION-CONTROL";

const statuses =
  "CONTINUE=100 SWITCHING_PROTOCOLS=101 PROCESSING=102 EARLY_HINTS=103 OK=200 CREATED=201 ACCEPTED=202 \
NON_AUTHORITATIVE_INFORMATION=203 NO_CONTENT=204 RESET_CONTENT=205 PARTIAL_CONTENT=206 MULTI_STATUS=207 ALREADY_REPORTED=208 IM_USED=226 \
MULTIPLE_CHOICES=300 MOVED_PERMANENTLY=301 FOUND=302 SEE_OTHER=303 NOT_MODIFIED=304 USE_PROXY=305 TEMPORARY_REDIRECT=307 \
PERMANENT_REDIRECT=308 BAD_REQUEST=400 UNAUTHORIZED=401 PAYMENT_REQUIRED=402 FORBIDDEN=403 NOT_FOUND=404 METHOD_NOT_ALLOWED=405 \
NOT_ACCEPTABLE=406 PROXY_AUTHENTICATION_REQUIRED=407 REQUEST_TIMEOUT=408 CONFLICT=409 GONE=410 LENGTH_REQUIRED=411 \
PRECONDITION_FAILED=412 PAYLOAD_TOO_LARGE=413 URI_TOO_LONG=414 UNSUPPORTED_MEDIA_TYPE=415 RANGE_NOT_SATISFIABLE=416 \
EXPECTATION_FAILED=417 TEAPOT=418 MISDIRECTED_REQUEST=421 UNPROCESSABLE_ENTITY=422 LOCKED=423 FAILED_DEPENDENCY=424 TOO_EARLY=425 \
UPGRADE_REQUIRED=426 PRECONDITION_REQUIRED=428 TOO_MANY_REQUESTS=429 REQUEST_HEADER_FIELDS_TOO_LARGE=431 \
UNAVAILABLE_FOR_LEGAL_REASONS=451 INTERNAL_SERVER_ERROR=500 NOT_IMPLEMENTED=501 BAD_GATEWAY=502 SERVICE_UNAVAILABLE=503 \
GATEWAY_TIMEOUT=504 HTTP_VERSION_NOT_SUPPORTED=505 VARIANT_ALSO_NEGOTIATES=506 INSUFFICIENT_STORAGE=507 LOOP_DETECTED=508 \
BANDWIDTH_LIMIT_EXCEEDED=509 NOT_EXTENDED=510 NETWORK_AUTHENTICATION_REQUIRED=511";

function makeConstants() {
  const made: Record<string, number | string> = {
    NGHTTP2_ERR_FRAME_SIZE_ERROR: -522,
    NGHTTP2_SESSION_SERVER: 0,
    NGHTTP2_SESSION_CLIENT: 1,
    NGHTTP2_STREAM_STATE_IDLE: 1,
    NGHTTP2_STREAM_STATE_OPEN: 2,
    NGHTTP2_STREAM_STATE_RESERVED_LOCAL: 3,
    NGHTTP2_STREAM_STATE_RESERVED_REMOTE: 4,
    NGHTTP2_STREAM_STATE_HALF_CLOSED_LOCAL: 5,
    NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE: 6,
    NGHTTP2_STREAM_STATE_CLOSED: 7,
    NGHTTP2_FLAG_NONE: 0,
    NGHTTP2_FLAG_END_STREAM: 1,
    NGHTTP2_FLAG_END_HEADERS: 4,
    NGHTTP2_FLAG_ACK: 1,
    NGHTTP2_FLAG_PADDED: 8,
    NGHTTP2_FLAG_PRIORITY: 32,
    DEFAULT_SETTINGS_HEADER_TABLE_SIZE: 4096,
    DEFAULT_SETTINGS_ENABLE_PUSH: 1,
    DEFAULT_SETTINGS_MAX_CONCURRENT_STREAMS: 4294967295,
    DEFAULT_SETTINGS_INITIAL_WINDOW_SIZE: 65535,
    DEFAULT_SETTINGS_MAX_FRAME_SIZE: 16384,
    DEFAULT_SETTINGS_MAX_HEADER_LIST_SIZE: 65535,
    DEFAULT_SETTINGS_ENABLE_CONNECT_PROTOCOL: 0,
    MAX_MAX_FRAME_SIZE: 16777215,
    MIN_MAX_FRAME_SIZE: 16384,
    MAX_INITIAL_WINDOW_SIZE: 2147483647,
    NGHTTP2_SETTINGS_HEADER_TABLE_SIZE: 1,
    NGHTTP2_SETTINGS_ENABLE_PUSH: 2,
    NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS: 3,
    NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE: 4,
    NGHTTP2_SETTINGS_MAX_FRAME_SIZE: 5,
    NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE: 6,
    NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL: 8,
    PADDING_STRATEGY_NONE: 0,
    PADDING_STRATEGY_ALIGNED: 1,
    PADDING_STRATEGY_MAX: 2,
    PADDING_STRATEGY_CALLBACK: 1,
  };
  nameForErrorCode.forEach((name, code) => {
    made[name] = code;
  });
  made.NGHTTP2_DEFAULT_WEIGHT = 16;
  for (const name of ["status", "method", "authority", "scheme", "path", "protocol"])
    made[`HTTP2_HEADER_${name.toUpperCase()}`] = `:${name}`;
  for (const name of fields.split(" ")) made[`HTTP2_HEADER_${name.toUpperCase().replaceAll("-", "_")}`] = name;
  for (const name of methods.split(" ")) made[`HTTP2_METHOD_${name.replaceAll("-", "_")}`] = name;
  for (const entry of statuses.split(" ")) {
    const [name, status] = entry.split("=");
    made[`HTTP_STATUS_${name}`] = Number(status);
  }
  return made;
}

let made: Record<string, number | string> | undefined;

/** http2.constants */
export function constants(): Record<string, number | string> {
  return (made ??= makeConstants());
}

/** Text of a number of nghttp2. */
export function nghttp2ErrorString(code: number): string {
  switch (code) {
    case 0:
      return "Success";
    case -501:
      return "Invalid argument";
    case -502:
      return "Out of buffer space";
    case -503:
      return "Unsupported SPDY version";
    case -504:
      return "Operation would block";
    case -505:
      return "Protocol error";
    case -506:
      return "Invalid frame octets";
    case -507:
      return "EOF";
    case -508:
      return "Data transfer deferred";
    case -509:
      return "No more Stream ID available";
    case -510:
      return "Stream was already closed or invalid";
    case -511:
      return "Stream is closing";
    case -512:
      return "The transmission is not allowed for this stream";
    case -513:
      return "Stream ID is invalid";
    case -514:
      return "Invalid stream state";
    case -515:
      return "Another DATA frame has already been deferred";
    case -516:
      return "request HEADERS is not allowed";
    case -517:
      return "GOAWAY has already been sent";
    case -518:
      return "Invalid header block";
    case -519:
      return "Invalid state";
    case -521:
      return "The user callback function failed due to the temporal error";
    case -522:
      return "The length of the frame is invalid";
    case -523:
      return "Header compression/decompression error";
    case -524:
      return "Flow control error";
    case -525:
      return "Insufficient buffer size given to function";
    case -526:
      return "Callback was paused by the application";
    case -527:
      return "Too many inflight SETTINGS";
    case -528:
      return "Server push is disabled by peer";
    case -529:
      return "DATA or HEADERS frame has already been submitted for the stream";
    case -530:
      return "The current session is closing";
    case -531:
      return "Invalid HTTP header field was received";
    case -532:
      return "Violation in HTTP messaging rule";
    case -533:
      return "Stream was refused";
    case -534:
      return "Internal error";
    case -535:
      return "Cancel";
    case -536:
      return "When a local endpoint expects to receive SETTINGS frame, it receives an other type of frame";
    case -537:
      return "SETTINGS frame contained more than the maximum allowed entries";
    case -901:
      return "Out of memory";
    case -902:
      return "The user callback function failed";
    case -903:
      return "Received bad client magic byte string";
    case -904:
      return "Flooding was detected in this HTTP/2 session, and it must be closed";
    case -905:
      return "Too many CONTINUATION frames following a HEADER frame";
    default:
      return "Unknown error code";
  }
}

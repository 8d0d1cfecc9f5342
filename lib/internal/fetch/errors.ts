/** What fetch rejects with: a TypeError with Bun's message, `code` and `path`; what went wrong below is its `cause`. */

const hint = "For more information, pass `verbose: true` in the second argument to fetch()";

const texts: Record<string, string> = {
  __proto__: null as any,
  ECONNREFUSED: "Unable to connect. Is the computer able to access the url?",
  ECONNRESET: `The socket connection was closed unexpectedly. ${hint}`,
  EPROTO: "The TLS handshake failed. Does the server speak TLS on this port?",
  TooManyRedirects: `The response redirected too many times. ${hint}`,
  RedirectURLInvalid: "Redirect URL in Location header is invalid.",
};

/** What Node says as the cause of those that nothing else has caused. */
const causes: Record<string, string> = {
  __proto__: null as any,
  TooManyRedirects: "redirect count exceeded",
  UnexpectedRedirect: "unexpected redirect",
  UnsupportedRedirectProtocol: "URL scheme must be a HTTP(S) scheme",
  RedirectURLInvalid: "Invalid URL",
  RequestBodyNotReusable: "Response body object should not be disturbed or locked",
  RequestContentLengthMismatch: "Request body length does not match content-length header",
};

/** The failure of a request for `href`. */
export function fetchError(code: string, href: string, cause?: any): TypeError {
  const text = texts[code];
  if (cause === undefined && causes[code] !== undefined) cause = new Error(causes[code]);
  let message: string;
  if (text !== undefined) message = `${code}: ${text}`;
  else if (cause?.message && causes[code] === undefined) message = cause.message;
  else message = `${code} fetching "${href}". ${hint}`;
  const error: any = new TypeError(message, cause === undefined ? undefined : { cause });
  error.code = code;
  error.path = href;
  error.errno = cause?.errno ?? 0;
  if (cause?.hostname !== undefined) {
    error.syscall = cause.syscall;
    error.hostname = cause.hostname;
  }
  return error;
}

/** The failure that comes of an error of a socket, of TLS or of the resolver. */
export function networkError(cause: any, href: string): TypeError {
  return fetchError(typeof cause?.code === "string" ? cause.code : "ERR_FETCH_FAILED", href, cause);
}

/** The server has closed a connection that it should not have. */
export function connectionClosed(href: string, errno?: number): TypeError {
  const { connResetException, errnoException } = require("internal/errors");
  const cause = errno === undefined || errno === -4095 ? connResetException("other side closed") : errnoException(errno, "read");
  return fetchError(cause.code, href, cause);
}

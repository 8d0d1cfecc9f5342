/**
 * What fetch rejects with: a TypeError whose message is Node's ("fetch failed", or "terminated" once there is a response), because
 * programs look at it to tell failures of the network from others, with Bun's `code` and `path`, and with what went wrong as `cause`.
 */

const texts: Record<string, string> = {
  __proto__: null!,
  TooManyRedirects: "redirect count exceeded",
  UnexpectedRedirect: "unexpected redirect",
  UnsupportedRedirectProtocol: "URL scheme must be a HTTP(S) scheme",
  RedirectURLInvalid: "Invalid URL",
  RequestBodyNotReusable: "Response body object should not be disturbed or locked",
  RequestContentLengthMismatch: "Request body length does not match content-length header",
  UnexpectedUpgrade: "The server has changed to a protocol that nobody asked for",
  ERR_INTEGRITY_MISMATCH: "integrity mismatch",
  ERR_BAD_PORT: "bad port",
};

/** The failure of a request for `href`. `begun`: there is a response, whose body ends here. */
export function fetchError(
  code: string,
  href: string,
  cause: NodeError | null | undefined = new Error(texts[code] ?? code),
  begun = false,
): TypeError {
  const error: NodeError | undefined = new TypeError(begun ? "terminated" : "fetch failed", { cause });
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
export function networkError(cause: NodeError, href: string): TypeError {
  return fetchError(typeof cause?.code === "string" ? cause.code : "ERR_FETCH_FAILED", href, cause);
}

/** The server has closed a connection that it should not have. */
export function connectionClosed(href: string, errno: number | undefined, begun: boolean): TypeError {
  const { connResetException, errnoException } = require("internal/core/errors");
  const cause =
    errno === undefined || errno === -4095 ? connResetException("other side closed") : errnoException(errno, "read");
  return fetchError(cause.code, href, cause, begun);
}

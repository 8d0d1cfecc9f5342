// Numbers that the native half uses by the same names. Written from #[ts_constants] by
// engine/macros/src/ts_constants.rs; do not edit.

// How header blocks are sent.
/** A request, on a new stream. */
export const H2_BLOCK_REQUEST = 0;
/** An answer. */
export const H2_BLOCK_RESPOND = 1;
/** What comes before the answer. */
export const H2_BLOCK_INFO = 2;
export const H2_BLOCK_TRAILERS = 3;
/** A promise on a stream. */
export const H2_BLOCK_PUSH = 4;

// Bits of the number that comes with a head; the low ten are the method or the status.
export const HEAD_KEEP_ALIVE = 1024;
export const HEAD_UPGRADE = 2048;
/** Head, body (if any) and end in one call. */
export const HEAD_COMPLETE = 4096;
export const HEAD_HAS_HOST = 8192;
export const HEAD_HAS_EXPECT = 16384;
export const HEAD_CHUNKED = 32768;
/** The version is in eight bits. */
export const HEAD_MAJOR_SHIFT = 16;
export const HEAD_MINOR_SHIFT = 20;
/** A Host that cannot stand in a URL, or more than one. */
export const HEAD_ODD_HOST = 16777216;

// What JavaScript answers to a head.
export const ANSWER_SKIP_BODY = 1;
export const ANSWER_TAKE_OVER = 2;

// Flags of `httpRespond`.
export const RESPOND_NO_LENGTH = 1;
export const RESPOND_NO_BODY = 2;
export const RESPOND_NO_DATE = 4;

// What became of a published frame for one socket, if it is not simply on its way.
/** It waits for the kernel: the write event tells. */
export const PUBLISHED_WAITS = 1;
/** So much waits already that it was left out. */
export const PUBLISHED_DROPPED = 2;
export const PUBLISHED_FAILED = 3;

// Flags of a socket that is bound.
export const BIND_IPV6_ONLY = 1;
export const BIND_REUSE_PORT = 2;
/** Of UDP; for others it is always set. */
export const BIND_REUSE_ADDR = 4;

// What ops that write give back, unless it is a negative errno.
/** The kernel has everything. */
export const WRITTEN_ALL = 0;
/** The write event tells when it has. */
export const WRITTEN_LATER = 1;

// How the characters of a string become bytes.
export const ENCODING_UTF8 = 0;
export const ENCODING_LATIN1 = 1;

// What a connection with TLS tells JavaScript (`Callback::Tls`).
/** The handshake is done. */
export const TLS_EVENT_SECURED = 0;
/** It failed: code and message. */
export const TLS_EVENT_FAILED = 1;
/** A ClientHello waits for a context: server name and protocols. Marks of `tlsHello` stand beside the number. */
export const TLS_EVENT_HELLO = 2;
/** There are new sessions. */
export const TLS_EVENT_SESSIONS = 3;
/** A line for key logs. */
export const TLS_EVENT_KEY_LOG = 4;
/** A pre-shared key is needed: a client is given the hint (and with it the mark of `tlsHello`), a server the identity. */
export const TLS_EVENT_PRE_SHARED_KEY = 5;

// What stands beside `TlsEvent::Hello`.
/** The bits of the event. */
export const TLS_HELLO_EVENT = 15;
/** The client has a session. */
export const TLS_HELLO_HAS_TICKET = 16;
/** The client asks for a status of the certificate (OCSP). */
export const TLS_HELLO_WANTS_STATUS = 32;
/** The server has given a hint about its pre-shared key. */
export const TLS_HELLO_HAS_HINT = 64;

// Marks of a connection that begins.
/** New sessions are told of. */
export const TLS_MARK_TELL_SESSIONS = 1;
/** Lines for key logs are told of. */
export const TLS_MARK_TELL_KEYS = 2;
/** A client asks for a status of the certificate (OCSP). */
export const TLS_MARK_WANTS_STATUS = 4;
/** A client's sessions are kept by its context. */
export const TLS_MARK_KEEPS = 8;
/** A server asks for a certificate. */
export const TLS_MARK_ASKS = 16;
/** A server refuses clients without a certificate. */
export const TLS_MARK_REQUIRES = 32;
/** There are pre-shared keys. */
export const TLS_MARK_SHARED_KEYS = 64;
/** What is sent and received is said on standard error. */
export const TLS_MARK_TRACED = 128;

// Errors with Node's codes, names and messages (https://nodejs.org/api/errors.html).
//
// `codes.ERR_X` is a class, made when it is first asked for: neither a class nor the message table exists before the
// first error is needed. The table is at the bottom of this file; append to it when a code is missing.

import type { InspectContext } from "internal/util/inspect_types";

const {
  defineProperty,
  prototype: { hasOwnProperty },
} = Object;
const { isArray } = Array;

/** Present (true) on every error made from `codes`. */
export const kIsNodeError = Symbol("kIsNodeError");

/** The class of one code; a code with several base classes has the others as members. */
interface ErrorClass {
  new (...values: unknown[]): CodedError;
  readonly HideStackFramesError: ErrorClass;
  readonly RangeError: ErrorClass;
  readonly TypeError: ErrorClass;
}
type Message = string | ((this: NodeError & { [key: string]: unknown }, ...values: never[]) => string);

/** Error or a class of errors, as the base of a code's class. */
type BaseClass = { new (...values: never[]): Error; readonly name: string };
/** A class that is being made; further base classes become members. */
type MadeClass = { -readonly [K in keyof ErrorClass]?: ErrorClass[K] } & { new (...values: never[]): CodedError };

const bases: Record<string, () => BaseClass> = {
  E: () => Error,
  T: () => TypeError,
  R: () => RangeError,
  S: () => SyntaxError,
  U: () => URIError,
  Y: () => SystemError,
};

const cache = { __proto__: null } as unknown as Record<string, ErrorClass>;
let table: Record<string, string> | undefined;

/**
 * Error classes by code: `new codes.ERR_INVALID_ARG_TYPE("name", "string", value)`. Asking for a code that the table
 * lacks throws, so that a typing error does not surface as "undefined is not a constructor" later.
 */
export const codes: { readonly [code: string]: ErrorClass } = new Proxy(cache, {
  get(target, code: string) {
    const known = target[code];
    if (known !== undefined || typeof code !== "string") return known;
    return (target[code] = fromTable(code));
  },
  has(target, code) {
    return code in target || (typeof code === "string" && hasOwnProperty.call((table ??= messageTable()), code));
  },
});

function fromTable(code: string) {
  table ??= messageTable();
  const entry = table[code];
  if (entry === undefined) throw new Error(`internal/core/errors has no code ${code}`);
  const bar = entry.indexOf("|");
  const text = entry.slice(bar + 1);
  const message: Message = text === "*" ? require("internal/core/errors_text").specialMessages()[code] : text;
  return classFor(
    code,
    message,
    [...entry.slice(0, bar)].map((letter) => bases[letter]!()),
  );
}

function classFor(code: string, message: Message, baseClasses: BaseClass[]): ErrorClass {
  const main = makeClass(code, message, baseClasses[0]!);
  for (const base of baseClasses.slice(1))
    main[base.name as "TypeError"] = makeClass(code, message, base) as ErrorClass;
  main.HideStackFramesError = main as ErrorClass;
  return main as ErrorClass;
}

function makeClass(code: string, message: Message, Base: BaseClass): MadeClass {
  if (Base === SystemError) {
    return class NodeError extends SystemError {
      constructor(context: SystemErrorContext) {
        super(context, code, message as string);
      }
    };
  }
  class NodeError extends (Base as new () => Error) {
    declare code: string;
    constructor(...args: unknown[]) {
      super();
      // First among the properties, so that it is printed before anything the message function puts on the error.
      this.code = code;
      const text = typeof message === "string" ? fillIn(message, args) : Reflect.apply(message, this, args);
      defineProperty(this, "message", hiddenProperty(text));
      captureWithName(this, `${this.name} [${code}]`, NodeError);
    }

    // The public face is the base class: `err.constructor === TypeError`, as in Node.
    get ["constructor"]() {
      return Base;
    }

    get [kIsNodeError]() {
      return true;
    }

    toString() {
      return `${this.name} [${code}]: ${this.message}`;
    }
  }
  return NodeError;
}

/** A TypeError with Node's `code` and words that are not in the table: what Node's native half and its webidl converters throw. */
export function codedTypeError(code: string, message: string): NodeError {
  const error = new TypeError(message) as CodedError;
  error.code = code;
  return error;
}

// Without a prototype: programs put all kinds of things on Object.prototype, and errors must still come through.
function hiddenProperty(value: unknown): PropertyDescriptor {
  return { __proto__: null, value, enumerable: false, writable: true, configurable: true } as PropertyDescriptor;
}

/**
 * Captures the stack of `error` with a header that starts with `name` (the header is fixed at capture time), frames
 * above and including `above` left out, without leaving `name` on the error.
 */
function captureWithName(error: Error, name: string, above: Function) {
  if (Error.stackTraceLimit === 0) return;
  const own = Object.getOwnPropertyDescriptor(error, "name");
  defineProperty(error, "name", hiddenProperty(name));
  Error.captureStackTrace(error, above);
  if (own === undefined) delete (error as { name?: unknown }).name;
  else defineProperty(error, "name", { __proto__: null, ...own } as PropertyDescriptor);
}

function fillIn(text: string, args: unknown[]): string {
  if (args.length === 0) return text;
  let i = 0;
  for (const arg of args) {
    // The full formatter is loaded only for arguments that need it.
    if (typeof arg !== "string") return lazyInspect().format(text, ...args);
  }
  return text.replace(/%[sdj]/g, (found) =>
    i < args.length ? (found === "%s" ? (args[i++] as string) : lazyInspect().format(found, args[i++])) : found,
  );
}

function lazyInspect() {
  return require("internal/util/inspect");
}

// ---------------------------------------------------------------------------------------------------------------------
// Errors with a shape of their own

/** Thrown or given as a rejection when an operation is cancelled by an AbortSignal. `code` is "ABORT_ERR". */
export class AbortError extends Error {
  declare code: string;
  constructor(message = "The operation was aborted", options: ErrorOptions | undefined = undefined) {
    if (options !== undefined && typeof options !== "object") {
      throw new codes.ERR_INVALID_ARG_TYPE("options", "Object", options);
    }
    super(message, options);
    this.code = "ABORT_ERR";
    this.name = "AbortError";
  }
}

interface SystemErrorContext {
  code: string;
  message: string;
  syscall: string;
  errno?: number;
  path?: unknown;
  dest?: unknown;
}

/**
 * An error of the system with the context object in `info`; `errno`, `syscall`, `path`, `dest` read and write through
 * to it. Message: `<prefix>: <syscall> returned <code> (<message>) <path> => <dest>`.
 */
export class SystemError extends Error {
  declare code: string;
  constructor(context: SystemErrorContext, code: string, prefix: string) {
    super();
    this.code = code;
    let message = `${prefix}: ${context.syscall} returned ${context.code} (${context.message})`;
    if (context.path !== undefined) message += ` ${context.path}`;
    if (context.dest !== undefined) message += ` => ${context.dest}`;
    Object.defineProperties(this, {
      [kIsNodeError]: { __proto__: null, value: true, enumerable: false, writable: false, configurable: true },
      name: hiddenProperty("SystemError"),
      message: hiddenProperty(message),
      info: { __proto__: null, value: context, enumerable: true, configurable: true, writable: false },
      errno: passThrough(context, "errno"),
      syscall: passThrough(context, "syscall"),
    } as PropertyDescriptorMap);
    if (context.path !== undefined) defineProperty(this, "path", bytesPassThrough(context, "path"));
    if (context.dest !== undefined) defineProperty(this, "dest", bytesPassThrough(context, "dest"));
    captureWithName(this, `SystemError [${code}]`, new.target);
  }

  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }

  [Symbol.for("nodejs.util.inspect.custom")](_depth: number, context: InspectContext): string {
    return require("internal/util/inspect").inspect(this, { ...context, getters: true, customInspect: false });
  }
}

function passThrough(context: SystemErrorContext, key: "errno" | "syscall") {
  return {
    __proto__: null,
    get: () => context[key],
    set: (value: unknown) => {
      context[key] = value as never;
    },
    enumerable: true,
    configurable: true,
  };
}

function bytesPassThrough(context: SystemErrorContext, key: "path" | "dest") {
  return {
    __proto__: null,
    get: () => (context[key] != null ? context[key].toString() : context[key]),
    set: (value: unknown) => {
      context[key] = value ? require("node:buffer").Buffer.from(`${value}`) : undefined;
    },
    enumerable: true,
    configurable: true,
  };
}

/** Whether `error` is the engine's "stack exhausted" error. */
export function isStackOverflowError(error: unknown): boolean {
  // The text is SpiderMonkey's; the other one comes from errors of other engines (or tests that make one).
  return (
    error != null &&
    ((error as Error).name === "RangeError" || (error as Error).name === "InternalError") &&
    ((error as Error).message === "too much recursion" ||
      (error as Error).message === "Maximum call stack size exceeded")
  );
}

/** An Error with own properties; for errors that have no class of their own. */
export function genericNodeError(message: string, properties: object): NodeError {
  return Object.assign(new Error(message), properties);
}

/** The error of a connection that the peer has reset: `code` is "ECONNRESET". */
export function connResetException(message: string) {
  const error = new Error(message) as CodedError;
  error.code = "ECONNRESET";
  return error;
}

/** An AggregateError with a `code`, captured above `above`. */
export class NodeAggregateError extends AggregateError {
  declare code: string | undefined;
  constructor(errors: Iterable<unknown>, message?: string) {
    super(errors, message);
    this.code = (errors as NodeError[])[0]?.code;
  }

  get ["constructor"](): AggregateErrorConstructor {
    return AggregateError;
  }

  get [kIsNodeError]() {
    return true;
  }
}

/** An error or nothing; `errors` if it stands for several. */
type Joined = (NodeError & { errors?: unknown[] }) | null | undefined;

/**
 * Joins a second error to a first one: if both exist, the result is an AggregateError of both (the outer one first when
 * it is an aggregate already) with the outer one's message and code.
 */
export function aggregateTwoErrors(inner: unknown, outer: unknown): Joined {
  if (inner && outer && inner !== outer) {
    if (isArray((outer as AggregateError).errors)) {
      (outer as AggregateError).errors.push(inner);
      return outer as AggregateError;
    }
    const error = new AggregateError([outer, inner], (outer as Error).message) as AggregateError & { code?: string };
    error.code = (outer as NodeError).code;
    Error.captureStackTrace(error, aggregateTwoErrors);
    return error;
  }
  return (inner || outer) as Joined;
}

/** One AggregateError of all `errors` (never empty) with `message` and `code`. */
export function aggregateErrors(errors: NodeError[], message: string, code?: string) {
  const error = new AggregateError(errors, message) as AggregateError & { code?: string };
  error.code = code ?? errors[0]?.code;
  return error;
}

/**
 * Wraps a function so that errors which it throws have a stack that starts at its caller. `withoutStackTrace` is the
 * function itself, for callers that hide themselves.
 */
export function hideStackFrames<F extends (...values: never[]) => unknown>(fn: F): F & { withoutStackTrace: F } {
  function wrapped(this: unknown, ...args: never[]) {
    try {
      return Reflect.apply(fn, this, args);
    } catch (error) {
      throw hideFrom(error, wrapped);
    }
  }
  wrapped.withoutStackTrace = fn;
  return wrapped as F & { withoutStackTrace: F };
}

/** Captures the stack of `error` anew, without `above` and the frames over it; returns the error. */
export function hideFrom<T>(error: T, above: Function): T {
  if (typeof error === "object" && error !== null && Error.stackTraceLimit !== 0 && Object.isExtensible(error)) {
    const { code, name } = error as object as CodedError;
    captureWithName(
      error as object as CodedError,
      (error as { [key: symbol]: unknown })[kIsNodeError] ? `${name} [${code}]` : name,
      above,
    );
  }
  return error;
}

// ---------------------------------------------------------------------------------------------------------------------
// Errors of system calls

function uvErrors() {
  return require("internal/core/uv_errors");
}

/** `[name, message]` of a negative errno, or `["UNKNOWN", "unknown error"]`. */
export function uvErrmapGet(errno: number): [string, string] {
  return uvErrors().map().get(errno) ?? ["UNKNOWN", "unknown error"];
}

/** The name ("ENOENT") of a negative errno. */
export function getSystemErrorName(errno: number): string {
  const entry = uvErrors().map().get(errno);
  return entry ? entry[0] : `Unknown system error ${errno}`;
}

interface UvContext {
  errno: number;
  syscall: string;
  code?: string;
  message?: string;
  path?: string | Uint8Array;
  dest?: string | Uint8Array;
}

/**
 * The error of a failed file-system operation. `context`: errno (negative), syscall and optionally code, message, path,
 * dest. Message: `ENOENT: no such file or directory, open 'p' -> 'd'`.
 */
export function uvException(context: UvContext): CodedError {
  const [name, text] = uvErrmapGet(context.errno);
  const code = context.code || name;
  let message = `${code}: ${context.message || text}, ${context.syscall}`;
  const path = context.path ? context.path.toString() : undefined;
  const dest = context.dest ? context.dest.toString() : undefined;
  if (path !== undefined) message += ` '${path}'`;
  if (dest !== undefined) message += ` -> '${dest}'`;
  const error = new Error(message) as CodedError & { [key: string]: unknown };
  for (const key of Object.keys(context)) {
    if (key !== "message" && key !== "path" && key !== "dest") error[key] = context[key as keyof UvContext];
  }
  error.code = code;
  if (path !== undefined) error.path = path;
  if (dest !== undefined) error.dest = dest;
  Error.captureStackTrace(error, uvException);
  return error;
}

/** The error of a failed call on a host and port: `connect ECONNREFUSED 127.0.0.1:80`, with Node's extra properties. */
export function exceptionWithHostPort(
  errno: number,
  syscall: string,
  address: string,
  port: number | undefined,
  additional?: string,
) {
  const code = getSystemErrorName(errno);
  let details = "";
  if (port && port > 0) details = ` ${address}:${port}`;
  else if (address) details = ` ${address}`;
  if (additional) details += ` - Local (${additional})`;
  const error = new Error(`${syscall} ${code}${details}`) as CodedError;
  error.errno = errno;
  error.code = code;
  error.syscall = syscall;
  error.address = address;
  if (port) error.port = port;
  Error.captureStackTrace(error, exceptionWithHostPort);
  return error;
}

/** Like `exceptionWithHostPort`, with the system's text: `listen EADDRINUSE: address already in use :::80`. */
export function uvExceptionWithHostPort(errno: number, syscall: string, address: string, port: number) {
  const [code, text] = uvErrmapGet(errno);
  let details = "";
  if (port && port > 0) details = ` ${address}:${port}`;
  else if (address) details = ` ${address}`;
  const error = new Error(`${syscall} ${code}: ${text}${details}`) as CodedError;
  error.code = code;
  error.errno = errno;
  error.syscall = syscall;
  error.address = address;
  if (port) error.port = port;
  Error.captureStackTrace(error, uvExceptionWithHostPort);
  return error;
}
export { uvExceptionWithHostPort as UVExceptionWithHostPort, exceptionWithHostPort as ExceptionWithHostPort };

/** The error of a failed call: `<syscall> <code>[ <original>]`, with errno, code, syscall. */
export function errnoException(errno: number, syscall: string, original?: string) {
  const code = getSystemErrorName(errno);
  const error = new Error(original ? `${syscall} ${code} ${original}` : `${syscall} ${code}`) as CodedError;
  error.errno = errno;
  error.code = code;
  error.syscall = syscall;
  Error.captureStackTrace(error, errnoException);
  return error;
}
export { errnoException as ErrnoException };

/** The error of a name look-up. `code`: a name ("ENOTFOUND") or a negative number. */
export function dnsException(code: string | number, syscall: string, hostname?: string) {
  let errno: number | undefined;
  if (typeof code === "number") {
    errno = code;
    code = code === -3007 /* EAI_NODATA */ || code === -3008 /* EAI_NONAME */ ? "ENOTFOUND" : getSystemErrorName(code);
  }
  const error = new Error(`${syscall} ${code}${hostname ? ` ${hostname}` : ""}`) as CodedError;
  error.errno = errno;
  error.code = code;
  error.syscall = syscall;
  if (hostname) error.hostname = hostname;
  Error.captureStackTrace(error, dnsException);
  return error;
}
export { dnsException as DNSException };

// ---------------------------------------------------------------------------------------------------------------------
// Messages

/** What a message says it has received: `undefined`, `function f`, `an instance of C`, `type number (1)`. */
export function determineSpecificType(value: unknown): string {
  return require("internal/core/errors_text").determineSpecificType(value);
}

/**
 * Codes: base classes, a bar, message. Classes: E Error, T TypeError, R RangeError, S SyntaxError, U URIError,
 * Y SystemError (its argument is a context object); further letters make static members. "*" stands for an entry of
 * `specialMessages` in internal/errors_text. Made only when the first error is needed.
 */
function messageTable(): Record<string, string> {
  return {
    ERR_ACCESS_DENIED: "E|*",
    ERR_AMBIGUOUS_ARGUMENT: 'T|The "%s" argument is ambiguous. %s',
    ERR_ARG_NOT_ITERABLE: "T|%s must be iterable",
    ERR_ASSERTION: "E|%s",
    ERR_ASYNC_CALLBACK: "T|%s must be a function",
    ERR_ASYNC_LOADER_REQUEST_NEVER_SETTLED: "E|Async loader request never settled",
    ERR_ASYNC_TYPE: 'T|Invalid name for async "type": %s',
    ERR_BROTLI_INVALID_PARAM: "R|%s is not a valid Brotli parameter",
    ERR_BUFFER_CONTEXT_NOT_AVAILABLE: "E|Buffer is not available for the current Context",
    ERR_BUFFER_OUT_OF_BOUNDS: "R|*",
    ERR_BUFFER_TOO_LARGE: "R|Cannot create a Buffer larger than %s bytes",
    ERR_CANNOT_WATCH_SIGINT: "E|Cannot watch for SIGINT signals",
    ERR_CHILD_CLOSED_BEFORE_REPLY: "E|Child closed before reply received",
    ERR_CHILD_PROCESS_IPC_REQUIRED: "E|Forked processes must have an IPC channel, missing value 'ipc' in %s",
    ERR_CHILD_PROCESS_STDIO_MAXBUFFER: "R|%s maxBuffer length exceeded",
    ERR_CLOSED_MESSAGE_PORT: "E|Cannot send data on closed MessagePort",
    ERR_CONSOLE_WRITABLE_STREAM: "T|Console expects a writable stream instance for %s",
    ERR_CONSTRUCT_CALL_INVALID: "T|Constructor cannot be called",
    ERR_CONSTRUCT_CALL_REQUIRED: "T|Class constructor %s cannot be invoked without `new`",
    ERR_CONTEXT_NOT_INITIALIZED: "E|context used is not initialized",
    ERR_CPU_PROFILE_ALREADY_STARTED: "E|CPU profile already started",
    ERR_CPU_PROFILE_NOT_STARTED: "E|CPU profile not started",
    ERR_CPU_PROFILE_TOO_MANY: "E|There are too many CPU profiles",
    ERR_CRYPTO_ARGON2_NOT_SUPPORTED: "E|Argon2 algorithm not supported",
    ERR_CRYPTO_CUSTOM_ENGINE_NOT_SUPPORTED: "E|Custom engines not supported by this OpenSSL",
    ERR_CRYPTO_ECDH_INVALID_FORMAT: "T|Invalid ECDH format: %s",
    ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY: "E|Public key is not valid for specified curve",
    ERR_CRYPTO_ENGINE_UNKNOWN: 'E|Engine "%s" was not found',
    ERR_CRYPTO_FIPS_FORCED: "E|Cannot set FIPS mode, it was forced with --force-fips at startup.",
    ERR_CRYPTO_FIPS_UNAVAILABLE: "E|Cannot set FIPS mode in a non-FIPS build.",
    ERR_CRYPTO_HASH_FINALIZED: "E|Digest already called",
    ERR_CRYPTO_HASH_UPDATE_FAILED: "E|Hash update failed",
    ERR_CRYPTO_INCOMPATIBLE_KEY: "E|Incompatible %s: %s",
    ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS: "E|The selected key encoding %s %s.",
    ERR_CRYPTO_INITIALIZATION_FAILED: "E|Initialization failed",
    ERR_CRYPTO_INVALID_AUTH_TAG: "T|Invalid authentication tag",
    ERR_CRYPTO_INVALID_COUNTER: "T|Invalid counter",
    ERR_CRYPTO_INVALID_CURVE: "T|Invalid EC curve name",
    ERR_CRYPTO_INVALID_DIGEST: "T|Invalid digest: %s",
    ERR_CRYPTO_INVALID_IV: "T|Invalid initialization vector",
    ERR_CRYPTO_INVALID_JWK: "T|Invalid JWK data",
    ERR_CRYPTO_INVALID_KEYLEN: "R|Invalid key length",
    ERR_CRYPTO_INVALID_KEYPAIR: "R|Invalid key pair",
    ERR_CRYPTO_INVALID_KEYTYPE: "R|Invalid key type",
    ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE: "T|Invalid key object type %s, expected %s.",
    ERR_CRYPTO_INVALID_MESSAGELEN: "R|Invalid message length",
    ERR_CRYPTO_INVALID_SCRYPT_PARAMS: "R|Invalid scrypt params",
    ERR_CRYPTO_INVALID_STATE: "E|Invalid state for operation %s",
    ERR_CRYPTO_JOB_INIT_FAILED: "E|%s",
    ERR_CRYPTO_JWK_UNSUPPORTED_CURVE: "E|Unsupported JWK EC curve: %s.",
    ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE: "E|Unsupported JWK Key Type.",
    ERR_CRYPTO_KEM_NOT_SUPPORTED: "E|KEM is not supported",
    ERR_CRYPTO_OPERATION_FAILED: "E|Operation failed",
    ERR_CRYPTO_PBKDF2_ERROR: "E|PBKDF2 error",
    ERR_CRYPTO_SCRYPT_INVALID_PARAMETER: "E|Invalid scrypt parameter",
    ERR_CRYPTO_SCRYPT_NOT_SUPPORTED: "E|Scrypt algorithm not supported",
    ERR_CRYPTO_SIGN_KEY_REQUIRED: "E|No key provided to sign",
    ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH: "R|Input buffers must have the same byte length",
    ERR_CRYPTO_UNKNOWN_CIPHER: "E|Unknown cipher",
    ERR_CRYPTO_UNKNOWN_DH_GROUP: "E|Unknown DH group",
    ERR_CRYPTO_UNSUPPORTED_OPERATION: "E|Unsupported crypto operation",
    ERR_DEBUGGER_ERROR: "E|%s",
    ERR_DEBUGGER_STARTUP_ERROR: "E|%s",
    ERR_DIR_CLOSED: "E|Directory handle was closed",
    ERR_DIR_CONCURRENT_OPERATION:
      "E|Cannot do synchronous work on directory handle with concurrent asynchronous operations",
    ERR_DLOPEN_DISABLED: "E|Cannot load native addon because loading addons is disabled.",
    ERR_DLOPEN_FAILED: "E|%s",
    ERR_DNS_SET_SERVERS_FAILED: 'E|c-ares failed to set servers: "%s" [%s]',
    ERR_DOMAIN_CALLBACK_NOT_AVAILABLE:
      "E|A callback was registered through process.setUncaughtExceptionCaptureCallback(), which is mutually exclusive with using the `domain` module",
    ERR_DOMAIN_CANNOT_SET_UNCAUGHT_EXCEPTION_CAPTURE:
      "E|The `domain` module is in use, which is mutually exclusive with calling process.setUncaughtExceptionCaptureCallback()",
    ERR_DUPLICATE_STARTUP_SNAPSHOT_MAIN_FUNCTION: "E|Deserialize main function is already configured.",
    ERR_ENCODING_INVALID_ENCODED_DATA: "T|*",
    ERR_ENCODING_NOT_SUPPORTED: 'R|The "%s" encoding is not supported',
    ERR_EVAL_ESM_CANNOT_PRINT: "E|--print cannot be used with ESM input",
    ERR_EVENT_RECURSION: 'E|The event "%s" is already being dispatched',
    ERR_EXECUTION_ENVIRONMENT_NOT_AVAILABLE: "E|Context not associated with Node.js environment",
    ERR_FALSY_VALUE_REJECTION: "E|*",
    ERR_FEATURE_UNAVAILABLE_ON_PLATFORM:
      "T|The feature %s is unavailable on the current platform, which is being used to run Node.js",
    ERR_FS_CP_DIR_TO_NON_DIR: "Y|Cannot overwrite non-directory with directory",
    ERR_FS_CP_EEXIST: "Y|Target already exists",
    ERR_FS_CP_EINVAL: "Y|Invalid src or dest",
    ERR_FS_CP_FIFO_PIPE: "Y|Cannot copy a FIFO pipe",
    ERR_FS_CP_NON_DIR_TO_DIR: "Y|Cannot overwrite directory with non-directory",
    ERR_FS_CP_SOCKET: "Y|Cannot copy a socket file",
    ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY: "Y|Cannot overwrite symlink in subdirectory of self",
    ERR_FS_CP_UNKNOWN: "Y|Cannot copy an unknown file type",
    ERR_FS_EISDIR: "Y|Path is a directory",
    ERR_FS_FILE_TOO_LARGE: "R|File size (%s) is greater than 2 GiB",
    ERR_FS_WATCH_QUEUE_OVERFLOW: "E|fs.watch() queued more than %d items",
    ERR_FS_INVALID_SYMLINK_TYPE: 'E|Symlink type must be one of "dir", "file", or "junction". Received "%s"',
    ERR_HTTP2_ALTSVC_INVALID_ORIGIN: "T|HTTP/2 ALTSVC frames require a valid origin",
    ERR_HTTP2_ALTSVC_LENGTH: "T|HTTP/2 ALTSVC frames are limited to 16382 bytes",
    ERR_HTTP2_CONNECT_AUTHORITY: "E|:authority header is required for CONNECT requests",
    ERR_HTTP2_CONNECT_PATH: "E|The :path header is forbidden for CONNECT requests",
    ERR_HTTP2_CONNECT_SCHEME: "E|The :scheme header is forbidden for CONNECT requests",
    ERR_HTTP2_ERROR: "E|%s",
    ERR_HTTP2_GOAWAY_SESSION: "E|New streams cannot be created after receiving a GOAWAY",
    ERR_HTTP2_HEADERS_AFTER_RESPOND: "E|Cannot specify additional headers after response initiated",
    ERR_HTTP2_HEADERS_SENT: "E|Response has already been initiated.",
    ERR_HTTP2_HEADER_SINGLE_VALUE: 'T|Header field "%s" must only have a single value',
    ERR_HTTP2_INFO_STATUS_NOT_ALLOWED: "R|Informational status codes cannot be used",
    ERR_HTTP2_INVALID_CONNECTION_HEADERS: 'T|HTTP/1 Connection specific headers are forbidden: "%s"',
    ERR_HTTP2_INVALID_HEADER_VALUE: 'T|Invalid value "%s" for header "%s"',
    ERR_HTTP2_INVALID_INFO_STATUS: "R|Invalid informational status code: %s",
    ERR_HTTP2_INVALID_ORIGIN: "T|HTTP/2 ORIGIN frames require a valid origin",
    ERR_HTTP2_INVALID_PACKED_SETTINGS_LENGTH: "R|Packed settings length must be a multiple of six",
    ERR_HTTP2_INVALID_PSEUDOHEADER: 'T|"%s" is an invalid pseudoheader or is used incorrectly',
    ERR_HTTP2_INVALID_SESSION: "E|The session has been destroyed",
    ERR_HTTP2_INVALID_SETTING_VALUE: "TR|*",
    ERR_HTTP2_INVALID_STREAM: "E|The stream has been destroyed",
    ERR_HTTP2_MAX_PENDING_SETTINGS_ACK: "E|Maximum number of pending settings acknowledgements",
    ERR_HTTP2_NESTED_PUSH: "E|A push stream cannot initiate another push stream.",
    ERR_HTTP2_NO_MEM: "E|Out of memory",
    ERR_HTTP2_NO_SOCKET_MANIPULATION: "E|HTTP/2 sockets should not be directly manipulated (e.g. read and written)",
    ERR_HTTP2_ORIGIN_LENGTH: "T|HTTP/2 ORIGIN frames are limited to 16382 bytes",
    ERR_HTTP2_OUT_OF_STREAMS: "E|No stream ID is available because maximum stream ID has been reached",
    ERR_HTTP2_PAYLOAD_FORBIDDEN: "E|Responses with %s status must not have a payload",
    ERR_HTTP2_PING_CANCEL: "E|HTTP2 ping cancelled",
    ERR_HTTP2_PING_LENGTH: "R|HTTP2 ping payload must be 8 bytes",
    ERR_HTTP2_PSEUDOHEADER_NOT_ALLOWED: "T|Cannot set HTTP/2 pseudo-headers",
    ERR_HTTP2_PUSH_DISABLED: "E|HTTP/2 client has disabled push streams",
    ERR_HTTP2_SEND_FILE: "E|Directories cannot be sent",
    ERR_HTTP2_SEND_FILE_NOSEEK: "E|Offset or length can only be specified for regular files",
    ERR_HTTP2_SESSION_ERROR: "E|Session closed with error code %s",
    ERR_HTTP2_SETTINGS_CANCEL: "E|HTTP2 session settings canceled",
    ERR_HTTP2_SOCKET_BOUND: "E|The socket is already bound to an Http2Session",
    ERR_HTTP2_SOCKET_UNBOUND: "E|The socket has been disconnected from the Http2Session",
    ERR_HTTP2_STATUS_101: "E|HTTP status code 101 (Switching Protocols) is forbidden in HTTP/2",
    ERR_HTTP2_STATUS_INVALID: "R|Invalid status code: %s",
    ERR_HTTP2_STREAM_CANCEL: "E|*",
    ERR_HTTP2_STREAM_ERROR: "E|Stream closed with error code %s",
    ERR_HTTP2_STREAM_SELF_DEPENDENCY: "E|A stream cannot depend on itself",
    ERR_HTTP2_TOO_MANY_CUSTOM_SETTINGS: "E|Number of custom settings exceeds MAX_ADDITIONAL_SETTINGS",
    ERR_HTTP2_TOO_MANY_INVALID_FRAMES: "E|Too many invalid HTTP/2 frames",
    ERR_HTTP2_TOO_MANY_ORIGINS: "E|HTTP/2 session has too many origins",
    ERR_HTTP2_TRAILERS_ALREADY_SENT: "E|Trailing headers have already been sent",
    ERR_HTTP2_TRAILERS_NOT_READY: "E|Trailing headers cannot be sent until after the wantTrailers event is emitted",
    ERR_HTTP2_UNSUPPORTED_PROTOCOL: 'E|protocol "%s" is unsupported.',
    ERR_HTTP_BODY_NOT_ALLOWED: "E|Adding content for this request method or response status is not allowed.",
    ERR_HTTP_CONTENT_LENGTH_MISMATCH:
      "E|Response body's content-length of %s byte(s) does not match the content-length of %s byte(s) set in header",
    ERR_HTTP_HEADERS_SENT: "E|Cannot %s headers after they are sent to the client",
    ERR_HTTP_INVALID_HEADER_VALUE: 'T|Invalid value "%s" for header "%s"',
    ERR_HTTP_INVALID_STATUS_CODE: "R|Invalid status code: %s",
    ERR_HTTP_REQUEST_TIMEOUT: "E|Request timeout",
    ERR_HTTP_SOCKET_ASSIGNED: "E|ServerResponse has an already assigned socket",
    ERR_HTTP_SOCKET_ENCODING: "E|Changing the socket encoding is not allowed per RFC7230 Section 3.",
    ERR_HTTP_TRAILER_INVALID: "E|Trailers are invalid with this transfer encoding",
    ERR_ILLEGAL_CONSTRUCTOR: "T|Illegal constructor",
    ERR_IMPORT_ATTRIBUTE_MISSING: "T|*",
    ERR_IMPORT_ATTRIBUTE_TYPE_INCOMPATIBLE: 'T|Module "%s" is not of type "%s"',
    ERR_IMPORT_ATTRIBUTE_UNSUPPORTED: "T|*",
    ERR_INCOMPATIBLE_OPTION_PAIR: 'T|Option "%s" cannot be used in combination with option "%s"',
    ERR_INPUT_TYPE_NOT_ALLOWED: "E|--input-type can only be used with string input via --eval, --print, or STDIN",
    ERR_INSPECTOR_ALREADY_ACTIVATED:
      "E|Inspector is already activated. Close it with inspector.close() before activating it again.",
    ERR_INSPECTOR_ALREADY_CONNECTED: "E|%s is already connected",
    ERR_INSPECTOR_CLOSED: "E|Session was closed",
    ERR_INSPECTOR_COMMAND: "E|Inspector error %d: %s",
    ERR_INSPECTOR_NOT_ACTIVE: "E|Inspector is not active",
    ERR_INSPECTOR_NOT_AVAILABLE: "E|Inspector is not available",
    ERR_INSPECTOR_NOT_CONNECTED: "E|Session is not connected",
    ERR_INSPECTOR_NOT_WORKER: "E|Current thread is not a worker",
    ERR_INTERNAL_ASSERTION: "E|*",
    ERR_INTERNAL_ENV_FILE_OPEN_FAILED: "E|Could not open %s",
    ERR_IP_BLOCKED: "E|IP(%s) is blocked by net.BlockList",
    ERR_INVALID_ADDRESS: "E|Invalid socket address",
    ERR_INVALID_ADDRESS_FAMILY: "R|*",
    ERR_INVALID_ARG_TYPE: "T|*",
    ERR_INVALID_ARG_VALUE: "TR|*",
    ERR_INVALID_ASYNC_ID: "R|Invalid %s value: %s",
    ERR_INVALID_BUFFER_SIZE: "R|Buffer size must be a multiple of %s",
    ERR_INVALID_CHAR: "T|*",
    ERR_INVALID_CURSOR_POS: "T|Cannot set cursor row without setting its column",
    ERR_INVALID_FD: 'R|"fd" must be a positive integer: %s',
    ERR_INVALID_FD_TYPE: "T|Unsupported fd type: %s",
    ERR_INVALID_FILE_URL_HOST: 'T|File URL host must be "localhost" or empty on %s',
    ERR_INVALID_FILE_URL_PATH: "T|*",
    ERR_INVALID_HANDLE_TYPE: "T|This handle type cannot be sent",
    ERR_INVALID_HTTP_TOKEN: 'T|%s must be a valid HTTP token ["%s"]',
    ERR_INVALID_IP_ADDRESS: "T|Invalid IP address: %s",
    ERR_INVALID_MIME_SYNTAX: "T|*",
    ERR_INVALID_MODULE: "E|*",
    ERR_INVALID_MODULE_SPECIFIER: "T|*",
    ERR_INVALID_OBJECT_DEFINE_PROPERTY: "T|%s",
    ERR_INVALID_PACKAGE_CONFIG: "E|*",
    ERR_INVALID_PACKAGE_TARGET: "E|*",
    ERR_INVALID_PROTOCOL: 'T|Protocol "%s" not supported. Expected "%s"',
    ERR_INVALID_REPL_EVAL_CONFIG: 'T|Cannot specify both "breakEvalOnSigint" and "eval" for REPL',
    ERR_INVALID_REPL_INPUT: "T|%s",
    ERR_INVALID_RETURN_PROPERTY: "T|*",
    ERR_INVALID_RETURN_PROPERTY_VALUE: "T|*",
    ERR_INVALID_RETURN_VALUE: "TR|*",
    ERR_INVALID_STATE: "ETR|Invalid state: %s",
    ERR_INVALID_SYNC_FORK_INPUT: "T|Asynchronous forks do not support Buffer, TypedArray, DataView or string input: %s",
    ERR_INVALID_THIS: 'T|Value of "this" must be of type %s',
    ERR_INVALID_TRANSFER_OBJECT: "T|Found invalid object in transferList",
    ERR_INVALID_TUPLE: "T|%s must be an iterable %s tuple",
    ERR_INVALID_TYPESCRIPT_SYNTAX: "S|%s",
    ERR_INVALID_URI: "U|URI malformed",
    ERR_INVALID_URL: "T|*",
    ERR_INVALID_URL_SCHEME: "T|*",
    ERR_IPC_CHANNEL_CLOSED: "E|Channel closed",
    ERR_IPC_DISCONNECTED: "E|IPC channel is already disconnected",
    ERR_IPC_ONE_PIPE: "E|Child process can have only one IPC pipe",
    ERR_IPC_SYNC_FORK: "E|IPC cannot be used with synchronous forks",
    ERR_LOADER_CHAIN_INCOMPLETE:
      'E|"%s" did not call the next hook in its chain and did not explicitly signal a short circuit. If this is intentional, include `shortCircuit: true` in the hook\'s return.',
    ERR_LOAD_SQLITE_EXTENSION: "E|Failed to load SQLite extension",
    ERR_MEMORY_ALLOCATION_FAILED: "E|Failed to allocate memory",
    ERR_MESSAGE_TARGET_CONTEXT_UNAVAILABLE: "E|Message target context is unavailable",
    ERR_METHOD_NOT_IMPLEMENTED: "E|The %s method is not implemented",
    ERR_MISSING_ARGS: "T|*",
    ERR_MISSING_OPTION: "T|%s is required",
    ERR_MISSING_PASSPHRASE: "T|Passphrase required for encrypted key",
    ERR_MISSING_PLATFORM_FOR_WORKER:
      "E|The V8 platform used by this instance of Node does not support creating Workers",
    ERR_MISSING_TRANSFERABLE_IN_TRANSFER_LIST:
      "T|Object that needs transfer was found in message but not listed in transferList",
    ERR_MODULE_LINK_MISMATCH: "T|%s",
    ERR_MODULE_NOT_FOUND: "E|*",
    ERR_MULTIPLE_CALLBACK: "E|Callback called multiple times",
    ERR_NAPI_CONS_FUNCTION: "T|Constructor must be a function",
    ERR_NAPI_INVALID_DATAVIEW_ARGS:
      "R|byte_offset + byte_length should be less than or equal to the size in bytes of the array passed in",
    ERR_NAPI_INVALID_TYPEDARRAY_ALIGNMENT: "R|start offset of %s should be a multiple of %s",
    ERR_NAPI_INVALID_TYPEDARRAY_LENGTH: "R|Invalid typed array length",
    ERR_NON_CONTEXT_AWARE_DISABLED: "E|Loading non context-aware native addons has been disabled",
    ERR_NOT_BUILDING_SNAPSHOT: "E|Operation cannot be invoked when not building startup snapshot",
    ERR_NOT_IMPLEMENTED: "E|%s is not implemented in bao",
    ERR_NOT_IN_SINGLE_EXECUTABLE_APPLICATION:
      "E|Operation cannot be invoked when not in a single-executable application",
    ERR_NOT_SUPPORTED_IN_SNAPSHOT: "E|%s is not supported in startup snapshot",
    ERR_NO_CRYPTO: "E|Node.js is not compiled with OpenSSL crypto support",
    ERR_NO_ICU: "T|%s is not supported on Node.js compiled without ICU",
    ERR_OPERATION_FAILED: "ET|Operation failed: %s",
    ERR_OPTIONS_BEFORE_BOOTSTRAPPING: "E|Should not query options before bootstrapping is done",
    ERR_OUT_OF_RANGE: "R|*",
    ERR_PACKAGE_IMPORT_NOT_DEFINED: "T|*",
    ERR_PACKAGE_PATH_NOT_EXPORTED: "E|*",
    ERR_PARSE_ARGS_INVALID_OPTION_VALUE: "T|%s",
    ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL: "T|Unexpected argument '%s'. This command does not take positional arguments",
    ERR_PARSE_ARGS_UNKNOWN_OPTION: "T|*",
    ERR_PERFORMANCE_INVALID_TIMESTAMP: "T|%d is not a valid timestamp",
    ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS: "T|%s",
    ERR_PROTO_ACCESS: "E|Accessing Object.prototype.__proto__ has been disallowed with --disable-proto=throw",
    ERR_PROXY_INVALID_CONFIG: "E|%s",
    ERR_PROXY_TUNNEL: "E|%s",
    ERR_QUIC_APPLICATION_ERROR: "E|A QUIC application error occurred. %d [%s]",
    ERR_QUIC_CONNECTION_FAILED: "E|QUIC connection failed",
    ERR_QUIC_ENDPOINT_CLOSED: "E|QUIC endpoint closed: %s (%d)",
    ERR_QUIC_OPEN_STREAM_FAILED: "E|Failed to open QUIC stream",
    ERR_QUIC_TRANSPORT_ERROR: "E|A QUIC transport error occurred. %d [%s]",
    ERR_QUIC_VERSION_NEGOTIATION_ERROR: "E|The QUIC session requires version negotiation",
    ERR_REQUIRE_ASYNC_MODULE: "E|*",
    ERR_REQUIRE_CYCLE_MODULE: "E|%s",
    ERR_REQUIRE_ESM: "E|*",
    ERR_REQUIRE_ESM_RACE_CONDITION:
      "E|Cannot require() ES Module %s because it is not yet fully loaded. This may be caused by a race condition if the module is simultaneously dynamically import()-ed via Promise.all(). Try await-ing the import() sequentially in a loop instead.",
    ERR_SCRIPT_EXECUTION_INTERRUPTED: "E|Script execution was interrupted by `SIGINT`",
    ERR_SCRIPT_EXECUTION_TIMEOUT: "E|Script execution timed out after %dms",
    ERR_SERVER_ALREADY_LISTEN: "E|Listen method has been called more than once without closing.",
    ERR_SERVER_NOT_RUNNING: "E|Server is not running.",
    ERR_SINGLE_EXECUTABLE_APPLICATION_ASSET_NOT_FOUND: "E|Cannot find asset %s for the single executable application",
    ERR_SOCKET_ALREADY_BOUND: "E|Socket is already bound",
    ERR_SOCKET_BAD_BUFFER_SIZE: "T|Buffer size must be a positive integer",
    ERR_SOCKET_BAD_PORT: "R|*",
    ERR_SOCKET_BAD_TYPE: "T|Bad socket type specified. Valid types are: udp4, udp6",
    ERR_SOCKET_BUFFER_SIZE: "Y|Could not get or set buffer size",
    ERR_SOCKET_CLOSED: "E|Socket is closed",
    ERR_SOCKET_CLOSED_BEFORE_CONNECTION: "E|Socket closed before the connection was established",
    ERR_SOCKET_CONNECTION_TIMEOUT: "E|Socket connection timeout",
    ERR_SOCKET_DGRAM_IS_CONNECTED: "E|Already connected",
    ERR_SOCKET_DGRAM_NOT_CONNECTED: "E|Not connected",
    ERR_SOCKET_DGRAM_NOT_RUNNING: "E|Not running",
    ERR_SQLITE_ERROR: "E|%s",
    ERR_STREAM_ALREADY_FINISHED: "E|Cannot call %s after a stream was finished",
    ERR_SOURCE_MAP_CORRUPT: "E|The source map for '%s' does not exist or is corrupt.",
    ERR_SOURCE_MAP_MISSING_SOURCE: "E|Cannot find '%s' imported from the source map for '%s'",
    ERR_STREAM_CANNOT_PIPE: "E|Cannot pipe, not readable",
    ERR_STREAM_DESTROYED: "E|Cannot call %s after a stream was destroyed",
    ERR_STREAM_ITER_MISSING_FLAG: "T|The stream/iter API requires the --experimental-stream-iter flag",
    ERR_STREAM_NULL_VALUES: "T|May not write null values to stream",
    ERR_STREAM_PREMATURE_CLOSE: "E|Premature close",
    ERR_STREAM_PUSH_AFTER_EOF: "E|stream.push() after EOF",
    ERR_STREAM_UNABLE_TO_PIPE: "E|Cannot pipe to a closed or destroyed stream",
    ERR_STREAM_UNSHIFT_AFTER_END_EVENT: "E|stream.unshift() after end event",
    ERR_STREAM_WRAP: "E|Stream has StringDecoder set or is in objectMode",
    ERR_STREAM_WRITE_AFTER_END: "E|write after end",
    ERR_STRING_TOO_LONG: "E|Cannot create a string longer than 0x%s characters",
    ERR_SYNTHETIC: "E|JavaScript Callstack",
    ERR_SYSTEM_ERROR: "Y|A system error occurred",
    ERR_TEST_FAILURE: "E|*",
    ERR_THROTTLED: "E|%s",
    ERR_TLS_ALPN_CALLBACK_INVALID_RESULT: "T|*",
    ERR_TLS_ALPN_CALLBACK_WITH_PROTOCOLS: "T|The ALPNCallback and ALPNProtocols TLS options are mutually exclusive",
    ERR_TLS_CERT_ALTNAME_FORMAT: "S|Invalid subject alternative name string",
    ERR_TLS_CERT_ALTNAME_INVALID: "E|*",
    ERR_TLS_DH_PARAM_SIZE: "E|DH parameter size %s is less than 2048",
    ERR_TLS_HANDSHAKE_TIMEOUT: "E|TLS handshake timeout",
    ERR_TLS_INVALID_CONTEXT: "T|%s must be a SecureContext",
    ERR_TLS_INVALID_PROTOCOL_METHOD: "T|%s",
    ERR_TLS_INVALID_PROTOCOL_VERSION: "T|%j is not a valid %s TLS protocol version",
    ERR_TLS_INVALID_STATE: "E|TLS socket connection must be securely established",
    ERR_TLS_PROTOCOL_VERSION_CONFLICT: "T|TLS protocol version %j conflicts with secureProtocol %j",
    ERR_TLS_PSK_SET_IDENTITY_HINT_FAILED: "E|Failed to set PSK identity hint",
    ERR_TLS_RENEGOTIATION_DISABLED: "E|TLS session renegotiation disabled for this socket",
    ERR_TLS_REQUIRED_SERVER_NAME: 'E|"servername" is required parameter for Server.addContext',
    ERR_TLS_SESSION_ATTACK: "E|TLS session renegotiation attack detected",
    ERR_TLS_SNI_FROM_SERVER: "E|Cannot issue SNI from a TLS server-side socket",
    ERR_TRACE_EVENTS_CATEGORY_REQUIRED: "T|At least one category is required",
    ERR_TRACE_EVENTS_UNAVAILABLE: "E|Trace events are unavailable",
    ERR_TRAILING_JUNK_AFTER_STREAM_END: "T|Trailing junk found after the end of the compressed stream",
    ERR_TTY_INIT_FAILED: "Y|TTY initialization failed",
    ERR_UNAVAILABLE_DURING_EXIT: "E|Cannot call function in process exit handler",
    ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET:
      "E|`process.setupUncaughtExceptionCapture()` was called while a capture callback was already active",
    ERR_UNESCAPED_CHARACTERS: "T|%s contains unescaped characters",
    ERR_UNHANDLED_ERROR: "E|*",
    ERR_UNKNOWN_BUILTIN_MODULE: "E|No such built-in module: %s",
    ERR_UNKNOWN_CREDENTIAL: "E|%s identifier does not exist: %s",
    ERR_UNKNOWN_ENCODING: "T|Unknown encoding: %s",
    ERR_UNKNOWN_FILE_EXTENSION: 'T|Unknown file extension "%s" for %s',
    ERR_UNKNOWN_MODULE_FORMAT: "R|Unknown module format: %s for URL %s",
    ERR_UNKNOWN_SIGNAL: "T|Unknown signal: %s",
    ERR_UNSUPPORTED_DIR_IMPORT: "E|*",
    ERR_UNSUPPORTED_ESM_URL_SCHEME: "E|*",
    ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING:
      'E|Stripping types is currently unsupported for files under node_modules, for "%s"',
    ERR_UNSUPPORTED_RESOLVE_REQUEST:
      'T|Failed to resolve module specifier "%s" from "%s": Invalid relative URL or base scheme is not hierarchical.',
    ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX: "S|%s",
    ERR_USE_AFTER_CLOSE: "E|%s was closed",
    ERR_VALID_PERFORMANCE_ENTRY_TYPE: "E|At least one valid performance entry type is required",
    ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING: "T|A dynamic import callback was not specified.",
    ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG:
      "T|A dynamic import callback was invoked without --experimental-vm-modules",
    ERR_VM_MODULE_ALREADY_LINKED: "E|Module has already been linked",
    ERR_VM_MODULE_CACHED_DATA_REJECTED: "E|cachedData buffer was rejected",
    ERR_VM_MODULE_CANNOT_CREATE_CACHED_DATA: "E|Cached data cannot be created for a module which has been evaluated",
    ERR_VM_MODULE_DIFFERENT_CONTEXT: "E|Linked modules must use the same context",
    ERR_VM_MODULE_LINK_FAILURE: "E|*",
    ERR_VM_MODULE_NOT_MODULE: "E|Provided module is not an instance of Module",
    ERR_VM_MODULE_STATUS: "E|Module status %s",
    ERR_WASI_ALREADY_STARTED: "E|WASI instance has already started",
    ERR_WASI_NOT_STARTED: "E|wasi.start() has not been called",
    ERR_WEBASSEMBLY_RESPONSE: "T|WebAssembly response %s",
    ERR_WORKER_HANDLE_NOT_RUNNING: "E|Worker instance not running",
    ERR_WORKER_INIT_FAILED: "E|Worker initialization failure: %s",
    ERR_WORKER_INVALID_EXEC_ARGV: "E|*",
    ERR_WORKER_MESSAGING_ERRORED: "E|The destination thread threw an error while processing the message",
    ERR_WORKER_MESSAGING_FAILED: "E|Cannot find the destination thread or listener",
    ERR_WORKER_MESSAGING_SAME_THREAD: "E|Cannot sent a message to the same thread",
    ERR_WORKER_MESSAGING_TIMEOUT: "E|Sending a message to another thread timed out",
    ERR_WORKER_NOT_RUNNING: "E|Worker instance not running",
    ERR_WORKER_OUT_OF_MEMORY: "E|Worker terminated due to reaching memory limit: %s",
    ERR_WORKER_PATH: "T|*",
    ERR_WORKER_UNSERIALIZABLE_ERROR: "E|Serializing an uncaught exception failed",
    ERR_WORKER_UNSUPPORTED_OPERATION: "T|%s is not supported in workers",
    ERR_ZLIB_INITIALIZATION_FAILED: "E|Initialization failed",
    ERR_ZSTD_INVALID_PARAM: "R|%s is not a valid zstd parameter",
  };
}

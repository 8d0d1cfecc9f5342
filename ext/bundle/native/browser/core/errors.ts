// Errors with Node's codes for browsers: of the table of ext/core/errors.ts what the modules for browsers throw.

const { isArray } = Array;
const { defineProperty } = Object;

/** Present (true) on every error made from `codes`. */
export const kIsNodeError = Symbol("kIsNodeError");

type Base = new (message?: string) => Error;
type Made = (this: { [name: string]: unknown }, ...values: never[]) => string;
type ErrorClass = { new (...values: unknown[]): Error & { code: string }; [name: string]: unknown };

/** A value in the words of messages. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return ` Received ${value}`;
  if (typeof value === "function") return ` Received function ${value.name}`;
  if (typeof value === "object") {
    const name: unknown = value.constructor?.name;
    return name ? ` Received an instance of ${name as string}` : " Received an object without a constructor";
  }
  let text = brief(value);
  if (text.length > 28) text = `${text.slice(0, 25)}...`;
  return ` Received type ${typeof value} (${text})`;
}

const brief = (value: unknown): string => require("internal/util/inspect").inspect(value);

const kinds = ["string", "function", "number", "object", "Function", "Object", "boolean", "bigint", "symbol"];

function list(words: string[]): string {
  if (words.length < 3) return words.join(" or ");
  return `${words.slice(0, -1).join(", ")}, or ${words.at(-1)}`;
}

function argumentType(name: string, expected: string | string[], value: unknown): string {
  const all = isArray(expected) ? expected : [expected];
  const types = all.filter((word) => kinds.includes(word)).map((word) => word.toLowerCase());
  const classes = all.filter((word) => !kinds.includes(word) && /^[A-Z]/.test(word));
  const others = all.filter((word) => !kinds.includes(word) && !/^[A-Z]/.test(word));
  const parts = [
    types.length > 0 ? `${types.length > 1 ? "one of type" : "of type"} ${list(types)}` : "",
    classes.length > 0 ? `an instance of ${list(classes)}` : "",
    others.length > 1 ? `one of ${list(others)}` : others.length > 0 ? `${others[0]}` : "",
  ].filter((part) => part !== "");
  const what = name.endsWith(" argument") ? name : `"${name}" ${name.includes(".") ? "property" : "argument"}`;
  return `The ${what} must be ${parts.join(" or ")}.${describe(value)}`;
}

function outOfRange(name: string, range: string, value: unknown, replaces = false): string {
  const digits = (text: string) => text.replace(/\B(?=(?:\d{3})+$)/g, "_");
  let text = typeof value === "bigint" || Number.isInteger(value) ? String(value) : brief(value);
  if (/^-?\d+$/.test(text) && Math.abs(Number(value)) > 2 ** 32) text = digits(text);
  const received = typeof value === "bigint" ? `${text}n` : text;
  return `${replaces ? name : `The value of "${name}" is out of range.`} It must be ${range}. Received ${received}`;
}

const e = Error;
const t = TypeError;
const r = RangeError;

/** Classes and messages by code; `%s` is filled in. */
const table: { [code: string]: [Base, string | Made] } = {
  ERR_AMBIGUOUS_ARGUMENT: [t, 'The "%s" argument is ambiguous. %s'],
  ERR_ASSERTION: [e, "%s"],
  ERR_BUFFER_OUT_OF_BOUNDS: [
    r,
    (name?: string) =>
      name ? `"${name}" is outside of buffer bounds` : "Attempt to access memory outside buffer bounds",
  ],
  ERR_CONSTRUCT_CALL_REQUIRED: [t, "Class constructor %s cannot be invoked without `new`"],
  ERR_CRYPTO_INVALID_DIGEST: [t, "Invalid digest: %s"],
  ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH: [r, "Input buffers must have the same byte length"],
  ERR_INVALID_ARG_TYPE: [t, argumentType],
  ERR_INVALID_ARG_VALUE: [
    t,
    (name: string, value: unknown, reason = "is invalid") =>
      `The ${name.includes(".") ? "property" : "argument"} '${name}' ${reason}. Received ${brief(value)}`,
  ],
  ERR_INVALID_BUFFER_SIZE: [r, "Buffer size must be a multiple of %s"],
  ERR_INVALID_FILE_URL_HOST: [t, 'File URL host must be "localhost" or empty on %s'],
  ERR_INVALID_FILE_URL_PATH: [t, "File URL path %s"],
  ERR_INVALID_MIME_SYNTAX: [
    t,
    (production: string, text: string, at: number) =>
      `The MIME syntax for a ${production} in "${text}" is invalid${at !== -1 ? ` at ${at}` : ""}`,
  ],
  ERR_INVALID_RETURN_VALUE: [
    t,
    (input: string, name: string, value: unknown) =>
      `Expected ${input} to be returned from the "${name}" function but got${describe(value).replace(" Received", "")}.`,
  ],
  ERR_INVALID_STATE: [e, "Invalid state: %s"],
  ERR_INVALID_THIS: [t, 'Value of "this" must be of type %s'],
  ERR_INVALID_URI: [URIError, "URI malformed"],
  ERR_INVALID_URL: [
    t,
    function (input: unknown, base?: unknown) {
      this.input = input;
      if (base !== undefined) this.base = base;
      return "Invalid URL";
    },
  ],
  ERR_INVALID_URL_SCHEME: [
    t,
    (expected: string | string[]) => `The URL must be of scheme ${isArray(expected) ? list(expected) : expected}`,
  ],
  ERR_METHOD_NOT_IMPLEMENTED: [e, "The %s method is not implemented"],
  ERR_MISSING_ARGS: [
    t,
    (...names: (string | string[])[]) => {
      const quoted = names.map((name) => (isArray(name) ? name.map((one) => `"${one}"`).join(" or ") : `"${name}"`));
      const last = quoted.length > 1 ? `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}` : quoted[0];
      return `The ${last} argument${quoted.length > 1 ? "s" : ""} must be specified`;
    },
  ],
  ERR_MULTIPLE_CALLBACK: [e, "Callback called multiple times"],
  ERR_NOT_IMPLEMENTED: [e, "%s is not implemented for browsers"],
  ERR_OUT_OF_RANGE: [r, outOfRange],
  ERR_PARSE_ARGS_INVALID_OPTION_VALUE: [t, "%s"],
  ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL: [
    t,
    "Unexpected argument '%s'. This command does not take positional arguments",
  ],
  ERR_PARSE_ARGS_UNKNOWN_OPTION: [t, "Unknown option '%s'"],
  ERR_SOCKET_BAD_PORT: [
    r,
    (name: string, port: unknown) => `${name} should be >= 0 and < 65536. Received ${brief(port)}.`,
  ],
  ERR_STREAM_ALREADY_FINISHED: [e, "Cannot call %s after a stream was finished"],
  ERR_STREAM_CANNOT_PIPE: [e, "Cannot pipe, not readable"],
  ERR_STREAM_DESTROYED: [e, "Cannot call %s after a stream was destroyed"],
  ERR_STREAM_NULL_VALUES: [t, "May not write null values to stream"],
  ERR_STREAM_PREMATURE_CLOSE: [e, "Premature close"],
  ERR_STREAM_PUSH_AFTER_EOF: [e, "stream.push() after EOF"],
  ERR_STREAM_UNABLE_TO_PIPE: [e, "Cannot pipe to a closed or destroyed stream"],
  ERR_STREAM_UNSHIFT_AFTER_END_EVENT: [e, "stream.unshift() after end event"],
  ERR_STREAM_WRITE_AFTER_END: [e, "write after end"],
  ERR_THROTTLED: [e, "%s"],
  ERR_UNHANDLED_ERROR: [
    e,
    (error?: unknown) => (error === undefined ? "Unhandled error." : `Unhandled error. (${error as string})`),
  ],
  ERR_UNKNOWN_ENCODING: [t, "Unknown encoding: %s"],
  ERR_UNKNOWN_SIGNAL: [t, "Unknown signal: %s"],
};

function classOf(code: string): ErrorClass {
  const [Main, message] = table[code] ?? [e, code];
  const make = (Class: Base) =>
    class NodeError extends Class {
      declare code: string;
      constructor(...values: unknown[]) {
        super();
        this.code = code;
        const own = this as unknown as { [name: string]: unknown };
        const text =
          typeof message === "string"
            ? message.replace(/%s/g, () => String(values.shift()))
            : Reflect.apply(message, own, values as never[]);
        defineProperty(this, "message", { value: text, configurable: true, writable: true });
        defineProperty(this, kIsNodeError, { value: true });
      }

      get ["constructor"]() {
        return Class;
      }

      toString() {
        return `${this.name} [${code}]: ${this.message}`;
      }
    } as unknown as ErrorClass;
  const made = make(Main);
  made.HideStackFramesError = made;
  for (const Class of [t, r] as Base[]) if (Class !== Main) made[Class.name] = make(Class);
  return made;
}

const made: { [code: string]: ErrorClass } = Object.create(null);

/** Error classes by code, made when they are asked for. */
export const codes: { readonly [code: string]: ErrorClass } = new Proxy(made, {
  get: (target, code: string) => (target[code] ??= classOf(code)),
});

/** Given when an operation is cancelled by an AbortSignal. `code` is "ABORT_ERR". */
export class AbortError extends Error {
  code = "ABORT_ERR";
  constructor(message = "The operation was aborted", options?: ErrorOptions) {
    super(message, options);
    this.name = "AbortError";
  }
}

export function isStackOverflowError(error: unknown): boolean {
  return error instanceof RangeError || (error as Error | null)?.name === "InternalError";
}

export function genericNodeError(message: string, properties: object): Error {
  return Object.assign(new Error(message), properties);
}

/** An AggregateError of both, or the one that there is. */
export function aggregateTwoErrors(inner: unknown, outer: unknown): unknown {
  if (!inner || !outer || inner === outer) return inner || outer;
  const { errors, message, code } = outer as AggregateError & { code?: string };
  if (isArray(errors)) {
    errors.push(inner);
    return outer;
  }
  return Object.assign(new AggregateError([outer, inner], message), { code });
}

/** Stacks have all frames here. */
export function hideStackFrames<F extends (...values: never[]) => unknown>(fn: F): F & { withoutStackTrace: F } {
  return Object.assign(fn, { withoutStackTrace: fn });
}

export function hideFrom<T>(error: T, _above: Function): T {
  return error;
}

/** Browsers make no system calls whose numbers of errors they could tell. */
export function getSystemErrorName(number: number): string {
  return `Unknown system error ${number}`;
}

export function errnoException(number: number, syscall: string, original?: string): Error {
  const code = getSystemErrorName(number);
  return genericNodeError(`${syscall} ${code}${original ? ` ${original}` : ""}`, { errno: number, code, syscall });
}

export function exceptionWithHostPort(number: number, syscall: string, address: string, port: number): Error {
  return Object.assign(errnoException(number, syscall, `${address}:${port}`), { address, port });
}

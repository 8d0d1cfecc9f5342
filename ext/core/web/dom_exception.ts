// DOMException (Web IDL standard, https://webidl.spec.whatwg.org/#idl-DOMException).

// [name, constant, legacy code]; names without a constant have code 0.
const legacy: Record<string, [string, number]> = {
  IndexSizeError: ["INDEX_SIZE_ERR", 1],
  HierarchyRequestError: ["HIERARCHY_REQUEST_ERR", 3],
  WrongDocumentError: ["WRONG_DOCUMENT_ERR", 4],
  InvalidCharacterError: ["INVALID_CHARACTER_ERR", 5],
  NoModificationAllowedError: ["NO_MODIFICATION_ALLOWED_ERR", 7],
  NotFoundError: ["NOT_FOUND_ERR", 8],
  NotSupportedError: ["NOT_SUPPORTED_ERR", 9],
  InUseAttributeError: ["INUSE_ATTRIBUTE_ERR", 10],
  InvalidStateError: ["INVALID_STATE_ERR", 11],
  SyntaxError: ["SYNTAX_ERR", 12],
  InvalidModificationError: ["INVALID_MODIFICATION_ERR", 13],
  NamespaceError: ["NAMESPACE_ERR", 14],
  InvalidAccessError: ["INVALID_ACCESS_ERR", 15],
  TypeMismatchError: ["TYPE_MISMATCH_ERR", 17],
  SecurityError: ["SECURITY_ERR", 18],
  NetworkError: ["NETWORK_ERR", 19],
  AbortError: ["ABORT_ERR", 20],
  URLMismatchError: ["URL_MISMATCH_ERR", 21],
  QuotaExceededError: ["QUOTA_EXCEEDED_ERR", 22],
  TimeoutError: ["TIMEOUT_ERR", 23],
  InvalidNodeTypeError: ["INVALID_NODE_TYPE_ERR", 24],
  DataCloneError: ["DATA_CLONE_ERR", 25],
};
// Constants whose names are gone from the standard's table of error names.
const unnamed: Array<[string, number]> = [
  ["DOMSTRING_SIZE_ERR", 2],
  ["NO_DATA_ALLOWED_ERR", 6],
  ["VALIDATION_ERR", 16],
];

// Installs the private state on an object made by another constructor: a base class constructor that returns an
// object makes the derived class put its private fields there.
class Returned {
  constructor(object: object) {
    return object;
  }
}
class State extends Returned {
  #name: string;
  #message: string;
  constructor(error: Error, name: string, message: string) {
    super(error);
    this.#name = name;
    this.#message = message;
  }
  static is(value: unknown): value is State {
    return typeof value === "object" && value !== null && #name in value;
  }
  static nameOf(error: unknown): string {
    if (!State.is(error)) invalidThis();
    return error.#name;
  }
  static messageOf(error: unknown): string {
    if (!State.is(error)) invalidThis();
    return error.#message;
  }
}

function invalidThis(): never {
  const { codes } = require("internal/core/errors");
  throw new codes.ERR_INVALID_THIS("DOMException");
}

const { captureStackTrace } = Error;

/**
 * `new DOMException(message = "", nameOrOptions = "Error")`; options are `{ name, cause }` as in Node. The object is
 * a real Error (Error.isError() is true, it has a stack), and survives structuredClone().
 */
export class DOMException {
  constructor(message: string = "", options: unknown = "Error") {
    message = `${message}`;
    const hasOptions = typeof options === "object" && options !== null;
    let name = "Error";
    if (!hasOptions) name = `${options}`;
    else if ("name" in options && options.name !== undefined) name = `${options.name}`;
    const error = Reflect.construct(Error, [], new.target) as DOMException & Error;
    new State(error, name, message);
    if (hasOptions && "cause" in options) {
      Object.defineProperty(error, "cause", {
        value: options.cause,
        configurable: true,
        writable: true,
        enumerable: false,
      });
    }
    // The header of the stack shows name and message, which exist only now. `new` frames are left out.
    if (captureStackTrace !== undefined) captureStackTrace(error, new.target);
    return error;
  }

  /** One of the names of the standard's table, or whatever was given. */
  get name(): string {
    return State.nameOf(this);
  }

  get message(): string {
    return State.messageOf(this);
  }

  /** The legacy code of `name`, 0 for names that never had one. */
  get code(): number {
    const name = State.nameOf(this);
    return Object.hasOwn(legacy, name) ? legacy[name]![1] : 0;
  }
}

const { defineProperty, setPrototypeOf } = Object;
setPrototypeOf(DOMException.prototype, Error.prototype);
for (const key of ["name", "message", "code"]) defineProperty(DOMException.prototype, key, { enumerable: true });
defineProperty(DOMException.prototype, Symbol.toStringTag, { configurable: true, value: "DOMException" });
for (const [constant, code] of [...Object.values(legacy), ...unnamed].sort((a, b) => a[1] - b[1])) {
  const descriptor = { enumerable: true, value: code };
  defineProperty(DOMException, constant, descriptor);
  defineProperty(DOMException.prototype, constant, descriptor);
}

/**
 * QuotaExceededError (Web IDL): a DOMException with that name and, when given, non-negative numbers `quota` and
 * `requested`; a RangeError is thrown for negative ones or requested < quota.
 */
export class QuotaExceededError extends DOMException {
  #quota: number | null;
  #requested: number | null;
  constructor(message: string | undefined = "", options: { quota?: unknown; requested?: unknown } | null = {}) {
    super(message, "QuotaExceededError");
    this.#quota = quotaNumber(options?.quota, "quota");
    this.#requested = quotaNumber(options?.requested, "requested");
    if (this.#quota !== null && this.#requested !== null && this.#requested < this.#quota) {
      throw new RangeError("options.requested must not be less than options.quota");
    }
  }
  get quota(): number | null {
    return this.#quota;
  }
  get requested(): number | null {
    return this.#requested;
  }
}
defineProperty(QuotaExceededError.prototype, Symbol.toStringTag, { configurable: true, value: "QuotaExceededError" });
for (const key of ["quota", "requested"]) defineProperty(QuotaExceededError.prototype, key, { enumerable: true });

function quotaNumber(value: unknown, name: string): number | null {
  if (value === undefined) return null;
  value = +(value as number);
  if (!Number.isFinite(value)) throw new TypeError(`options.${name} is not a finite number`);
  if ((value as number) < 0) throw new RangeError(`options.${name} must not be negative`);
  return value as number;
}

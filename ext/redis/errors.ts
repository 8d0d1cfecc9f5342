/** Errors of a connection to Redis, with Bun's names and codes. */

/** What a server answers, or what happened to the connection; `code` begins with ERR_REDIS_. */
export class RedisError extends Error {
  declare code: string;
  /** Who was refused, and by which server: of an error of the authentication. */
  declare username?: string;
  declare address?: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = `ERR_REDIS_${code}`;
  }
}
Object.defineProperty(RedisError.prototype, "name", { value: "RedisError", writable: true, configurable: true });
// As Bun's, which have no class: snapshots show that of the constructor.
Object.defineProperty(RedisError.prototype, "constructor", { value: Error, writable: true, configurable: true });

/** A certificate that is refused, in the words of Bun's TLS. */
export function refusal(error: Error): Error {
  error.message = error.message.replace(/^self-signed /, "self signed ");
  return error;
}

export const closed = (): RedisError => new RedisError("CONNECTION_CLOSED", "Connection closed");

/** Of a command that is called while there is no connection, and that may not wait for one. */
export const offline = (): RedisError =>
  new RedisError("CONNECTION_CLOSED", "Connection is closed and offline queue is disabled");

/** Of a command that is called after `close()`. */
export const ended = (): RedisError => new RedisError("CONNECTION_CLOSED", "Connection has failed");

function typeError(code: string, message: string): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = code;
  return error as TypeError;
}

export const wrongType = (command: string, name: string, expected: string): TypeError =>
  typeError("ERR_INVALID_ARG_TYPE", `Expected ${name} to be a ${expected} for '${command}'.`);
export const missing = (name: string): TypeError =>
  typeError("ERR_MISSING_ARGS", `The "${name}" argument must be specified`);
export const wrongValue = (message: string): TypeError => typeError("ERR_INVALID_ARG_TYPE", message);
export const wrongProperty = (name: string, type: string, value: unknown): TypeError =>
  wrongValue(`The "${name}" property must be of type ${type}. Received ${typeof value}`);

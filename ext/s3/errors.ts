/** Errors of S3, with Bun's names and codes. */

/** What a server refuses, or what is missing to ask it; `code` is the server's, or begins with ERR_S3_. */
export class S3Error extends Error {
  declare code: string;
  declare path: string;
  constructor(code: string, message: string, path: string) {
    super(message);
    Object.defineProperty(this, "code", { value: code, writable: true, configurable: true });
    this.path = path;
  }
}
Object.defineProperty(S3Error.prototype, "name", { value: "S3Error", writable: true, configurable: true });

export function typeError(message: string, code = "ERR_INVALID_ARG_TYPE"): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = code;
  return error as TypeError;
}

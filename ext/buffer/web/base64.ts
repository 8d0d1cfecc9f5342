/** `atob` and `btoa` (https://html.spec.whatwg.org/multipage/webappapis.html#atob). */
import { codes } from "internal/core/errors";

const ops = native("encoding");

function invalidCharacter(message: string): Error {
  const { DOMException } = require("web/dom_exception");
  return new DOMException(message, "InvalidCharacterError");
}

/**
 * Base64 of the bytes that the characters of `input` stand for.
 * Throws a DOMException InvalidCharacterError for characters above U+00FF.
 */
export function btoa(input: unknown): string {
  if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("input");
  const result = ops.btoa(`${input}`);
  if (result === undefined) throw invalidCharacter("Invalid character");
  return result;
}

/**
 * The bytes, one per character, that base64 text stands for, by the "forgiving-base64 decode" algorithm.
 * Throws a DOMException InvalidCharacterError for other text.
 */
export function atob(input: unknown): string {
  if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("input");
  const result = ops.atob(`${input}`);
  if (result === undefined) {
    throw invalidCharacter(
      /[^A-Za-z0-9+/=\s]/.test(`${input}`) ? "Invalid character" : "The string to be decoded is not correctly encoded.",
    );
  }
  return result;
}

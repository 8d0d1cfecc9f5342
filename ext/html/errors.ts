/** Errors of HTMLRewriter, with Bun's names and codes. */

/** What lol_html says about a selector, a name or a text, and use of what is no longer current. */
export class HTMLRewriterError extends Error {}
Object.defineProperty(HTMLRewriterError.prototype, "name", {
  value: "HTMLRewriterError",
  writable: true,
  configurable: true,
});

/** A TypeError with the code that Bun gives for wrong arguments. */
export function argumentError(message: string): TypeError {
  const error = new TypeError(message) as TypeError & { code: string };
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
}

export const expectedString = (): TypeError => argumentError("Expected string");

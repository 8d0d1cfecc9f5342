// `util.styleText` (https://nodejs.org/api/util.html#utilstyletextformat-text-options).

import { codes } from "internal/core/errors";
import { inspect } from "internal/util/inspect";
import { validateBoolean, validateObject, validateOneOf, validateString } from "internal/core/validators";

const hexColor = /^#(?:([0-9a-f])([0-9a-f])([0-9a-f])|([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2}))$/i;

/** SGR parameters that switch a format on and off. */
function codesOf(format: string): [string, string] {
  const hex = typeof format === "string" ? hexColor.exec(format) : null;
  if (hex !== null) {
    const parts = hex[1] !== undefined ? hex.slice(1, 4).map((digit) => digit + digit) : hex.slice(4);
    return [`38;2;${parts.map((part) => parseInt(part, 16)).join(";")}`, "39"];
  }
  const pair = typeof format === "string" ? inspect.colors[format] : undefined;
  if (pair === undefined) validateOneOf(format, "format", Object.keys(inspect.colors));
  return [`${pair![0]}`, `${pair![1]}`];
}

/**
 * `text` in a colour or style: names of `inspect.colors`, "#RGB", "#RRGGBB", "none", or a list of them, the first one
 * outermost. Options: stream (process.stdout): plain text if it shows no colours; validateStream (true): whether to look.
 */
export function styleText(format: unknown, text: string, options?: unknown): string {
  validateString(text, "text");
  if (options !== undefined) validateObject(options, "options");
  const { validateStream = true, stream } = options ?? {};
  validateBoolean(validateStream, "options.validateStream");
  let plain = false;
  if (validateStream) {
    const colors = require("internal/util/colors");
    if (stream === undefined) {
      // process.stdout, if possible without making it.
      const { stdout } = require("internal/console/state");
      plain = !(stdout === undefined ? colors.fdHasColors(1) : colors.shouldColorize(stdout));
    } else {
      if (!isStream(stream)) {
        throw new codes.ERR_INVALID_ARG_TYPE("stream", ["ReadableStream", "WritableStream", "Stream"], stream);
      }
      plain = !colors.shouldColorize(stream);
    }
  }

  const formats = Array.isArray(format) ? format : [format];
  for (let i = formats.length - 1; i >= 0; i--) {
    if (formats[i] === "none") continue;
    const [on, off] = codesOf(formats[i]);
    if (plain) continue;
    const open = `\u001b[${on}m`;
    const close = `\u001b[${off}m`;
    // A part inside that ends with the same code would end this format too: it is switched on again there. Bold and dim
    // share their end and add up, so there the end must stay.
    const again = off === "22" ? close + open : open;
    let inner = text;
    let at = inner.indexOf(close);
    if (at >= 0) {
      inner = "";
      let last = 0;
      for (; at >= 0 && at + close.length < text.length; at = text.indexOf(close, last)) {
        inner += text.slice(last, at) + again;
        last = at + close.length;
      }
      inner += text.slice(last);
    }
    text = open + inner + close;
  }
  return text;
}

type ColorStream = { isTTY?: boolean; getColorDepth?(): number };
/** What tells streams from other objects. */
type StreamLike = { on?: unknown; write?: unknown; pipe?: unknown; getReader?: unknown; getWriter?: unknown };

function isStream(value: unknown): value is ColorStream {
  return (
    value !== null &&
    typeof value === "object" &&
    ((typeof (value as StreamLike).on === "function" &&
      (typeof (value as StreamLike).write === "function" || typeof (value as StreamLike).pipe === "function")) ||
      typeof (value as StreamLike).getReader === "function" ||
      typeof (value as StreamLike).getWriter === "function")
  );
}

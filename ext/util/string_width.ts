// How many columns a string takes in a terminal.

const binding = native("util");

// ANSI escape sequences: CSI with its parameters, OSC up to its end, and the short ones.
const controlSequences =
  /[\u001b\u009b][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001b\u005c|\u009c))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]))/g;

/** `text` without ANSI escape sequences. */
export function stripVTControlCharacters(text: string): string {
  // Every sequence starts with one of these two.
  if (!text.includes("\u001b") && !text.includes("\u009b")) return text;
  return text.replace(controlSequences, "");
}

/**
 * Columns of `text` in a terminal, with escape sequences left out when `strip` is true. Width is that of the code points
 * after NFC; a sequence of emoji joined to one counts each.
 */
export function getStringWidth(text: string, strip = true): number {
  let ascii = true;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 127 || code < 32) {
      ascii = false;
      break;
    }
  }
  if (ascii) return text.length;
  if (strip) text = stripVTControlCharacters(text);
  return binding.columns(text.normalize("NFC"));
}

// How many columns a string takes in a terminal.

// East Asian Wide and Fullwidth code points other than emoji (Unicode's EastAsianWidth), and emoji that are drawn as such.
const wide =
  /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{16ff1}\u{17000}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
// Combining marks, format and control characters, and the Hangul vowels and final consonants that join a syllable.
const zero = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11ff]/u;
const softHyphen = "\u00ad";

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
  let width = 0;
  for (const char of text.normalize("NFC")) {
    const code = char.charCodeAt(0);
    if (code >= 32 && code < 127) width++;
    else if (wide.test(char)) width += 2;
    else if (char === softHyphen || !zero.test(char)) width++;
  }
  return width;
}

/** Finding characters and words in a line being edited. Positions count UTF-16 units, as string indexes do. */

/** Units of the character before `at`: 2 for one outside the BMP, 0 at the start of the line. */
export function charLengthLeft(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at > 1 && text.codePointAt(at - 2)! >= 0x10000) return 2;
  return 1;
}

/** Units of the character at `at`; 1 at the end of the line, where there is none to step over. */
export function charLengthAt(text: string, at: number): number {
  if (text.length <= at) return 1;
  return text.codePointAt(at)! >= 0x10000 ? 2 : 1;
}

const word = /\w/;
const space = /\s/;

function isSpecial(char: string): boolean {
  return !word.test(char) && !space.test(char);
}

/** Where the word left of `at` begins: spaces, then a run of word characters or a run of others. */
export function wordStart(text: string, at: number): number {
  while (at > 0 && space.test(text[at - 1])) at--;
  if (at === 0) return 0;
  if (word.test(text[at - 1])) {
    while (at > 0 && word.test(text[at - 1])) at--;
  } else {
    while (at > 0 && isSpecial(text[at - 1])) at--;
  }
  return at;
}

/** Where the word after the one at `at` begins. */
export function nextWordStart(text: string, at: number): number {
  const end = text.length;
  if (at >= end) return end;
  if (word.test(text[at])) {
    while (at < end && word.test(text[at])) at++;
  } else if (isSpecial(text[at])) {
    while (at < end && isSpecial(text[at])) at++;
  }
  while (at < end && space.test(text[at])) at++;
  return at;
}

/** What deleting a word to the right deletes up to: like nextWordStart, but other characters take spaces along. */
export function wordDeletionEnd(text: string, at: number): number {
  const end = text.length;
  if (at >= end) return end;
  if (space.test(text[at])) {
    while (at < end && space.test(text[at])) at++;
    return at;
  }
  if (word.test(text[at])) {
    while (at < end && word.test(text[at])) at++;
    while (at < end && space.test(text[at])) at++;
  } else {
    while (at < end && !word.test(text[at])) at++;
  }
  return at;
}

/** The longest string that all `strings` begin with. */
export function commonPrefix(strings: string[]): string {
  if (strings.length === 0) return "";
  if (strings.length === 1) return strings[0];
  const sorted = strings.slice().sort();
  // All others lie between the first and the last.
  const first = sorted[0];
  const last = sorted[sorted.length - 1];
  let i = 0;
  while (i < first.length && first[i] === last[i]) i++;
  return first.slice(0, i);
}

// The difference of two sequences of lines or characters, as AssertionError shows it and `util.diff` returns it.

import { codes } from "internal/core/errors";
import { DELETE, INSERT, listDiff } from "internal/util/list_diff";
import type { Colors } from "internal/util/colors";

/** Operations: only in the first sequence, in both, only in the second. */
const kInsert = 1;
const kNop = 0;
const kDelete = -1;

type Change = [operation: number, value: string];

/**
 * The shortest list of changes, last one first. `ignoreComma`: lines that differ in a comma at the end are the same (the
 * line with the comma is given).
 */
export function myersDiff(actual: ArrayLike<string>, expected: ArrayLike<string>, ignoreComma = false): Change[] {
  const max = actual.length + expected.length;
  if (max > 2 ** 31 - 1) throw new codes.ERR_OUT_OF_RANGE("myersDiff input size", "< 2^31", max);
  const changes: Change[] = [];
  let x = 0;
  let y = 0;
  for (const edit of listDiff(actual, expected, ignoreComma)!) {
    if (edit === DELETE) {
      changes.push([kInsert, actual[x++]!]);
    } else if (edit === INSERT) {
      changes.push([kDelete, expected[y++]!]);
    } else {
      const line = actual[x++]!;
      const other = expected[y++]!;
      changes.push([kNop, ignoreComma && !line.endsWith(",") ? other : line]);
    }
  }
  return changes.reverse();
}

/** Characters side by side, told apart by colour. */
export function printCharacterDiff(diff: Change[], colors: Colors): string {
  let text = "";
  for (let i = diff.length - 1; i >= 0; i--) {
    const [operation, value] = diff[i]!;
    const color = operation === kInsert ? colors.green : operation === kDelete ? colors.red : colors.white;
    text += `${color}${value}${colors.white}`;
  }
  return `\n${text}`;
}

// Of a run of lines that are the same this many are shown, and the last one.
const shownSame = 5;

/**
 * Lines with "+" (in actual only), "-" (in expected only) or two spaces before. `partial`: what expected lacks is no
 * difference and grey.
 */
export function printLineDiff(diff: Change[], partial: boolean, colors: Colors): { text: string; skipped: boolean } {
  let text = "";
  let skipped = false;
  let same = 0;
  for (let i = diff.length - 1; i >= 0; i--) {
    const [operation, value] = diff[i]!;
    if (i < diff.length - 1 && diff[i + 1]![0] === kNop && operation !== kNop) {
      // One or two lines are not worth an ellipsis.
      if (same === shownSame + 1) {
        text += `${colors.white}  ${diff[i + 1]![1]}\n`;
      } else if (same === shownSame + 2) {
        text += `${colors.white}  ${diff[i + 2]![1]}\n${colors.white}  ${diff[i + 1]![1]}\n`;
      } else if (same > shownSame + 2) {
        text += `${colors.blue}...${colors.white}\n${colors.white}  ${diff[i + 1]![1]}\n`;
        skipped = true;
      }
      same = 0;
    }
    if (operation === kInsert) {
      text += partial
        ? `${colors.gray}${colors.hasColors ? " " : "+"} ${value}${colors.white}\n`
        : `${colors.green}+${colors.white} ${value}\n`;
    } else if (operation === kDelete) {
      text += `${colors.red}-${colors.white} ${value}\n`;
    } else {
      if (same < shownSame) text += `${colors.white}  ${value}\n`;
      same++;
    }
  }
  return { text: `\n${text.trimEnd()}`, skipped };
}

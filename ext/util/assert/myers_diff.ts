// The difference of two sequences of lines or characters: E. Myers, "An O(ND) Difference Algorithm and Its Variations",
// Algorithmica 1 (1986).

import { codes } from "internal/core/errors";
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
  const n = actual.length;
  const m = expected.length;
  const max = n + m;
  if (max > 2 ** 31 - 1) throw new codes.ERR_OUT_OF_RANGE("myersDiff input size", "< 2^31", max);

  const same = (a: string, b: string) => a === b || (ignoreComma && (`${a},` === b || a === `${b},`));
  // Furthest x on each diagonal x - y, from -max to max; a copy per level for the way back, of the part in use.
  const v = new Int32Array(2 * max + 1);
  const trace: Int32Array[] = [];
  for (let level = 0; level <= max; level++) {
    trace.push(v.slice(max - level, max + level + 1));
    for (let diagonal = -level; diagonal <= level; diagonal += 2) {
      const at = diagonal + max;
      const down = diagonal === -level || (diagonal !== level && v[at - 1]! < v[at + 1]!);
      let x = down ? v[at + 1]! : v[at - 1]! + 1;
      let y = x - diagonal;
      while (x < n && y < m && same(actual[x]!, expected[y]!)) {
        x++;
        y++;
      }
      v[at] = x;
      if (x >= n && y >= m) return goBack(trace, actual, expected, ignoreComma);
    }
  }
  return [];
}

function goBack(trace: Int32Array[], actual: ArrayLike<string>, expected: ArrayLike<string>, ignoreComma: boolean) {
  let x = actual.length;
  let y = expected.length;
  const result: Change[] = [];
  for (let level = trace.length - 1; level >= 0; level--) {
    const v = trace[level]!;
    const diagonal = x - y;
    // The slice of this level starts at diagonal -level.
    const down = diagonal === -level || (diagonal !== level && v[diagonal - 1 + level]! < v[diagonal + 1 + level]!);
    const before = down ? diagonal + 1 : diagonal - 1;
    const previousX = level === 0 ? 0 : v[before + level]!;
    const previousY = level === 0 ? 0 : previousX - before;
    while (x > previousX && y > previousY) {
      const line = actual[x - 1]!;
      result.push([kNop, ignoreComma && !line.endsWith(",") ? expected[y - 1]! : line]);
      x--;
      y--;
    }
    if (level > 0) {
      if (x > previousX) result.push([kInsert, actual[--x]!]);
      else result.push([kDelete, expected[--y]!]);
    }
  }
  return result;
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

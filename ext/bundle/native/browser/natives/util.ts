// What ext/util asks of the native half, for browsers: columns of a text, and a shortest list of edits.

/** Blocks of characters that take two columns, by their first and last code points: East Asian scripts and emoji. */
const wide = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
] as const;

export function columns(text: string): number {
  let sum = 0;
  for (const character of text.normalize("NFC")) {
    const code = character.codePointAt(0)!;
    if (/[\p{Cc}\p{Cf}\p{Mn}\p{Me}]/u.test(character)) continue;
    sum += wide.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
  }
  return sum;
}

const KEEP = 0;
const DELETE = 1;
const INSERT = 2;

/** Myers' algorithm (An O(ND) Difference Algorithm and Its Variations, 1986) over numbers; undefined beyond `most` edits. */
export function diff(
  old: Uint8Array,
  next: Uint8Array,
  comma: Uint8Array,
  most: number,
): Uint8Array<ArrayBuffer> | undefined {
  const numbers = (bytes: Uint8Array) => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const [a, b, withComma] = [numbers(old), numbers(next), numbers(comma)];
  const isSame = (x: number, y: number) => {
    const [p, q] = [a[x]!, b[y]!];
    return p === q || (withComma.length > 0 && (withComma[p] === q || withComma[q] === p));
  };
  const rows: Map<number, number>[] = [];
  let row = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(a.length + b.length, most); edits++) {
    rows.push(row);
    const reached = new Map(row);
    for (let k = -edits; k <= edits; k += 2) {
      const isInsert = k === -edits || (k !== edits && row.get(k - 1)! < row.get(k + 1)!);
      let x = isInsert ? row.get(k + 1)! : row.get(k - 1)! + 1;
      while (x < a.length && x - k < b.length && isSame(x, x - k)) x++;
      reached.set(k, x);
      if (x >= a.length && x - k >= b.length) return script(rows, a.length, b.length);
    }
    row = reached;
  }
  return undefined;
}

/** The edits that led to the end, walked backwards. */
function script(rows: Map<number, number>[], x: number, y: number): Uint8Array<ArrayBuffer> {
  const edits: number[] = [];
  for (let count = rows.length - 1; count >= 0; count--) {
    const row = rows[count]!;
    const k = x - y;
    const isInsert = k === -count || (k !== count && row.get(k - 1)! < row.get(k + 1)!);
    const before = isInsert ? k + 1 : k - 1;
    const from = row.get(before)!;
    while (x > from && y > from - before) {
      edits.push(KEEP);
      x--;
      y--;
    }
    if (count > 0) {
      edits.push(isInsert ? INSERT : DELETE);
      x = from;
      y = from - before;
    }
  }
  return Uint8Array.from(edits.reverse());
}

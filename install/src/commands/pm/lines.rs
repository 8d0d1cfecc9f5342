//! Differences of two texts by lines, as unified hunks: Myers' algorithm, its cost bounded.

use std::fmt::Write;

/// Edits beyond this are given up: the rest counts as replaced. The trace takes a quarter of its square in numbers.
const MOST: usize = 4000;

/// Runs of lines: (start, end) in the old text and in the new one, which differ.
type Changes = Vec<(usize, usize, usize, usize)>;

/// Which lines differ. `same` compares line `a` of the old with line `b` of the new text.
fn changes(old: usize, new: usize, same: &dyn Fn(usize, usize) -> bool) -> Changes {
    let mut head = 0;
    while head < old && head < new && same(head, head) {
        head += 1;
    }
    let mut tail = 0;
    while tail < old - head && tail < new - head && same(old - 1 - tail, new - 1 - tail) {
        tail += 1;
    }
    let (n, m) = (old - head - tail, new - head - tail);
    let mut deleted = vec![false; n];
    let mut added = vec![false; m];
    if !trace(n, m, &|a, b| same(a + head, b + head), &mut deleted, &mut added) {
        deleted.fill(true);
        added.fill(true);
    }
    let mut out = Changes::new();
    let (mut a, mut b) = (0, 0);
    while a < n || b < m {
        let (from_a, from_b) = (a, b);
        while a < n && deleted[a] {
            a += 1;
        }
        while b < m && added[b] {
            b += 1;
        }
        if a > from_a || b > from_b {
            out.push((from_a + head, a + head, from_b + head, b + head));
        } else {
            a += 1;
            b += 1;
        }
    }
    out
}

/// Marks a shortest script of edits; false where it would be too long.
fn trace(n: usize, m: usize, same: &dyn Fn(usize, usize) -> bool, deleted: &mut [bool], added: &mut [bool]) -> bool {
    let most = (n + m).min(MOST);
    let mut rows: Vec<Vec<u32>> = Vec::new();
    let mut row: Vec<u32> = vec![0; 2];
    for d in 0..=most {
        // Of diagonal k the furthest place is at (k + d) / 2.
        let mut next = vec![0u32; d + 1];
        for (at, slot) in next.iter_mut().enumerate() {
            let k = 2 * at as isize - d as isize;
            let x = if d == 0 {
                0
            } else {
                let from_above = (at < d).then(|| row[at]);
                let from_left = (at > 0).then(|| row[at - 1] + 1);
                from_above.max(from_left).unwrap_or(0)
            };
            let mut x = x as usize;
            let mut y = (x as isize - k) as usize;
            while x < n && y < m && same(x, y) {
                x += 1;
                y += 1;
            }
            *slot = x as u32;
            if x >= n && y >= m {
                rows.push(next);
                back(&rows, n, m, deleted, added);
                return true;
            }
        }
        rows.push(next.clone());
        row = next;
    }
    false
}

fn back(rows: &[Vec<u32>], n: usize, m: usize, deleted: &mut [bool], added: &mut [bool]) {
    let (mut x, mut y) = (n as isize, m as isize);
    for d in (1..rows.len()).rev() {
        let k = x - y;
        let at = ((k + d as isize) / 2) as usize;
        let row = &rows[d - 1];
        let above = if at < d { i64::from(row[at]) } else { -1 };
        let left = if at > 0 { i64::from(row[at - 1]) + 1 } else { -1 };
        if left > above {
            // A line of the old text goes.
            let before = row[at - 1] as isize;
            if before >= 0 && (before as usize) < deleted.len() {
                deleted[before as usize] = true;
            }
            x = before;
            y = before - (k - 1);
        } else {
            let before = row[at] as isize;
            y = before - (k + 1);
            if y >= 0 && (y as usize) < added.len() {
                added[y as usize] = true;
            }
            x = before;
        }
    }
}

/// Hunks and the number of lines added and removed.
pub struct Patch {
    pub text: String,
    pub added: usize,
    pub removed: usize,
}

/// The unified difference with `context` lines around. `blanks` ignores white space.
pub fn patch(old: &str, new: &str, context: usize, blanks: bool) -> Patch {
    let a: Vec<&str> = old.split_inclusive('\n').collect();
    let b: Vec<&str> = new.split_inclusive('\n').collect();
    let plain = |line: &str| -> String { line.chars().filter(|c| !c.is_whitespace()).collect() };
    let (plain_a, plain_b): (Vec<String>, Vec<String>) = if blanks {
        (a.iter().map(|line| plain(line)).collect(), b.iter().map(|line| plain(line)).collect())
    } else {
        (Vec::new(), Vec::new())
    };
    let same = |x: usize, y: usize| if blanks { plain_a[x] == plain_b[y] } else { a[x] == b[y] };
    let changes = changes(a.len(), b.len(), &same);
    let mut out = Patch { text: String::new(), added: 0, removed: 0 };
    let mut at = 0;
    while at < changes.len() {
        let mut last = at;
        while last + 1 < changes.len() && changes[last + 1].0 - changes[last].1 <= 2 * context {
            last += 1;
        }
        let group = &changes[at..=last];
        let before = group[0].0.min(group[0].2).min(context);
        let after = (a.len() - group[group.len() - 1].1).min(context);
        let (a0, a1) = (group[0].0 - before, group[group.len() - 1].1 + after);
        let (b0, b1) = (group[0].2 - before, group[group.len() - 1].3 + after);
        // An empty side is named by the line before it.
        let start = |from: usize, to: usize| if to > from { from + 1 } else { from };
        let _ = writeln!(out.text, "@@ -{},{} +{},{} @@", start(a0, a1), a1 - a0, start(b0, b1), b1 - b0);
        let mut put = |sign: char, line: &str| {
            out.text.push(sign);
            out.text.push_str(line);
            if !line.ends_with('\n') {
                out.text.push_str("\n\\ No newline at end of file\n");
            }
        };
        let mut x = a0;
        for change in group {
            (x..change.0).for_each(|line| put(' ', a[line]));
            (change.0..change.1).for_each(|line| put('-', a[line]));
            (change.2..change.3).for_each(|line| put('+', b[line]));
            x = change.1;
        }
        (x..a1).for_each(|line| put(' ', a[line]));
        for change in group {
            out.removed += change.1 - change.0;
            out.added += change.3 - change.2;
        }
        at = last + 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks() {
        let found = patch("a\nb\nc\nd\n", "a\nx\nc\nd", 1, false);
        assert_eq!(found.text, "@@ -1,4 +1,4 @@\n a\n-b\n+x\n c\n-d\n+d\n\\ No newline at end of file\n");
        assert_eq!((found.added, found.removed), (2, 2));
        assert_eq!(patch("", "x\n", 3, false).text, "@@ -0,0 +1,1 @@\n+x\n");
        assert_eq!(patch("a  b\n", "a b\n", 3, true).text, "");
    }

    #[test]
    fn a_patch_turns_the_old_text_into_the_new() {
        let mut random = crate::testing::Random(7);
        for _ in 0..300 {
            let mut text = || {
                let lines = random.below(12);
                (0..lines).map(|_| format!("{}\n", random.below(4))).collect::<String>()
            };
            let (old, new) = (text(), text());
            let found = patch(&old, &new, 100, false);
            let keep = |signs: [char; 2]| -> String {
                let lines = found.text.split_inclusive('\n').filter(|line| line.starts_with(signs));
                lines.map(|line| &line[1..]).collect()
            };
            if old != new {
                assert_eq!((keep([' ', '-']), keep([' ', '+'])), (old, new));
            }
        }
    }
}

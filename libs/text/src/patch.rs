//! Differences of two texts by lines, as unified hunks.

use std::fmt::Write;

use crate::diff::{Edit, Limits, script};

/// Edits beyond this are given up: the rest counts as replaced.
const MAX_EDITS: usize = 4000;

/// Runs of lines: (start, end) in the old text and in the new one, which differ.
type Changes = Vec<(usize, usize, usize, usize)>;

/// Which lines differ. `same` compares line `a` of the old with line `b` of the new text.
fn changes(old: usize, new: usize, same: impl Fn(usize, usize) -> bool) -> Changes {
    let limits = Limits { edits: Some(MAX_EDITS), keep_ends: true };
    let script = script(old, new, limits, &same).unwrap_or_else(|| replaced(old, new, &same));
    let mut out = Changes::new();
    let (mut a, mut b) = (0, 0);
    for run in script.chunk_by(|one, next| (*one == Edit::Keep) == (*next == Edit::Keep)) {
        let deleted = run.iter().filter(|edit| **edit != Edit::Insert).count();
        let inserted = run.iter().filter(|edit| **edit != Edit::Delete).count();
        if run[0] != Edit::Keep {
            out.push((a, a + deleted, b, b + inserted));
        }
        a += deleted;
        b += inserted;
    }
    out
}

/// All but the ends, which are the same, is replaced.
fn replaced(old: usize, new: usize, same: impl Fn(usize, usize) -> bool) -> Vec<Edit> {
    let shorter = old.min(new);
    let head = (0..shorter).take_while(|&at| same(at, at)).count();
    let tail = (0..shorter - head).take_while(|&at| same(old - 1 - at, new - 1 - at)).count();
    let run = |edit, count| std::iter::repeat_n(edit, count);
    let middle = run(Edit::Delete, old - head - tail).chain(run(Edit::Insert, new - head - tail));
    run(Edit::Keep, head).chain(middle).chain(run(Edit::Keep, tail)).collect()
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
    let changes = changes(a.len(), b.len(), same);
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
    fn texts_with_too_many_edits_are_replaced() {
        let lines = |prefix: &str| (0..3000).map(|n| format!("{prefix}{n}\n")).collect::<String>();
        let found = patch(&format!("same\n{}end\n", lines("a")), &format!("same\n{}end\n", lines("b")), 0, false);
        assert_eq!((found.added, found.removed), (3000, 3000));
        assert!(found.text.starts_with("@@ -2,3000 +2,3000 @@\n-a0\n"));
    }

    #[test]
    fn a_patch_turns_the_old_text_into_the_new() {
        let mut seed = 7u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        for _ in 0..300 {
            let mut text = || {
                let lines = random(12);
                (0..lines).map(|_| format!("{}\n", random(4))).collect::<String>()
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

//! The difference of two lists: E. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986).

/// What becomes of the next item of one or both lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// It is in both lists.
    Keep,
    /// It is in the first list only.
    Delete,
    /// It is in the second list only.
    Insert,
}

/// How far a script is looked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Edits beyond which there is no script; `None`: no limit. The memory grows with half of the square, four bytes each.
    pub edits: Option<usize>,
    /// Items that are the same at the end of both lists are kept before all others, which is faster. Of several shortest
    /// scripts another one may be found then.
    pub keep_ends: bool,
}

/// A shortest script of edits that makes a list of `n` items into one of `m`, in their order; `None` if that takes more
/// edits than `limits` has. `same` compares an item of the first list with one of the second, by their places. Where an
/// item is replaced the old one comes first.
pub fn script(n: usize, m: usize, limits: Limits, same: impl Fn(usize, usize) -> bool) -> Option<Vec<Edit>> {
    let mut head = 0;
    while head < n && head < m && same(head, head) {
        head += 1;
    }
    let mut tail = 0;
    while limits.keep_ends && tail < n - head && tail < m - head && same(n - 1 - tail, m - 1 - tail) {
        tail += 1;
    }
    let middle = (n - head - tail, m - head - tail);
    let mut edits = match middle {
        (deleted, 0) => vec![Edit::Delete; deleted],
        (0, inserted) => vec![Edit::Insert; inserted],
        (n, m) => search(n, m, limits.edits.unwrap_or(n + m), |a, b| same(a + head, b + head))?,
    };
    edits.splice(0..0, std::iter::repeat_n(Edit::Keep, head));
    edits.extend(std::iter::repeat_n(Edit::Keep, tail));
    Some(edits)
}

/// Goes forward from the start of both lists with one edit more each round.
fn search(n: usize, m: usize, most: usize, same: impl Fn(usize, usize) -> bool) -> Option<Vec<Edit>> {
    // After d edits: the furthest place in the first list on each diagonal k = x - y, at (k + d) / 2.
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for d in 0..=most.min(n + m) {
        let mut row = vec![0u32; d + 1];
        for at in 0..=d {
            let k = 2 * at as isize - d as isize;
            let mut x = match rows.last() {
                Some(before) => step(before, at).1 as usize,
                None => 0,
            };
            let mut y = (x as isize - k) as usize;
            while x < n && y < m && same(x, y) {
                x += 1;
                y += 1;
            }
            row[at] = x as u32;
            if x >= n && y >= m {
                rows.push(row);
                return Some(back(&rows, n, m));
            }
        }
        rows.push(row);
    }
    None
}

/// How the diagonal at `at` is reached from the row before: by deleting an item (otherwise by inserting one), and to which
/// place in the first list.
fn step(before: &[u32], at: usize) -> (bool, u32) {
    let inserted = before.get(at).copied();
    let deleted = at.checked_sub(1).map(|at| before[at] + 1);
    match (deleted, inserted) {
        (Some(deleted), Some(inserted)) if deleted <= inserted => (false, inserted),
        (Some(deleted), _) => (true, deleted),
        (None, inserted) => (false, inserted.unwrap_or_default()),
    }
}

/// The script, from the end of both lists.
fn back(rows: &[Vec<u32>], n: usize, m: usize) -> Vec<Edit> {
    let mut edits = Vec::with_capacity(n.max(m));
    let (mut x, mut y) = (n as isize, m as isize);
    for d in (1..rows.len()).rev() {
        let k = x - y;
        let (is_delete, start) = step(&rows[d - 1], ((k + d as isize) / 2) as usize);
        while x > start as isize {
            edits.push(Edit::Keep);
            x -= 1;
            y -= 1;
        }
        if is_delete {
            edits.push(Edit::Delete);
            x -= 1;
        } else {
            edits.push(Edit::Insert);
            y -= 1;
        }
    }
    edits.extend(std::iter::repeat_n(Edit::Keep, x as usize));
    edits.reverse();
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(a: &str, b: &str, limits: Limits) -> Option<String> {
        let (a, b) = (a.as_bytes(), b.as_bytes());
        let sign = |edit| match edit {
            Edit::Keep => '=',
            Edit::Delete => '-',
            Edit::Insert => '+',
        };
        Some(script(a.len(), b.len(), limits, |x, y| a[x] == b[y])?.into_iter().map(sign).collect())
    }

    #[test]
    fn shortest_scripts() {
        let all = |a, b| edits(a, b, Limits::default()).unwrap();
        assert_eq!(all("", ""), "");
        assert_eq!(all("abc", "abc"), "===");
        assert_eq!(all("ab", ""), "--");
        assert_eq!(all("", "ab"), "++");
        assert_eq!(all("abc", "axc"), "=-+=");
        assert_eq!(all("abcabba", "cbabac"), "--=+==-=+");
        assert_eq!(edits("abcd", "xyzw", Limits { edits: Some(7), ..Limits::default() }), None);
        assert!(edits("abcd", "xyzw", Limits { edits: Some(8), ..Limits::default() }).is_some());
    }

    #[test]
    fn scripts_make_one_list_into_the_other() {
        let mut seed = 7u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        for _ in 0..500 {
            let mut list = || (0..random(12)).map(|_| char::from(b'a' + random(4) as u8)).collect::<String>();
            let (a, b) = (list(), list());
            let count = |keep_ends| {
                let script = edits(&a, &b, Limits { edits: None, keep_ends }).unwrap();
                let (mut from_a, mut from_b) = (a.chars(), b.chars());
                let mut made = String::new();
                for sign in script.chars() {
                    match sign {
                        '+' => made.extend(from_b.next()),
                        '-' => assert!(from_a.next().is_some()),
                        _ => {
                            made.extend(from_a.next());
                            from_b.next();
                        }
                    }
                }
                assert_eq!((made, from_a.next()), (b.clone(), None), "{a} {b} {script}");
                script.matches(['+', '-']).count()
            };
            assert_eq!(count(true), count(false));
        }
    }
}

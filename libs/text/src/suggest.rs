//! "Did you mean": the nearest of some names.

/// Edits of characters (insert, delete, replace, swap neighbours) between two words, or `None` above `limit`.
pub fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let width = b.len() + 1;
    // Rows of the table: two before, one before, now.
    let mut rows = [vec![0; width], (0..width).collect::<Vec<_>>(), vec![0; width]];
    for (i, &x) in a.iter().enumerate() {
        rows[2][0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let mut best = (rows[1][j] + usize::from(x != y)).min(rows[1][j + 1] + 1).min(rows[2][j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                best = best.min(rows[0][j - 1] + 1);
            }
            rows[2][j + 1] = best;
        }
        rows.rotate_left(1);
    }
    Some(rows[1][b.len()]).filter(|&edits| edits <= limit)
}

/// The candidate that `word` is most likely a slip of, if any is near: at most a third of the word may differ.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let lower = word.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| *candidate != word && !candidate.is_empty())
        .filter_map(|candidate| {
            let edits = distance(&lower, &candidate.to_lowercase(), limit)?;
            // One replaced letter of one or two is another word.
            (edits < candidate.chars().count().min(word.chars().count())).then_some((edits, candidate))
        })
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips() {
        assert_eq!(nearest("biuld", ["test", "build", "bundle"]), Some("build"));
        assert_eq!(nearest("--wacth", ["--watch", "--hot"]), Some("--watch"));
        assert_eq!(nearest("instal", ["install", "init"]), Some("install"));
        assert_eq!(nearest("Dev", ["dev"]), Some("dev"));
    }

    #[test]
    fn distances() {
        assert_eq!(distance("react", "raect", 2), Some(1));
        assert_eq!(distance("react", "reac", 1), Some(1));
        assert_eq!(distance("react", "preact", 1), Some(1));
        assert_eq!(distance("react", "vue", 2), None);
        assert_eq!(distance("ab", "ab", 0), Some(0));
        assert_eq!(distance("ä", "ö", 1), Some(1));
    }

    #[test]
    fn leaves_other_words() {
        assert_eq!(nearest("deploy", ["test", "build"]), None);
        assert_eq!(nearest("a", ["b"]), None);
        assert_eq!(nearest("", ["b"]), None);
        assert_eq!(nearest("dev", ["dev"]), None);
    }
}

//! Globs over names and paths: `*` and `?` within a segment, `**` over segments, `[a-z]`, `[!a]`, `{a,b}`.

/// Whether the text has characters that mean more than themselves.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// Whether `text` as a whole matches.
pub fn matches(pattern: &str, text: &str) -> bool {
    alternatives(pattern).iter().any(|pattern| {
        let pattern: Vec<char> = pattern.chars().collect();
        let text: Vec<char> = text.chars().collect();
        run(&pattern, &text)
    })
}

/// The patterns that the braces of one stand for.
pub fn alternatives(pattern: &str) -> Vec<String> {
    let Some(open) = pattern.find('{') else { return vec![pattern.to_string()] };
    let mut depth = 0;
    let mut cuts = vec![open];
    let mut close = None;
    for (at, c) in pattern[open..].char_indices() {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => cuts.push(open + at),
            '}' => {
                depth -= 1;
                if depth == 0 {
                    close = Some(open + at);
                    break;
                }
            }
            _ => {}
        }
    }
    let Some(close) = close else { return vec![pattern.to_string()] };
    cuts.push(close);
    cuts.windows(2)
        .flat_map(|cut| {
            alternatives(&format!("{}{}{}", &pattern[..open], &pattern[cut[0] + 1..cut[1]], &pattern[close + 1..]))
        })
        .collect()
}

fn run(pattern: &[char], text: &[char]) -> bool {
    let Some(first) = pattern.first() else { return text.is_empty() };
    match first {
        '*' if pattern.get(1) == Some(&'*') => {
            let rest = &pattern[2..];
            // `**/x` also matches `x`.
            if let Some('/') = rest.first()
                && run(&rest[1..], text)
            {
                return true;
            }
            (0..=text.len()).any(|at| run(rest, &text[at..]))
        }
        '*' => {
            let rest = &pattern[1..];
            let end = text.iter().position(|c| *c == '/').unwrap_or(text.len());
            (0..=end).any(|at| run(rest, &text[at..]))
        }
        '[' => match class(&pattern[1..], text.first()) {
            Some((hit, len)) => hit && run(&pattern[1 + len..], &text[1..]),
            None => text.first() == Some(&'[') && run(&pattern[1..], &text[1..]),
        },
        '?' => text.first().is_some_and(|c| *c != '/') && run(&pattern[1..], &text[1..]),
        '\\' if pattern.len() > 1 => text.first() == pattern.get(1) && run(&pattern[2..], &text[1..]),
        c => text.first() == Some(c) && run(&pattern[1..], &text[1..]),
    }
}

/// Tests a character against the class whose text starts after its `[`: whether it is in, and the length up to `]`.
fn class(pattern: &[char], c: Option<&char>) -> Option<(bool, usize)> {
    let negated = matches!(pattern.first(), Some('!' | '^'));
    let start = usize::from(negated);
    // A `]` right at the start is a member.
    let end = start + 1 + pattern.get(start + 1..)?.iter().position(|c| *c == ']')?;
    let Some(&c) = c.filter(|c| **c != '/') else { return Some((false, end + 1)) };
    let members = &pattern[start..end];
    let mut hit = false;
    let mut at = 0;
    while at < members.len() {
        if members.get(at + 1) == Some(&'-') && at + 2 < members.len() {
            hit |= (members[at]..=members[at + 2]).contains(&c);
            at += 3;
        } else {
            hit |= members[at] == c;
            at += 1;
        }
    }
    Some((hit != negated, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, yes, no) in [
            ("*", &["a", "abc", ""][..], &["a/b"][..]),
            ("@x/*", &["@x/a"], &["@x/a/b", "@y/a"]),
            ("**", &["a", "a/b/c"], &[]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a/xb", "ab"]),
            ("packages/**", &["packages/a", "packages/a/b"], &["package/a"]),
            ("build:*", &["build:a", "build:"], &["build"]),
            ("?x", &["ax"], &["x", "/x"]),
            ("[a-c]1", &["a1", "c1"], &["d1", "1"]),
            ("[!a]b", &["bb"], &["ab", "/b"]),
            ("[]]", &["]"], &["["]),
            ("[", &["["], &["a"]),
            ("{a,b*}/c", &["a/c", "bx/c"], &["c", "x/c"]),
            ("x{,y{1,2}}", &["x", "xy1", "xy2"], &["xy"]),
            ("{a", &["{a"], &["a"]),
            ("a\\*", &["a*"], &["ab"]),
        ] {
            for text in yes {
                assert!(matches(pattern, text), "{pattern} {text}");
            }
            for text in no {
                assert!(!matches(pattern, text), "{pattern} {text}");
            }
        }
    }
}

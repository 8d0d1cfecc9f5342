//! Globs of `files`, `.npmignore` and `.gitignore`, with the meaning that npm gives them (minimatch with `dot`, `matchBase` and `nocase`):
//! braces, `*`, `?`, classes, `**` as a whole segment, and `@(a|b)`, `?()`, `*()`, `+()`, `!()`.

/// Alternatives of a brace expansion are bounded: a pattern such as `{a,b}{a,b}…` must not fill the memory.
const MOST: usize = 4096;

/// A compiled pattern.
#[derive(Debug)]
pub struct Glob {
    alternatives: Vec<Vec<Segment>>,
}

#[derive(Debug)]
enum Segment {
    /// `**`
    Any,
    Literal(Vec<char>),
    Parts(Vec<Part>),
}

#[derive(Debug)]
enum Part {
    One(char),
    /// `?`
    Any,
    /// `*`
    Star,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    /// An extended glob: its kind and its alternatives.
    Group(char, Vec<Vec<Part>>),
}

fn lower(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// `a{b,c}d` as `abd`, `acd`; `{1..3}` as its numbers. A brace without a partner stands for itself.
fn expand(text: &str, out: &mut Vec<String>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'{' if at == 0 || bytes[at - 1] != b'$' => {
                if let Some((end, choices)) = choices(text, at) {
                    for choice in choices {
                        if out.len() >= MOST {
                            return;
                        }
                        let mut inner = Vec::new();
                        expand(&choice, &mut inner);
                        for choice in inner {
                            expand(&format!("{}{choice}{}", &text[..at], &text[end + 1..]), out);
                        }
                    }
                    return;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if out.len() < MOST {
        out.push(text.to_owned());
    }
}

/// Offset of the closing brace and what is between the commas.
fn choices(text: &str, open: usize) -> Option<(usize, Vec<String>)> {
    let bytes = text.as_bytes();
    let (mut depth, mut start, mut found) = (0usize, open + 1, Vec::new());
    let mut at = open;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'{' => depth += 1,
            b',' if depth == 1 => {
                found.push(text[start..at].to_owned());
                start = at + 1;
            }
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    found.push(text[start..at].to_owned());
                    if found.len() > 1 {
                        return Some((at, found));
                    }
                    let (from, to) = found[0].split_once("..")?;
                    let (from, to) = (from.parse::<i64>().ok()?, to.parse::<i64>().ok()?);
                    if from.abs_diff(to) >= MOST as u64 {
                        return None;
                    }
                    let mut list: Vec<String> =
                        (from.min(to)..=from.max(to)).map(|number| number.to_string()).collect();
                    if from > to {
                        list.reverse();
                    }
                    return Some((at, list));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Reads parts up to `end` (one of the characters, at this level) or the end of the text.
fn parts(text: &[char], at: &mut usize, end: &[char], depth: usize) -> Vec<Part> {
    let mut out = Vec::new();
    while *at < text.len() {
        let c = text[*at];
        if end.contains(&c) {
            break;
        }
        let group = matches!(c, '@' | '?' | '*' | '+' | '!') && text.get(*at + 1) == Some(&'(') && depth < 20;
        if group && let Some((next, alternatives)) = group_at(text, *at + 2, depth) {
            out.push(Part::Group(c, alternatives));
            *at = next;
            continue;
        }
        *at += 1;
        match c {
            '*' => {
                if !matches!(out.last(), Some(Part::Star)) {
                    out.push(Part::Star);
                }
            }
            '?' => out.push(Part::Any),
            '\\' if *at < text.len() => {
                out.push(Part::One(text[*at]));
                *at += 1;
            }
            '[' => match class(text, *at) {
                Some((next, part)) => {
                    out.push(part);
                    *at = next;
                }
                None => out.push(Part::One('[')),
            },
            c => out.push(Part::One(c)),
        }
    }
    out
}

fn group_at(text: &[char], mut at: usize, depth: usize) -> Option<(usize, Vec<Vec<Part>>)> {
    let mut alternatives = Vec::new();
    loop {
        alternatives.push(parts(text, &mut at, &['|', ')'], depth + 1));
        match text.get(at) {
            Some('|') => at += 1,
            Some(_) => return Some((at + 1, alternatives)),
            None => return None,
        }
    }
}

fn class(text: &[char], start: usize) -> Option<(usize, Part)> {
    let mut at = start;
    let negated = matches!(text.get(at), Some('!' | '^'));
    at += usize::from(negated);
    let first = at;
    let mut ranges = Vec::new();
    loop {
        let mut c = *text.get(at)?;
        if c == ']' && at > first {
            return Some((at + 1, Part::Class { negated, ranges }));
        }
        if c == '\\' {
            at += 1;
            c = *text.get(at)?;
        }
        if text.get(at + 1) == Some(&'-') && text.get(at + 2).is_some_and(|c| *c != ']') {
            ranges.push((c, text[at + 2]));
            at += 3;
        } else {
            ranges.push((c, c));
            at += 1;
        }
    }
}

/// Whether the parts match the whole text.
fn matches(parts: &[Part], text: &[char]) -> bool {
    let Some((part, rest)) = parts.split_first() else { return text.is_empty() };
    match part {
        Part::One(c) => text.first() == Some(c) && matches(rest, &text[1..]),
        Part::Any => !text.is_empty() && matches(rest, &text[1..]),
        Part::Class { negated, ranges } => {
            text.first().is_some_and(|c| ranges.iter().any(|(from, to)| (from..=to).contains(&c)) != *negated)
                && matches(rest, &text[1..])
        }
        Part::Star => {
            if rest.is_empty() {
                return true;
            }
            // A run of literals behind the star says where it may end.
            if let Some(Part::One(next)) = rest.first() {
                return (0..text.len()).filter(|&at| text[at] == *next).any(|at| matches(rest, &text[at..]));
            }
            (0..=text.len()).any(|at| matches(rest, &text[at..]))
        }
        Part::Group('!', alternatives) => (0..=text.len()).any(|at| {
            !alternatives.iter().any(|alternative| matches(alternative, &text[..at])) && matches(rest, &text[at..])
        }),
        Part::Group(kind, alternatives) => {
            if matches!(kind, '?' | '*') && matches(rest, text) {
                return true;
            }
            (usize::from(matches!(kind, '*' | '+'))..=text.len()).any(|at| {
                alternatives.iter().any(|alternative| matches(alternative, &text[..at]))
                    && (matches(rest, &text[at..])
                        || matches!(kind, '*' | '+') && at > 0 && matches(parts, &text[at..]))
            })
        }
    }
}

impl Segment {
    fn new(text: &str) -> Self {
        if text == "**" {
            return Self::Any;
        }
        let chars = lower(text);
        if !chars.iter().any(|c| matches!(c, '*' | '?' | '[' | '\\' | '(')) {
            return Self::Literal(chars);
        }
        Self::Parts(parts(&chars, &mut 0, &[], 0))
    }

    fn matches(&self, text: &[char]) -> bool {
        match self {
            Self::Any => false,
            Self::Literal(literal) => literal == text,
            // No wildcard matches nothing at all, or the directory itself or its parent.
            Self::Parts(parts) => !(text.is_empty() || text == ['.'] || text == ['.', '.']) && matches(parts, text),
        }
    }
}

impl Glob {
    pub fn new(pattern: &str) -> Self {
        let mut texts = Vec::new();
        expand(pattern, &mut texts);
        let split = |text: &String| {
            let mut segments: Vec<Segment> = Vec::new();
            for (place, part) in text.split('/').enumerate() {
                // Slashes in a row count once; several `**` in a row are one.
                let empty = part.is_empty()
                    && place > 0
                    && matches!(segments.last(), Some(Segment::Literal(last)) if last.is_empty());
                if !(empty || part == "**" && matches!(segments.last(), Some(Segment::Any))) {
                    segments.push(Segment::new(part));
                }
            }
            segments
        };
        Self { alternatives: texts.iter().map(split).collect() }
    }

    /// Whether an alternative is a single name, which is compared with the last part of any path.
    pub fn is_relative(&self) -> bool {
        self.alternatives.iter().any(|segments| {
            let ends_open = matches!(segments.last(), Some(Segment::Literal(last)) if last.is_empty());
            segments.len() <= if ends_open { 2 } else { 1 }
        })
    }

    /// Whether the pattern matches `path`, a path of lower case in segments. `partial`: a path at which the pattern has not ended matches too.
    pub fn matches(&self, path: &[&[char]], partial: bool) -> bool {
        self.alternatives.iter().any(|segments| {
            if segments.len() == 1 {
                let name = path.iter().rev().find(|part| !part.is_empty()).copied().unwrap_or(&[]);
                return walk(segments, &[name], partial);
            }
            walk(segments, path, partial)
        })
    }
}

fn walk(pattern: &[Segment], path: &[&[char]], partial: bool) -> bool {
    let Some((segment, rest)) = pattern.split_first() else {
        // A slash at the end of the path changes nothing.
        return path.is_empty() || matches!(path, [last] if last.is_empty());
    };
    if path.is_empty() {
        return partial;
    }
    if let Segment::Any = segment {
        if rest.is_empty() {
            return path.iter().all(|part| **part != ['.'] && **part != ['.', '.']);
        }
        for at in 0..path.len() {
            if walk(rest, &path[at..], partial) {
                return true;
            }
            if path[at] == ['.'] || path[at] == ['.', '.'] {
                return false;
            }
        }
        return partial;
    }
    segment.matches(path[0]) && walk(rest, &path[1..], partial)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(pattern: &str, path: &str, partial: bool) -> bool {
        let chars = lower(path);
        let parts: Vec<&[char]> = chars.split(|c| *c == '/').collect();
        Glob::new(pattern).matches(&parts, partial)
    }

    #[test]
    fn as_npm() {
        for (pattern, path) in [
            ("*.js", "a/b/c.js"),
            ("readme{,.*[^~$]}", "README.md"),
            ("/readme{,.*[^~$]}", "/readme"),
            ("**/*.d.ts", "a/b.d.ts"),
            ("**/*.d.ts", "b.d.ts"),
            ("dist/**", "dist/a/b"),
            ("dist/**", "dist/"),
            ("lib/!(*.test).js", "lib/a.js"),
            ("*.+(js|ts)", "x/y.ts"),
            ("@(a|b)*", "bcd"),
            ("{1..3}.txt", "2.txt"),
            (".*.swp", ".a.swp"),
            ("[a-c]x", "bx"),
            ("a/**/b", "a/x/y/b"),
            ("a/**/b", "a/b"),
        ] {
            assert!(hit(pattern, path, false), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("readme{,.*[^~$]}", "readme.md~"),
            ("dist/**", "dist"),
            ("/a", "a"),
            ("a/*", "a/b/c"),
            ("lib/!(*.test).js", "lib/a.test.js"),
            ("*", ""),
            ("?", "ab"),
        ] {
            assert!(!hit(pattern, path, false), "{pattern} {path}");
        }
        assert!(hit("a/b/*.js", "a", true) && hit("**/x", "q", true) && !hit("a/b", "c", true));
    }

    #[test]
    fn bounded() {
        assert!(Glob::new(&"{a,b}".repeat(40)).alternatives.len() <= MOST);
    }
}

//! Patterns and what they match.
//!
//! `?` one character of a name, `*` any number of them, `**` as a whole name: any number of names, `[a-z]` and `[!a-z]`,
//! `{a,b*}`, `{1..9}`, `@(a|b)`, `?(a)`, `*(a)`, `+(a)`, `!(a)`, a leading `!` to negate all of it, `\` to take the next
//! character as it is. As in Bun, names with a dot are like any other.

/// How often the alternatives of a group may follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeat {
    Once,
    AtMostOnce,
    Any,
    AtLeastOnce,
    /// A run of characters of one name that none of the alternatives is.
    Not,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Literal(Vec<u8>),
    /// `?`
    One,
    /// `*`
    Star,
    /// `**` at the end, or a `**` and the slash after it.
    GlobStar {
        last: bool,
    },
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    Group(Repeat, Vec<Vec<Node>>),
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    negated: bool,
    /// A path matches if one of these does.
    alternatives: Vec<Vec<Node>>,
}

impl Pattern {
    /// Compiles a pattern. Every text is one: brackets without a partner stand for themselves.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut start = 0;
        while bytes.get(start) == Some(&b'!') && bytes.get(start + 1) != Some(&b'(') {
            start += 1;
        }
        let mut parser = Parser { text: bytes, at: start };
        let nodes = parser.sequence(&[], true);
        Pattern { negated: start % 2 == 1, alternatives: spread_end(nodes) }
    }

    /// Whether the pattern matches all of `path`.
    pub fn matches(&self, path: &[u8]) -> bool {
        self.alternatives.iter().any(|nodes| matches_whole(nodes, path)) != self.negated
    }

    /// The text that this pattern is, if it matches nothing else.
    pub fn literal(&self) -> Option<&[u8]> {
        match &self.alternatives[..] {
            [nodes] if !self.negated => match &nodes[..] {
                [Node::Literal(text)] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it can match names that begin with a dot where those are hidden: it has to say so itself.
    pub fn begins_with_dot(&self) -> bool {
        let has_dot =
            |nodes: &Vec<Node>| matches!(nodes.first(), Some(Node::Literal(text)) if text.first() == Some(&b'.'));
        self.alternatives.iter().any(has_dot)
    }
}

/// A pattern that ends with a choice of texts (`*.{js,ts}`) as one pattern for each of them: what ends with a plain text
/// is matched faster.
fn spread_end(mut nodes: Vec<Node>) -> Vec<Vec<Node>> {
    let is_text = |nodes: &Vec<Node>| matches!(&nodes[..], [] | [Node::Literal(_)]);
    match nodes.pop() {
        Some(Node::Group(Repeat::Once, texts)) if texts.len() <= 16 && texts.iter().all(is_text) => texts
            .into_iter()
            .map(|text| {
                let mut all = nodes.clone();
                for node in text {
                    match (all.last_mut(), node) {
                        (Some(Node::Literal(before)), Node::Literal(text)) => before.extend(text),
                        (_, node) => all.push(node),
                    }
                }
                all
            })
            .collect(),
        Some(last) => {
            nodes.push(last);
            vec![nodes]
        }
        None => vec![nodes],
    }
}

/// Whether `nodes` match all of `path`; the usual patterns without looking at more than its end.
fn matches_whole(nodes: &[Node], path: &[u8]) -> bool {
    match nodes {
        [Node::GlobStar { last: false }, Node::Star, Node::Literal(end)] if !end.contains(&b'/') => path.ends_with(end),
        [Node::Star, Node::Literal(end)] => {
            path.strip_suffix(&end[..]).is_some_and(|start| memchr::memchr(b'/', start).is_none())
        }
        // Most paths do not even end as they should.
        [.., Node::Literal(end)] if !path.ends_with(end) => false,
        _ => run(nodes, path, &|rest| rest.is_empty()),
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    /// Reads up to one of the bytes in `ends`, or to the end. `name_start`: a name begins here.
    fn sequence(&mut self, ends: &[u8], name_start: bool) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut name_start = name_start;
        while let Some(&byte) = self.text.get(self.at) {
            if ends.contains(&byte) {
                break;
            }
            let group = match byte {
                b'?' | b'*' | b'+' | b'@' | b'!' if self.text.get(self.at + 1) == Some(&b'(') => {
                    self.closing(self.at + 1, b'(', b')').map(|end| (byte, end))
                }
                _ => None,
            };
            if let Some((kind, end)) = group {
                nodes.push(self.extended(kind, end, name_start));
                name_start = false;
                continue;
            }
            match byte {
                b'?' => {
                    self.at += 1;
                    nodes.push(Node::One);
                }
                b'*' => {
                    nodes.push(self.stars(ends, name_start));
                    // The slash after `**` is part of it.
                    name_start = nodes.last() == Some(&Node::GlobStar { last: false });
                    continue;
                }
                b'[' => match self.class() {
                    Some(class) => nodes.push(class),
                    None => self.literal(&mut nodes),
                },
                b'{' => match self.closing(self.at, b'{', b'}') {
                    Some(end) => nodes.push(self.braces(end, name_start)),
                    None => self.literal(&mut nodes),
                },
                _ => {
                    self.literal(&mut nodes);
                    name_start = byte == b'/';
                    continue;
                }
            }
            name_start = false;
        }
        nodes
    }

    /// One character as it is.
    fn literal(&mut self, nodes: &mut Vec<Node>) {
        if self.text[self.at] == b'\\' && self.at + 1 < self.text.len() {
            self.at += 1;
        }
        let byte = self.text[self.at];
        self.at += 1;
        match nodes.last_mut() {
            Some(Node::Literal(text)) => text.push(byte),
            _ => nodes.push(Node::Literal(vec![byte])),
        }
    }

    fn stars(&mut self, ends: &[u8], name_start: bool) -> Node {
        let start = self.at;
        while self.text.get(self.at) == Some(&b'*') {
            self.at += 1;
        }
        if self.at - start != 2 || !name_start {
            return Node::Star;
        }
        match self.text.get(self.at) {
            None => Node::GlobStar { last: true },
            Some(byte) if ends.contains(byte) => Node::GlobStar { last: true },
            Some(b'/') => {
                self.at += 1;
                Node::GlobStar { last: false }
            }
            Some(_) => Node::Star,
        }
    }

    /// Position of the bracket that closes the one at `open`.
    fn closing(&self, open: usize, opening: u8, closing: u8) -> Option<usize> {
        let mut depth = 0;
        let mut at = open;
        while at < self.text.len() {
            match self.text[at] {
                b'\\' => at += 1,
                byte if byte == opening => depth += 1,
                byte if byte == closing => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn char_at(&self, at: usize) -> Option<(char, usize)> {
        let length = match self.text.get(at)? {
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        };
        let c = std::str::from_utf8(self.text.get(at..at + length)?).ok()?.chars().next()?;
        Some((c, at + length))
    }

    /// `[...]`; `None`, and nothing read, if it has no end.
    fn class(&mut self) -> Option<Node> {
        let mut at = self.at + 1;
        let negated = matches!(self.text.get(at), Some(b'!' | b'^'));
        at += usize::from(negated);
        let first = at;
        let mut ranges = Vec::new();
        loop {
            if self.text.get(at)? == &b']' && at > first {
                break;
            }
            let low = self.class_char(&mut at)?;
            let high = match (self.text.get(at), self.text.get(at + 1)) {
                (Some(b'-'), Some(next)) if *next != b']' => {
                    at += 1;
                    self.class_char(&mut at)?
                }
                _ => low,
            };
            ranges.push((low, high));
        }
        self.at = at + 1;
        Some(Node::Class { negated, ranges })
    }

    fn class_char(&self, at: &mut usize) -> Option<char> {
        if self.text.get(*at) == Some(&b'\\') && *at + 1 < self.text.len() {
            *at += 1;
        }
        let (c, next) = self.char_at(*at)?;
        *at = next;
        Some(c)
    }

    /// `{...}` up to `end`.
    fn braces(&mut self, end: usize, name_start: bool) -> Node {
        if let Some(steps) = range(&self.text[self.at + 1..end]) {
            self.at = end + 1;
            return Node::Group(Repeat::Once, steps.into_iter().map(|step| vec![Node::Literal(step)]).collect());
        }
        self.at += 1;
        let alternatives = self.alternatives(end, b',', b'}', name_start);
        Node::Group(Repeat::Once, alternatives)
    }

    /// `@(...)` and its like up to `end`.
    fn extended(&mut self, kind: u8, end: usize, name_start: bool) -> Node {
        self.at += 2;
        let alternatives = self.alternatives(end, b'|', b')', name_start);
        let repeat = match kind {
            b'?' => Repeat::AtMostOnce,
            b'*' => Repeat::Any,
            b'+' => Repeat::AtLeastOnce,
            b'@' => Repeat::Once,
            _ => Repeat::Not,
        };
        Node::Group(repeat, alternatives)
    }

    fn alternatives(&mut self, end: usize, separator: u8, close: u8, name_start: bool) -> Vec<Vec<Node>> {
        let mut alternatives = Vec::new();
        while self.at <= end {
            alternatives.push(self.sequence(&[separator, close], name_start));
            self.at += 1;
        }
        alternatives
    }
}

/// Numbers or letters of `1..9`; at most 10,000.
fn range(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let text = std::str::from_utf8(text).ok()?;
    let (from, to) = text.split_once("..")?;
    if let (Ok(low), Ok(high)) = (from.parse::<i64>(), to.parse::<i64>()) {
        if low.abs_diff(high) >= 10_000 {
            return None;
        }
        let padded =
            |text: &str| text.trim_start_matches('-').starts_with('0') && text.trim_start_matches('-').len() > 1;
        let width = if padded(from) || padded(to) { from.len().max(to.len()) } else { 0 };
        let step = |n: i64| format!("{n:0width$}").into_bytes();
        return Some(if low <= high {
            (low..=high).map(step).collect()
        } else {
            (high..=low).rev().map(step).collect()
        });
    }
    match (from.as_bytes(), to.as_bytes()) {
        (&[low], &[high]) if low.is_ascii_alphabetic() && high.is_ascii_alphabetic() => {
            let (first, last) = (low.min(high), low.max(high));
            Some((first..=last).map(|byte| vec![byte]).collect())
        }
        _ => None,
    }
}

/// The first character of UTF-8 text and the rest; single bytes where it is none.
fn next_char(text: &[u8]) -> Option<(char, &[u8])> {
    let first = *text.first()?;
    let length = match first {
        0..0xc0 => return Some((char::from(first), &text[1..])),
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    if let Some(Ok(c)) = text.get(..length).map(std::str::from_utf8) {
        return c.chars().next().map(|c| (c, &text[length..]));
    }
    Some((char::from(first), &text[1..]))
}

/// The text from the first `byte` on, if it comes in this name or is the slash after it. The byte begins a character, so
/// in UTF-8 it is nowhere inside of one.
fn skip_to(byte: u8, text: &[u8]) -> Option<&[u8]> {
    let at = memchr::memchr2(byte, b'/', text)?;
    (text[at] == byte).then(|| &text[at..])
}

/// Matches the beginning of `text`; `then` decides whether the rest is as it should be.
fn run(nodes: &[Node], text: &[u8], then: &dyn Fn(&[u8]) -> bool) -> bool {
    // Where to go on when the text does not fit: with the last star one character longer, with the last `**` one name
    // longer. Whatever an earlier star could still do, the later one can do as well.
    let mut star: Option<(usize, &[u8])> = None;
    let mut names: Option<(usize, &[u8])> = None;
    let mut node = 0;
    let mut rest = text;
    loop {
        let fits = match nodes.get(node) {
            None => {
                if then(rest) {
                    return true;
                }
                None
            }
            Some(Node::Literal(literal)) => rest.strip_prefix(&literal[..]),
            Some(Node::One) => next_char(rest).filter(|(c, _)| *c != '/').map(|(_, after)| after),
            Some(Node::Star) => {
                star = Some((node + 1, rest));
                Some(rest)
            }
            Some(Node::GlobStar { last: true }) => {
                if nodes.len() == node + 1 && then(&[]) {
                    return true;
                }
                None
            }
            Some(Node::GlobStar { last: false }) => {
                star = None;
                names = Some((node + 1, rest));
                // What follows the slash is not matched by nothing.
                let only_stars = nodes[node + 1..].iter().all(|node| matches!(node, Node::GlobStar { .. }));
                (!rest.is_empty() || only_stars).then_some(rest)
            }
            Some(Node::Class { negated, ranges }) => next_char(rest)
                .filter(|(c, _)| ranges.iter().any(|(low, high)| (low..=high).contains(&c)) != *negated)
                .map(|(_, after)| after),
            Some(Node::Group(repeat, alternatives)) => {
                let after = |rest: &[u8]| run(&nodes[node + 1..], rest, then);
                if group(*repeat, alternatives, rest, &after) {
                    return true;
                }
                None
            }
        };
        if let Some(after) = fits {
            rest = after;
            node += 1;
            continue;
        }
        if let Some((next, from)) = star {
            let longer = next_char(from).filter(|(c, _)| *c != '/').and_then(|(_, after)| match nodes.get(next) {
                Some(Node::Literal(literal)) => skip_to(literal[0], after),
                _ => Some(after),
            });
            if let Some(after) = longer {
                star = Some((next, after));
                (node, rest) = (next, after);
                continue;
            }
            star = None;
        }
        let Some((next, from)) = names else {
            return false;
        };
        let Some(slash) = memchr::memchr(b'/', from) else {
            return false;
        };
        let after = &from[slash + 1..];
        if after.is_empty() && next < nodes.len() {
            return false;
        }
        names = Some((next, after));
        (node, rest) = (next, after);
    }
}

fn group(repeat: Repeat, alternatives: &[Vec<Node>], text: &[u8], after: &dyn Fn(&[u8]) -> bool) -> bool {
    match repeat {
        Repeat::Once => alternatives.iter().any(|nodes| run(nodes, text, after)),
        Repeat::AtMostOnce => after(text) || alternatives.iter().any(|nodes| run(nodes, text, after)),
        Repeat::Any => after(text) || repeated(alternatives, text, after),
        Repeat::AtLeastOnce => repeated(alternatives, text, after),
        Repeat::Not => {
            let name = text.iter().position(|&byte| byte == b'/').unwrap_or(text.len());
            (0..=name).rev().any(|end| {
                let (part, rest) = text.split_at(end);
                !alternatives.iter().any(|nodes| run(nodes, part, &|rest| rest.is_empty())) && after(rest)
            })
        }
    }
}

fn repeated(alternatives: &[Vec<Node>], text: &[u8], after: &dyn Fn(&[u8]) -> bool) -> bool {
    alternatives.iter().any(|nodes| {
        run(nodes, text, &|rest| after(rest) || rest.len() < text.len() && repeated(alternatives, rest, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, matching, other) in [
            ("**/*.{js,ts}", "a/b/c.ts", "a/b/c.css"),
            ("*.js", ".js", "a/b.js"),
            ("a/**/b", "a/x/y/b", "a/xb"),
            ("[!a-c]?", "dx", "ax"),
            ("!(a|b)c", "dc", "ac"),
            ("{1..3}", "2", "4"),
            ("+(ab)", "abab", "aba"),
            ("!*.js", "x/a.js", "a.js"),
            ("{a,b", "{a,b", "a"),
            ("\\*", "*", "a"),
        ] {
            let compiled = Pattern::new(pattern);
            assert!(compiled.matches(matching.as_bytes()), "{pattern} and {matching}");
            assert!(!compiled.matches(other.as_bytes()), "{pattern} and {other}");
        }
    }
}

//! Ranges: `^1.2`, `~1`, `>=1 <2 || 3.x`, `1 - 2`, `*`.

use crate::version::{Version, digits, identifier};
use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Less,
    LessEqual,
    Equal,
    GreaterEqual,
    Greater,
}

#[derive(Clone, Copy, Debug)]
struct Comparator<'a> {
    op: Op,
    version: Version<'a>,
    /// First of its alternative.
    first: bool,
}

/// A parsed range: alternatives of comparators that must all hold, in one list.
#[derive(Clone, Debug, Default)]
pub struct Range<'a> {
    list: Vec<Comparator<'a>>,
    /// An alternative without comparators: any release.
    any: bool,
    pre: bool,
}

/// What a range may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// npm in loose mode.
    Npm,
    /// Bun: numbers of any length are read, a fourth number is left alone, a comma is an "or", an alternative that
    /// cannot be read is left out; a prerelease needs its hyphen.
    Bun,
}

/// A version that may end early or have wildcards.
pub(crate) struct Partial<'a> {
    pub version: Version<'a>,
    /// How many of major, minor, patch are given.
    pub given: u8,
}

/// Reads a number; with the rules of Bun one that is too large is the largest.
fn number(text: &str, rules: Rules) -> Option<(u64, &str)> {
    if let Some(found) = digits(text) {
        return Some(found);
    }
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    (rules == Rules::Bun && end > 0).then(|| (text[..end].parse().unwrap_or(u64::MAX), &text[end..]))
}

/// Reads a version that may be incomplete from the start of `text`; what follows is the second result.
pub(crate) fn partial(text: &str, rules: Rules) -> Option<(Partial<'_>, &str)> {
    let text = text.trim_start_matches(['v', 'V', '=']);
    let text = if rules == Rules::Bun { text.trim_start_matches(['v', 'V', '=', ' ', '\t', '\n', '\r']) } else { text };
    let mut numbers = [0u64; 3];
    let mut given = 0u8;
    let mut wild = false;
    let mut rest = text;
    for (place, slot) in numbers.iter_mut().enumerate() {
        if place > 0 {
            match rest.strip_prefix('.') {
                Some(after) => rest = after,
                None => break,
            }
        }
        if let Some(after) = rest.strip_prefix(['x', 'X', '*'])
            && !after.starts_with(|c: char| c.is_ascii_alphanumeric())
        {
            wild = true;
            rest = after;
        } else if let Some((number, after)) = number(rest, rules) {
            rest = after;
            if !wild {
                *slot = number;
                given = place as u8 + 1;
            }
        } else if place > 0 && rules == Rules::Bun {
            break;
        } else {
            return None;
        }
    }
    // A fourth number, which nobody needs.
    while rules == Rules::Bun && given == 3 && rest.starts_with('.') {
        rest = rest[1..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    let mut version = Version::new(numbers[0], numbers[1], numbers[2]);
    if let Some(after) = rest.strip_prefix('-') {
        let length = identifier(after);
        if given == 3 {
            version.pre = &after[..length];
        }
        rest = &after[length..];
    } else if rules == Rules::Npm && given == 3 && rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let length = identifier(rest);
        version.pre = &rest[..length];
        rest = &rest[length..];
    }
    if let Some(after) = rest.strip_prefix('+') {
        let length = identifier(after);
        rest = &after[length..];
    }
    Some((Partial { version, given }, rest))
}

impl<'a> Range<'a> {
    /// Reads a range; `None` if the text is none (a dist-tag, for instance).
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut range = Range::default();
        for alternative in text.split("||") {
            range.alternative(alternative, Rules::Npm)?;
        }
        range.pre = range.list.iter().any(|comparator| !comparator.version.pre.is_empty());
        Some(range)
    }

    /// Reads a range as `Bun.semver.satisfies` does: a comma is an "or", alternatives that cannot be read are left out, and
    /// if none is left the range holds all releases.
    pub fn parse_lenient(text: &'a str) -> Self {
        let mut range = Range::default();
        let mut readable = false;
        for alternative in text.split("||").flat_map(|part| part.split(',')) {
            if alternative.trim().is_empty() {
                continue;
            }
            let (length, any) = (range.list.len(), range.any);
            if range.alternative(alternative, Rules::Bun).is_some() {
                readable = true;
            } else {
                range.list.truncate(length);
                range.any = any;
            }
        }
        range.any |= !readable;
        range.pre = range.list.iter().any(|comparator| !comparator.version.pre.is_empty());
        range
    }

    fn alternative(&mut self, text: &'a str, rules: Rules) -> Option<()> {
        let mut rest = text.trim();
        let start = self.list.len();
        let mut everything = true;
        while !rest.is_empty() {
            everything = false;
            let (op, after) = operator(rest);
            let (left, after) = partial(after.trim_start(), rules)?;
            // A hyphen range needs white space on both sides.
            let ahead = after.trim_start();
            if op.is_empty()
                && ahead.len() != after.len()
                && let Some(second) = ahead.strip_prefix('-')
                && second.starts_with(char::is_whitespace)
            {
                let (right, after) = partial(second.trim_start(), rules)?;
                if left.given > 0 {
                    self.push(Op::GreaterEqual, left.version, start);
                }
                match right.given {
                    0 => {}
                    3 => self.push(Op::LessEqual, right.version, start),
                    _ => self.push(Op::Less, next(&right), start),
                }
                rest = boundary(after)?;
                continue;
            }
            self.comparator(op, &left, start)?;
            rest = boundary(after)?;
        }
        if everything || self.list.len() == start {
            self.any = true;
        }
        Some(())
    }

    fn comparator(&mut self, op: &str, left: &Partial<'a>, start: usize) -> Option<()> {
        let version = left.version;
        let full = left.given == 3;
        match op {
            "^" => {
                if left.given == 0 {
                    return Some(());
                }
                self.push(Op::GreaterEqual, version, start);
                let end = if version.major > 0 || left.given == 1 {
                    Version::new(version.major.checked_add(1)?, 0, 0)
                } else if version.minor > 0 || left.given == 2 {
                    Version::new(0, version.minor.checked_add(1)?, 0)
                } else {
                    Version::new(0, 0, version.patch.checked_add(1)?)
                };
                self.push_end(end, start);
            }
            "~" | "~>" => {
                if left.given == 0 {
                    return Some(());
                }
                self.push(Op::GreaterEqual, version, start);
                let end = if left.given == 1 {
                    Version::new(version.major.checked_add(1)?, 0, 0)
                } else {
                    Version::new(version.major, version.minor.checked_add(1)?, 0)
                };
                self.push_end(end, start);
            }
            "" | "=" => {
                if full {
                    self.push(Op::Equal, version, start);
                } else if left.given > 0 {
                    self.push(Op::GreaterEqual, version, start);
                    self.push_end(next(left), start);
                }
            }
            ">" => {
                if full {
                    self.push(Op::Greater, version, start);
                } else if left.given == 0 {
                    self.push(Op::Less, Version::new(0, 0, 0), start);
                } else {
                    self.push(Op::GreaterEqual, next(left), start);
                }
            }
            ">=" => {
                if left.given > 0 {
                    self.push(Op::GreaterEqual, version, start);
                }
            }
            "<" => {
                if left.given == 0 {
                    self.push(Op::Less, Version::new(0, 0, 0), start);
                } else if full {
                    self.push(Op::Less, version, start);
                } else {
                    self.push_end(version, start);
                }
            }
            "<=" => {
                if full {
                    self.push(Op::LessEqual, version, start);
                } else if left.given > 0 {
                    self.push_end(next(left), start);
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn push(&mut self, op: Op, version: Version<'a>, start: usize) {
        let first = self.list.len() == start;
        self.list.push(Comparator { op, version, first });
    }

    /// An exclusive upper end: prereleases of it are outside too, as npm's `<2.0.0-0`.
    fn push_end(&mut self, mut version: Version<'a>, start: usize) {
        version.build = "end";
        version.pre = "";
        self.push(Op::Less, version, start);
    }

    /// Whether `version` is in the range. A prerelease is only where a comparator of the same alternative names a prerelease of the
    /// same numbers.
    pub fn contains(&self, version: &Version<'_>) -> bool {
        if self.any && version.pre.is_empty() {
            return true;
        }
        let mut at = 0;
        while at < self.list.len() {
            let mut end = at + 1;
            while end < self.list.len() && !self.list[end].first {
                end += 1;
            }
            if all(&self.list[at..end], version) {
                return true;
            }
            at = end;
        }
        false
    }

    /// Whether a comparator names a prerelease.
    pub fn has_prerelease(&self) -> bool {
        self.pre
    }

    /// `*`, empty, `x`: no preference at all.
    pub fn is_any(&self) -> bool {
        self.any && self.list.is_empty()
    }

    /// The version, where the range is exactly one.
    pub fn exact(&self) -> Option<Version<'a>> {
        match self.list.as_slice() {
            [only] if only.op == Op::Equal && !self.any => Some(only.version),
            _ => None,
        }
    }

    /// The versions that the comparators name, ends included; none of `*`.
    pub fn versions(&self) -> impl Iterator<Item = &Version<'a>> {
        self.list.iter().map(|comparator| &comparator.version)
    }

    /// The version that the first comparator names.
    pub fn first(&self) -> Option<(bool, Version<'a>)> {
        self.list.first().map(|comparator| (comparator.op == Op::Equal, comparator.version))
    }
}

fn all(list: &[Comparator<'_>], version: &Version<'_>) -> bool {
    for comparator in list {
        let order = version.order(&comparator.version);
        let holds = match comparator.op {
            Op::Less if comparator.version.build == "end" => {
                order == Ordering::Less && !version.same_numbers(&comparator.version)
            }
            Op::Less => order == Ordering::Less,
            Op::LessEqual => order != Ordering::Greater,
            Op::Equal => order == Ordering::Equal,
            Op::GreaterEqual => order != Ordering::Less,
            Op::Greater => order == Ordering::Greater,
        };
        if !holds {
            return false;
        }
    }
    version.pre.is_empty()
        || list.iter().any(|comparator| !comparator.version.pre.is_empty() && comparator.version.same_numbers(version))
}

/// The first version above everything that a partial version covers.
fn next<'a>(partial: &Partial<'a>) -> Version<'a> {
    let version = partial.version;
    match partial.given {
        1 => Version::new(version.major.saturating_add(1), 0, 0),
        2 => Version::new(version.major, version.minor.saturating_add(1), 0),
        _ => Version::new(version.major, version.minor, version.patch.saturating_add(1)),
    }
}

fn operator(text: &str) -> (&str, &str) {
    for op in [">=", "<=", "~>", ">", "<", "=", "^", "~"] {
        if let Some(after) = text.strip_prefix(op) {
            return (op, after);
        }
    }
    ("", text)
}

/// What follows a comparator must be white space, a comma or the start of another operator.
fn boundary(rest: &str) -> Option<&str> {
    let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    if trimmed.len() == rest.len() && !rest.is_empty() && !rest.starts_with(['<', '>', '=', '^', '~']) {
        return None;
    }
    Some(trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(range: &str, version: &str) -> bool {
        Range::parse(range).unwrap().contains(&Version::parse(version).unwrap())
    }

    #[test]
    fn lenient_ranges_are_those_of_bun() {
        let is = |range: &str, version: &str| Range::parse_lenient(range).contains(&Version::parse(version).unwrap());
        for (range, version) in [
            ("^1.0.0", "1.2.3"),
            ("^0.1", "0.1.5"),
            ("^1.2.3-beta.2", "1.2.3-beta.3"),
            ("1 - 2", "2.0.0"),
            ("1.x || >=2.5.0 || 5.0.0 - 7.2.3", "1.2.3"),
            (">=10.0.2-0", "10.0.2-beta.2"),
            ("1.2.3.4", "1.2.3"),
            ("^1.", "1.2.3"),
            ("1.2.3, 2.x", "2.1.0"),
            ("latest", "3.0.0"),
            ("latest || 2", "2.1.0"),
            ("", "1.0.0"),
            ("<99999999999999999999", "5.0.0"),
            ("1.2.3-rc.18446744073709551615 - 2", "1.2.3-rc.18446744073709551616"),
        ] {
            assert!(is(range, version), "{range} {version}");
        }
        for (range, version) in [
            ("^0.1", "0.2.0"),
            ("^1.2.3-beta.2", "1.2.4-beta.3"),
            ("<2", "2.0.0-rc.1"),
            ("latest", "3.0.0-a"),
            ("latest || 2", "3.1.0"),
            ("1.2.3, 2.x", "1.2.4"),
        ] {
            assert!(!is(range, version), "{range} {version}");
        }
    }

    #[test]
    fn ranges_hold_what_npm_says() {
        for (range, version) in [
            ("^1.2.3", "1.9.0"),
            ("^0.2.3", "0.2.9"),
            ("^0.0.3", "0.0.3"),
            ("~1.2.3", "1.2.9"),
            ("~1", "1.9.9"),
            ("1.x", "1.4.0"),
            ("*", "0.0.1"),
            ("", "3.0.0"),
            (">=1.0.0 <2.0.0", "1.5.0"),
            ("1.0.0 - 2.0.0", "2.0.0"),
            ("1 - 2", "2.9.9"),
            ("^1 || ^3", "3.1.0"),
            (">=1.2.3-beta.2", "1.2.3-beta.3"),
            ("=1.2.3", "1.2.3"),
            ("v1.2.3", "1.2.3"),
            (">1", "2.0.0"),
            ("<=1.2", "1.2.9"),
            ("~> 1.2", "1.2.4"),
            (">= 1.0.0", "1.0.0"),
            ("^1.0.0-rc.1", "1.0.0"),
            ("1.2.3+build", "1.2.3"),
            (">=5,<7", "6.0.0"),
            ("^3.0.0-beta", "3.0.0-beta.5"),
            ("x", "1.0.0"),
            ("<2 >1.0.0", "1.0.1"),
        ] {
            assert!(is(range, version), "{range} {version}");
        }
        for (range, version) in [
            ("^1.2.3", "2.0.0"),
            ("^1.2.3", "2.0.0-alpha"),
            ("^0.2.3", "0.3.0"),
            ("^0.0.3", "0.0.4"),
            ("~1.2.3", "1.3.0"),
            ("1.x", "2.0.0"),
            ("*", "1.0.0-beta"),
            ("^1.0.0", "1.1.0-beta"),
            (">1", "1.9.0"),
            ("<1.2", "1.2.0"),
            ("<1.2", "1.2.0-a"),
            ("1.0.0 - 2.0.0", "2.0.1"),
            (">=1.2.3-beta.2", "1.2.4-beta.3"),
            ("<*", "0.0.0"),
        ] {
            assert!(!is(range, version), "{range} {version}");
        }
        for tag in ["latest", "next-1", "beta", "1.2.beta", "a||b", "https://x.y/z"] {
            assert!(Range::parse(tag).is_none(), "{tag}");
        }
    }
}

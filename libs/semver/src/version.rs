//! Versions and their order.

use crate::range::{Rules, partial};
use std::cmp::Ordering;
use std::fmt;

/// A version; the strings are slices of the text it was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version<'a> {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    /// Without the hyphen; empty for a release.
    pub pre: &'a str,
    /// Without the plus sign.
    pub build: &'a str,
}

/// Reads decimal digits; the number and what follows. `None` for no digit or more than fit.
pub(crate) fn digits(text: &str) -> Option<(u64, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    if end == 0 || end > 19 {
        return None;
    }
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// Length of the identifier characters at the start.
pub(crate) fn identifier(text: &str) -> usize {
    text.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.')).unwrap_or(text.len())
}

impl<'a> Version<'a> {
    /// A release.
    pub fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self { major, minor, patch, pre: "", build: "" }
    }

    /// A complete version; a leading `v` or `=` and white space around it are allowed.
    pub fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let text = text.trim_start_matches(['=', 'v', 'V']).trim_start();
        let (major, rest) = digits(text)?;
        let (minor, rest) = digits(rest.strip_prefix('.')?)?;
        let (patch, rest) = digits(rest.strip_prefix('.')?)?;
        let mut version = Self::new(major, minor, patch);
        let mut rest = rest;
        if let Some(after) = rest.strip_prefix('-') {
            let length = identifier(after);
            version.pre = &after[..length];
            rest = &after[length..];
        } else if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let length = identifier(rest);
            version.pre = &rest[..length];
            rest = &rest[length..];
        }
        if let Some(after) = rest.strip_prefix('+') {
            let length = identifier(after);
            version.build = &after[..length];
            rest = &after[length..];
        }
        rest.is_empty().then_some(version)
    }

    /// Reads a version for [`Version::order`] as `Bun.semver.order` does: numbers that are missing come after all others,
    /// and what follows is left alone. `None` if the text does not begin with a number.
    pub fn parse_for_order(text: &'a str) -> Option<Self> {
        let (found, _) = partial(text, Rules::Bun)?;
        let mut version = found.version;
        for (place, number) in [&mut version.major, &mut version.minor, &mut version.patch].into_iter().enumerate() {
            if place >= usize::from(found.given) {
                *number = u64::MAX;
            }
        }
        Some(version)
    }

    /// Order of precedence (section 11 of the specification); build metadata does not count.
    pub fn order(&self, other: &Version<'_>) -> Ordering {
        (self.major, self.minor, self.patch)
            .cmp(&(other.major, other.minor, other.patch))
            .then_with(|| order_pre(self.pre, other.pre))
    }

    /// Same numbers, whatever the prerelease.
    pub fn same_numbers(&self, other: &Version<'_>) -> bool {
        (self.major, self.minor, self.patch) == (other.major, other.minor, other.patch)
    }
}

fn order_pre(left: &str, right: &str) -> Ordering {
    match (left.is_empty(), right.is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    let (mut left, mut right) = (left.split('.'), right.split('.'));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => {
                let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
                match (number(a), number(b)) {
                    (true, true) => {
                        let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
                        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
                    }
                    (true, false) => Ordering::Less,
                    (false, true) => Ordering::Greater,
                    (false, false) => a.cmp(b),
                }
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

impl fmt::Display for Version<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.pre.is_empty() {
            write!(f, "-{}", self.pre)?;
        }
        if !self.build.is_empty() {
            write!(f, "+{}", self.build)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(text: &str) -> Version<'_> {
        Version::parse(text).unwrap()
    }

    #[test]
    fn versions_are_ordered_as_the_specification_says() {
        let sorted = [
            "0.0.1",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
            "1.10.0",
            "2.0.0",
        ];
        for pair in sorted.windows(2) {
            assert_eq!(v(pair[0]).order(&v(pair[1])), Ordering::Less, "{pair:?}");
        }
        assert_eq!(v("1.0.0+a").order(&v("1.0.0+b")), Ordering::Equal);
    }

    #[test]
    fn numbers_of_prereleases_have_any_length() {
        for (less, more) in [
            ("1.0.0-rc.18446744073709551615", "1.0.0-rc.18446744073709551616"),
            ("1.0.0-rc.9", "1.0.0-rc.18446744073709551616"),
            ("1.0.0-99999999999999999999", "1.0.0-100000000000000000000"),
            ("1.0.0-18446744073709551617", "1.0.0-a"),
        ] {
            assert_eq!(v(less).order(&v(more)), Ordering::Less, "{less} {more}");
        }
        assert_eq!(v("1.0.0-007").order(&v("1.0.0-7")), Ordering::Equal);
    }

    #[test]
    fn order_of_incomplete_versions() {
        let order =
            |a: &'static str, b: &'static str| Some(Version::parse_for_order(a)?.order(&Version::parse_for_order(b)?));
        assert_eq!(order("1.2", "1.2.9"), Some(Ordering::Greater));
        assert_eq!(order("1.x", "1.2"), Some(Ordering::Greater));
        assert_eq!(order("v1.2.3 and more", "1.2.3"), Some(Ordering::Equal));
        assert_eq!(order("1.2.3-a", "1.2.3"), Some(Ordering::Less));
        assert_eq!(order("latest", "1.2.3"), None);
    }

    #[test]
    fn malformed_versions_are_refused() {
        for text in ["", "1", "1.2", "a.b.c", "1.2.3.4", "1.2.3/..", "99999999999999999999.0.0", "../1.2.3"] {
            assert!(Version::parse(text).is_none(), "{text}");
        }
        assert_eq!(v("v1.2.3-beta+x.1").to_string(), "1.2.3-beta+x.1");
    }
}

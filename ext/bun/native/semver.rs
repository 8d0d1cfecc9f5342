//! Versions and ranges as npm has them (<https://semver.org>, <https://github.com/npm/node-semver#ranges>), with what
//! Bun does about text that is neither: a range that cannot be read is any version.

use std::cmp::Ordering;

/// A version. The build part does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version<'a> {
    numbers: [u64; 3],
    /// Without the hyphen; empty for a release.
    pre: &'a str,
}

fn compare_pre(a: &str, b: &str) -> Ordering {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    let (mut left, mut right) = (a.split('.'), b.split('.'));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

impl Version<'_> {
    /// Precedence, as section 11 of the specification has it.
    pub fn compare(&self, other: &Version<'_>) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| compare_pre(self.pre, other.pre))
    }
}

/// A version of which parts may be missing or `x`.
struct Partial<'a> {
    numbers: [u64; 3],
    /// How many of the numbers are there.
    count: usize,
    pre: &'a str,
}

/// Reads numbers, pre-release and build from the beginning of `text`; what follows is the second result.
fn partial(text: &str) -> Option<(Partial<'_>, &str)> {
    let mut rest = text.trim_start_matches([' ', '\t']);
    rest = rest.trim_start_matches(['v', 'V', '=', ' ']);
    let mut numbers = [0; 3];
    let mut count = 0;
    let mut wild = false;
    let mut any = false;
    for (index, number) in numbers.iter_mut().enumerate() {
        if let Some(after) = rest.strip_prefix(['x', 'X', '*']) {
            (wild, any, rest) = (true, true, after);
        } else {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                break;
            }
            let value = rest[..digits].parse().unwrap_or(u64::MAX);
            rest = &rest[digits..];
            any = true;
            if !wild {
                (*number, count) = (value, index + 1);
            }
        }
        match rest.strip_prefix('.') {
            Some(after) if index < 2 => rest = after,
            _ => break,
        }
    }
    if !any {
        return None;
    }
    // A fourth number, which nobody needs.
    while count == 3 && rest.starts_with('.') {
        rest = rest[1..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let mut pre = "";
    if let Some(after) = rest.strip_prefix('-') {
        let end = after.find(|c| !is_part(c)).unwrap_or(after.len());
        (pre, rest) = after.split_at(end);
    }
    if let Some(after) = rest.strip_prefix('+') {
        rest = after.trim_start_matches(is_part);
    }
    Some((Partial { numbers, count, pre: if count == 3 { pre } else { "" } }, rest))
}

/// Reads a complete version.
pub fn version(text: &str) -> Option<Version<'_>> {
    let body = text.trim();
    let body = body.trim_start_matches(['v', 'V', '=']);
    let dots = body.split(['-', '+']).next()?;
    if dots.split('.').count() != 3 {
        return None;
    }
    let (found, rest) = partial(body)?;
    (found.count == 3 && rest.is_empty()).then_some(Version { numbers: found.numbers, pre: found.pre })
}

/// Reads a version of which numbers may be missing, for comparing: one that is missing comes after all others, as in Bun.
pub fn loose_version(text: &str) -> Option<Version<'_>> {
    let (mut found, _) = partial(text)?;
    found.numbers[found.count..].fill(u64::MAX);
    Some(Version { numbers: found.numbers, pre: found.pre })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Less,
    AtMost,
    More,
    AtLeast,
    Same,
    Caret,
    Tilde,
}

/// Versions between two: from `low` (included, or not) up to `high` (likewise), where there are such.
struct Interval<'a> {
    low: Option<(Version<'a>, bool)>,
    high: Option<(Version<'a>, bool)>,
}

impl Interval<'_> {
    fn contains(&self, version: &Version<'_>) -> bool {
        let above = self.low.as_ref().is_none_or(|(low, included)| match version.compare(low) {
            Ordering::Greater => true,
            Ordering::Equal => *included,
            Ordering::Less => false,
        });
        above
            && self.high.as_ref().is_none_or(|(high, included)| match version.compare(high) {
                Ordering::Less => true,
                Ordering::Equal => *included,
                Ordering::Greater => false,
            })
    }

    /// Whether a pre-release of these numbers is asked for by name.
    fn names_pre(&self, numbers: &[u64; 3]) -> bool {
        [&self.low, &self.high]
            .into_iter()
            .flatten()
            .any(|(bound, _)| !bound.pre.is_empty() && bound.pre != "0" && bound.numbers == *numbers)
    }
}

/// The first version after all those that begin with `numbers[..=index]`, without its pre-releases.
fn after(numbers: [u64; 3], index: usize) -> Version<'static> {
    let mut next = [0; 3];
    next[..=index].copy_from_slice(&numbers[..=index]);
    next[index] = next[index].saturating_add(1);
    Version { numbers: next, pre: "0" }
}

fn interval<'a>(operator: Operator, partial: &Partial<'a>) -> Interval<'a> {
    let Partial { numbers, count, pre } = *partial;
    let exact = Version { numbers, pre };
    let any = Interval { low: None, high: None };
    match operator {
        Operator::Less if count == 0 => {
            Interval { low: None, high: Some((Version { numbers: [0; 3], pre: "0" }, false)) }
        }
        Operator::More if count == 0 => {
            Interval { low: None, high: Some((Version { numbers: [0; 3], pre: "0" }, false)) }
        }
        _ if count == 0 => any,
        Operator::Less => Interval { low: None, high: Some((exact, false)) },
        Operator::AtMost if count == 3 => Interval { low: None, high: Some((exact, true)) },
        Operator::AtMost => Interval { low: None, high: Some((after(numbers, count - 1), false)) },
        Operator::More if count == 3 => Interval { low: Some((exact, false)), high: None },
        Operator::More => {
            let next = after(numbers, count - 1);
            Interval { low: Some((Version { numbers: next.numbers, pre: "" }, true)), high: None }
        }
        Operator::AtLeast => Interval { low: Some((exact, true)), high: None },
        Operator::Same if count == 3 => Interval { low: Some((exact.clone(), true)), high: Some((exact, true)) },
        Operator::Same => Interval { low: Some((exact, true)), high: Some((after(numbers, count - 1), false)) },
        Operator::Tilde => {
            Interval { low: Some((exact, true)), high: Some((after(numbers, (count - 1).min(1)), false)) }
        }
        Operator::Caret => {
            // The first number that is not zero stays, as far as there are numbers.
            let index = numbers[..count].iter().position(|&n| n != 0).unwrap_or(count - 1);
            Interval { low: Some((exact, true)), high: Some((after(numbers, index), false)) }
        }
    }
}

fn operator(text: &str) -> (Operator, &str) {
    for (sign, operator) in [
        ("<=", Operator::AtMost),
        (">=", Operator::AtLeast),
        ("<", Operator::Less),
        (">", Operator::More),
        ("~>", Operator::Tilde),
        ("~", Operator::Tilde),
        ("^", Operator::Caret),
        ("=", Operator::Same),
    ] {
        if let Some(rest) = text.strip_prefix(sign) {
            return (operator, rest.trim_start());
        }
    }
    (Operator::Same, text)
}

/// One of the alternatives of a range; `None` if it cannot be read.
fn intervals(text: &str) -> Option<Vec<Interval<'_>>> {
    let mut rest = text.trim();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let (operator, after) = operator(rest);
        let (found, after) = partial(after)?;
        if let Some(second) = after.trim_start().strip_prefix("- ")
            && after.starts_with(' ')
        {
            let (end, after) = partial(second)?;
            let low = interval(Operator::AtLeast, &found).low;
            let high = interval(Operator::AtMost, &end).high;
            all.push(Interval { low, high });
            rest = after.trim_start();
            continue;
        }
        if !after.is_empty() && !after.starts_with([' ', '\t', '<', '>', '=', '~', '^']) {
            return None;
        }
        all.push(interval(operator, &found));
        rest = after.trim_start();
    }
    Some(all)
}

/// Whether `version` is in `range`.
pub fn satisfies(text: &str, range: &str) -> bool {
    let Some(version) = version(text) else {
        return false;
    };
    let mut readable = false;
    // Bun takes a comma for an "or", too.
    for alternative in range.split("||").flat_map(|part| part.split(',')) {
        if alternative.trim().is_empty() {
            continue;
        }
        let Some(intervals) = intervals(alternative) else {
            continue;
        };
        readable = true;
        if intervals.iter().all(|interval| interval.contains(&version))
            && (version.pre.is_empty() || intervals.iter().any(|interval| interval.names_pre(&version.numbers)))
        {
            return true;
        }
    }
    !readable && version.pre.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (version, range, expected) in [
            ("1.2.3", "^1.0.0", true),
            ("0.1.5", "^0.1", true),
            ("0.2.0", "^0.1", false),
            ("1.2.3-beta.3", "^1.2.3-beta.2", true),
            ("1.2.4-beta.3", "^1.2.3-beta.2", false),
            ("2.0.0", "1 - 2", true),
            ("2.0.0-rc.1", "<2", false),
            ("1.2.3", "1.x || >=2.5.0 || 5.0.0 - 7.2.3", true),
        ] {
            assert_eq!(satisfies(version, range), expected, "{version} in {range}");
        }
    }
}

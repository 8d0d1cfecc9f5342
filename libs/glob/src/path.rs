//! Globs as minimatch has them, on which Node and npm rest: a path is a list of names, compared one by one.
//!
//! Braces, `*`, `?`, `[a-z]`, POSIX classes, `**` as a whole name, and `?(a|b)`, `*(a|b)`, `+(a|b)`, `@(a|b)`, `!(a|b)`. A wildcard
//! does not match "." and "..", nor, unless [`PathOptions::dot`] is set, the dot in front of a name.

use std::borrow::Cow;

use crate::braces;
use crate::name::{Name, fold};

/// In what the users of minimatch differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathOptions {
    /// Wildcards match names that begin with a dot.
    pub dot: bool,
    /// Upper and lower case are the same.
    pub nocase: bool,
    /// A pattern without a slash is compared with the last name of a path.
    pub match_base: bool,
    /// A backslash in the pattern is a slash; otherwise it takes the next character as it is.
    pub backslash_separates: bool,
    /// "." and ".." are resolved in patterns and paths.
    pub resolve_dots: bool,
    /// Paths are those of Windows: backslashes separate names, and `//server` keeps both of its slashes.
    pub windows: bool,
}

impl PathOptions {
    /// `path.posix.matchesGlob` and `fs.glob` of Node, on systems whose file names have case.
    pub const fn node() -> Self {
        PathOptions {
            dot: false,
            nocase: false,
            match_base: false,
            backslash_separates: true,
            resolve_dots: true,
            windows: false,
        }
    }

    /// `files` of package.json, `.npmignore` and `.gitignore` in npm (ignore-walk).
    pub const fn npm() -> Self {
        PathOptions {
            dot: true,
            nocase: true,
            match_base: true,
            backslash_separates: false,
            resolve_dots: false,
            windows: false,
        }
    }
}

/// How much of a path has to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The path is all there is.
    Whole,
    /// The path is a directory, in which a match may be.
    MayHold,
}

/// What stands between two slashes of a pattern.
#[derive(Debug)]
pub enum Segment {
    /// `**`: any number of names.
    Any,
    /// One name only; in lower case, if case does not count.
    Exact(String),
    Name(Name),
}

/// A compiled pattern.
#[derive(Debug)]
pub struct PathGlob {
    alternatives: Vec<Vec<Segment>>,
    options: PathOptions,
    /// The pattern is no text at all.
    empty: bool,
}

impl PathGlob {
    /// Compiles a pattern. Every text is one: brackets without a partner stand for themselves.
    pub fn new(pattern: &str, options: PathOptions) -> Self {
        let empty = pattern.is_empty();
        let pattern: Cow<'_, str> =
            if options.backslash_separates { pattern.replace('\\', "/").into() } else { pattern.into() };
        let mut alternatives = Vec::new();
        for text in braces::expand(&pattern, !options.backslash_separates) {
            let parts = split(&text, options.windows);
            let spellings = if options.resolve_dots { simplify(parts) } else { vec![parts] };
            alternatives.extend(spellings.into_iter().map(|parts| segments(&parts, options)));
        }
        PathGlob { alternatives, options, empty }
    }

    /// The patterns that braces and `**/..` make of one; a path matches if one of them does.
    pub fn alternatives(&self) -> &[Vec<Segment>] {
        &self.alternatives
    }

    /// Consumes the pattern for its [`PathGlob::alternatives`].
    pub fn into_alternatives(self) -> Vec<Vec<Segment>> {
        self.alternatives
    }

    /// Whether all of `path` matches. A slash at its end needs no counterpart. The empty pattern is for the empty path.
    pub fn matches(&self, path: &str) -> bool {
        if self.empty {
            return path.is_empty();
        }
        let path: Cow<'_, str> = if self.options.windows { path.replace('\\', "/").into() } else { path.into() };
        let names = split(&path, self.options.windows);
        let names = if self.options.resolve_dots { drop_dots(names, false) } else { names };
        self.matches_names(&names, Extent::Whole)
    }

    /// Whether a path matches that has been split at its slashes (an absolute one begins with an empty name).
    pub fn matches_names(&self, names: &[&str], extent: Extent) -> bool {
        self.alternatives.iter().any(|segments| {
            if self.options.match_base && segments.len() == 1 {
                let name = names.iter().rev().find(|name| !name.is_empty()).copied().unwrap_or_default();
                return self.walk(segments, &[name], extent);
            }
            self.walk(segments, names, extent)
        })
    }

    /// Whether the pattern has an alternative of one name, with or without a slash after it.
    pub fn is_one_name(&self) -> bool {
        let open = |segments: &[Segment]| matches!(segments, [.., Segment::Exact(last)] if last.is_empty());
        self.alternatives.iter().any(|segments| segments.len() <= if open(segments) { 2 } else { 1 })
    }

    /// Goes through the names with all segments that the next one may belong to.
    fn walk(&self, segments: &[Segment], names: &[&str], extent: Extent) -> bool {
        // Names that are written out settle most paths.
        if let ([Segment::Exact(first), ..], [name, ..]) = (segments, names)
            && !self.same(first, name)
        {
            return false;
        }
        let end = segments.len();
        let mut active = vec![false; end + 1];
        let mut next = vec![false; end + 1];
        active[0] = true;
        // A `**` at the end that has had a name.
        let mut tail = false;
        for (place, name) in names.iter().enumerate() {
            if active[end] && name.is_empty() && place + 1 == names.len() {
                return true;
            }
            next.fill(false);
            let crossed = self.is_crossed(name);
            tail &= crossed;
            for at in 0..end {
                if !active[at] {
                    continue;
                }
                match &segments[at] {
                    Segment::Any => {
                        if at + 1 == end {
                            tail |= crossed;
                        } else {
                            active[at + 1] = true;
                        }
                        next[at] |= crossed;
                    }
                    Segment::Exact(text) => next[at + 1] |= self.same(text, name),
                    Segment::Name(pattern) => next[at + 1] |= pattern.matches(name),
                }
            }
            std::mem::swap(&mut active, &mut next);
            if !tail && !active.contains(&true) {
                return false;
            }
        }
        active[end] || tail || extent == Extent::MayHold && active.contains(&true)
    }

    /// Whether `**` goes on over a name.
    fn is_crossed(&self, name: &str) -> bool {
        if self.options.dot { name != "." && name != ".." } else { !name.starts_with('.') }
    }

    fn same(&self, text: &str, name: &str) -> bool {
        if self.options.nocase { text == fold(name) } else { text == name }
    }
}

fn segments(parts: &[&str], options: PathOptions) -> Vec<Segment> {
    let mut segments = Vec::with_capacity(parts.len());
    for part in parts {
        if *part != "**" {
            segments.push(match Name::compile(part, options) {
                Ok(name) => Segment::Name(name),
                Err(text) if options.nocase => Segment::Exact(fold(&text).into_owned()),
                Err(text) => Segment::Exact(text),
            });
        } else if !matches!(segments.last(), Some(Segment::Any)) {
            segments.push(Segment::Any);
        }
    }
    segments
}

/// Splits at runs of slashes; on Windows the two slashes of a share stay visible as an extra empty name.
fn split(path: &str, windows: bool) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    let bytes = path.as_bytes();
    if windows && bytes.starts_with(b"//") && bytes.get(2).is_some_and(|&byte| byte != b'/') {
        parts.push("");
    }
    let mut start = 0;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'/' {
            parts.push(&path[start..at]);
            while bytes.get(at + 1) == Some(&b'/') {
                at += 1;
            }
            start = at + 1;
        }
        at += 1;
    }
    parts.push(&path[start..]);
    parts
}

/// Drops "." between other names and applies ".." to the name in front of it.
fn drop_dots<'a>(parts: Vec<&'a str>, is_pattern: bool) -> Vec<&'a str> {
    if !parts.iter().any(|part| matches!(*part, "." | "..")) {
        return parts;
    }
    let mut out: Vec<&'a str> = Vec::new();
    for (place, &part) in parts.iter().enumerate() {
        if part == "." && !out.is_empty() && place + 1 < parts.len() {
            continue;
        }
        if part == ".." && out.last().is_some_and(|last| !matches!(*last, "" | "." | ".." | "**")) {
            out.pop();
            if is_pattern && out.is_empty() && parts.get(place + 1) == Some(&"**") {
                out.push(".");
            }
            continue;
        }
        out.push(part);
    }
    if matches!(out[..], [".", "." | ""]) {
        out.pop();
    }
    if out.is_empty() {
        out.push("");
    }
    out
}

/// Resolves "." and ".."; `**` followed by ".." and names stands for both none and some directories, which makes two patterns.
fn simplify(parts: Vec<&str>) -> Vec<Vec<&str>> {
    /// `**/../a/b` again and again doubles the patterns.
    const MAX_PATTERNS: usize = 1024;
    let is_name = |part: Option<&&str>| part.is_some_and(|part| !matches!(*part, "" | "." | ".."));
    let mut out = Vec::new();
    let mut work = vec![parts];
    while let Some(mut one) = work.pop() {
        let at = (0..one.len()).find(|&at| {
            one[at] == "**" && one.get(at + 1) == Some(&"..") && is_name(one.get(at + 2)) && is_name(one.get(at + 3))
        });
        match at {
            Some(at) if work.len() + out.len() < MAX_PATTERNS => {
                let mut without = one.clone();
                without.remove(at);
                work.push(without);
                one.remove(at + 1);
                work.push(one);
            }
            _ => out.push(drop_dots(one, true)),
        }
    }
    out
}

//! Names of entries: which are wanted, and what they are below a directory.

use glob::Pattern;

/// Longest name that is written, and longest component of one: those of Linux.
const MAX_PATH: usize = 4095;
const MAX_COMPONENT: usize = 255;

/// Globs of which one has to match, and such of which none may (`!`).
pub(crate) struct Filter {
    wanted: Vec<Pattern>,
    unwanted: Vec<Pattern>,
}

impl Filter {
    pub(crate) fn new(globs: &[String]) -> Self {
        let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
        for glob in globs.iter().filter(|glob| !glob.is_empty()) {
            match glob.strip_prefix('!') {
                Some(glob) => unwanted.push(Pattern::new(glob)),
                None => wanted.push(Pattern::new(glob)),
            }
        }
        Self { wanted, unwanted }
    }

    pub(crate) fn lets_through(&self, name: &[u8]) -> bool {
        let any = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(name));
        (self.wanted.is_empty() || any(&self.wanted)) && !any(&self.unwanted)
    }
}

/// The components of a name below a directory: without `.` and empty ones, `..` taking one away but never going above. `None` if nothing
/// is left, if the system has no such names, or with a NUL.
pub(crate) fn components(name: &[u8]) -> Option<Vec<&[u8]>> {
    if name.len() > MAX_PATH || name.contains(&0) {
        return None;
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in name.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part if part.len() > MAX_COMPONENT => return None,
            part => parts.push(part),
        }
    }
    if parts.is_empty() { None } else { Some(parts) }
}

/// Whether the target of a link at `parts` stays below the directory, as text; what lies there may be no link itself.
pub(crate) fn stays_below(parts: &[&[u8]], target: &[u8]) -> bool {
    if target.is_empty() || target[0] == b'/' || target.contains(&0) {
        return false;
    }
    let mut depth = parts.len() - 1;
    for part in target.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => depth += 1,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_below() {
        let joined =
            |name: &str| components(name.as_bytes()).map(|parts| String::from_utf8(parts.join(&b'/')).unwrap());
        for (name, wanted) in
            [("../up", "up"), ("/abs", "abs"), ("a/../../b", "b"), ("./c", "c"), ("d//e", "d/e"), ("x/", "x")]
        {
            assert_eq!(joined(name).as_deref(), Some(wanted), "{name}");
        }
        for name in ["", ".", "..", "../..", "/", "a\0b"] {
            assert_eq!(joined(name), None, "{name:?}");
        }
        assert_eq!(joined(&"x".repeat(256)), None);
        assert_eq!(joined(&"d/".repeat(3000)), None);
    }

    #[test]
    fn links_stay_below() {
        let parts: [&[u8]; 2] = [b"d", b"l"];
        for target in ["x", "../x", "./../x/..", "a/b/../../.."] {
            assert!(stays_below(&parts, target.as_bytes()), "{target}");
        }
        for target in ["", "/x", "../../x", "..//../x", "a/../../../x"] {
            assert!(!stays_below(&parts, target.as_bytes()), "{target}");
        }
    }
}

//! The members that `workspaces` names.

use std::borrow::Cow;
use std::path::Path;

use glob::{Pattern, is_pattern, spread};

/// A directory that may be a member: it is one if it has a package.json.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Relative to the root, with slashes.
    pub path: String,
    /// The pattern is this path: a package.json has to be there.
    pub is_named: bool,
}

/// The directories below `root` that the patterns stand for, in the order of the patterns and by path within each. A pattern
/// with `!` takes away what the globs before and after it find; a path that is written out is always a member. Directories
/// called `node_modules` and those that begin with a dot are not searched; links to directories are. Directories that
/// cannot be read have no members.
pub fn members<T: AsRef<str>>(root: &Path, patterns: &[T]) -> Vec<Member> {
    let excluded = excluded(patterns);
    let mut out: Vec<Member> = Vec::new();
    for pattern in patterns.iter().map(AsRef::as_ref).filter(|pattern| !pattern.starts_with('!')) {
        for pattern in spread(&clean(pattern)) {
            let is_named = !is_pattern(&pattern);
            let segments: Vec<&str> = pattern.split('/').filter(|segment| !matches!(*segment, "." | "")).collect();
            let mut found = Vec::new();
            expand(root, "", &segments, &mut found);
            found.sort_by(|a, b| a.split('/').cmp(b.split('/')));
            for path in found {
                let is_excluded = !is_named && excluded.iter().any(|pattern| pattern.matches(path.as_bytes()));
                if !path.is_empty() && !is_excluded && !out.iter().any(|known| known.path == path) {
                    out.push(Member { path, is_named });
                }
            }
        }
    }
    out
}

/// Whether the directory `path`, relative to the root, is one that the patterns stand for.
pub fn is_member<T: AsRef<str>>(patterns: &[T], path: &str) -> bool {
    let excluded = excluded(patterns);
    let is_excluded = excluded.iter().any(|pattern| pattern.matches(path.as_bytes()));
    patterns.iter().map(AsRef::as_ref).filter(|pattern| !pattern.starts_with('!')).any(|pattern| {
        let pattern = clean(pattern);
        if is_pattern(&pattern) {
            !is_excluded && crate::matches(&pattern, path)
        } else {
            resolve("", &pattern) == path
        }
    })
}

/// `path` seen from the directory `base`, without `.`, `..` and slashes in a row. Both are relative to a root above which
/// `..` remains; an absolute `path` is itself.
pub fn resolve(base: &str, path: &str) -> String {
    let start = if path.starts_with('/') { "" } else { base };
    let mut parts: Vec<&str> = Vec::new();
    for part in start.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') || base.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// A pattern without `./` before it and slashes behind it. In a path a backslash separates names, as in Bun: projects that were written
/// on Windows have it.
fn clean(pattern: &str) -> Cow<'_, str> {
    fn trim(path: &str) -> &str {
        path.trim_start_matches("./").trim_end_matches('/')
    }
    match pattern.contains('\\') && !is_pattern(pattern) {
        true => trim(&pattern.replace('\\', "/")).to_owned().into(),
        false => trim(pattern).into(),
    }
}

fn excluded<T: AsRef<str>>(patterns: &[T]) -> Vec<Pattern> {
    patterns.iter().filter_map(|pattern| pattern.as_ref().strip_prefix('!')).map(|p| Pattern::new(&clean(p))).collect()
}

/// Collects the directories that a pattern, cut at its slashes, names below `at`.
fn expand(root: &Path, at: &str, segments: &[&str], out: &mut Vec<String>) {
    let Some((segment, rest)) = segments.split_first() else {
        out.push(at.to_owned());
        return;
    };
    let join = |name: &str| resolve(at, name);
    if *segment == "**" {
        expand(root, at, rest, out);
        for name in subdirectories(&root.join(at)) {
            expand(root, &join(&name), segments, out);
        }
    } else if is_pattern(segment) {
        let pattern = Pattern::new(segment);
        for name in subdirectories(&root.join(at)) {
            if pattern.matches(name.as_bytes()) {
                expand(root, &join(&name), rest, out);
            }
        }
    } else {
        expand(root, &join(segment), rest, out);
    }
}

/// Names of the directories that may hold packages; links to directories count.
fn subdirectories(dir: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry)))
        .filter(|(name, _)| name != "node_modules" && !name.starts_with('.'))
        .filter(|(_, entry)| {
            entry.file_type().is_ok_and(|kind| kind.is_dir() || (kind.is_symlink() && entry.path().is_dir()))
        })
        .map(|(name, _)| name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(patterns: &[&str]) -> String {
        let root = std::env::temp_dir().join(format!("bao-workspace-{}-{:?}", std::process::id(), patterns));
        for dir in
            ["packages/one", "packages/two", "libs/three", "node_modules/x", ".hidden/y", "packages/one/node_modules/z"]
        {
            std::fs::create_dir_all(root.join("w").join(dir)).unwrap();
        }
        std::fs::create_dir_all(root.join("beside")).unwrap();
        let found = members(&root.join("w"), patterns);
        std::fs::remove_dir_all(&root).unwrap();
        let show = |member: &Member| format!("{}{}", member.path, if member.is_named { "!" } else { "" });
        found.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn patterns_of_package_json() {
        assert_eq!(list(&["packages/*"]), "packages/one packages/two");
        assert_eq!(list(&["./packages/*/", "libs/three"]), "packages/one packages/two libs/three!");
        assert_eq!(list(&["**"]), "libs libs/three packages packages/one packages/two");
        assert_eq!(list(&["packages/{two,one}"]), "packages/one packages/two");
        assert_eq!(list(&["{libs,packages}/t*"]), "libs/three packages/two");
        assert_eq!(list(&["packages/@(one|x)"]), "packages/one");
        assert_eq!(list(&["nosuch", "nosuch/*"]), "nosuch!");
        assert_eq!(list(&["../beside"]), "../beside!");
        assert_eq!(list(&["."]), "");
        assert_eq!(list(&[".\\", "packages\\two", ".\\libs\\three\\"]), "packages/two! libs/three!");
        assert!(is_member(&["packages\\two"], "packages/two"));
        assert!(is_member(&["packages/../packages/two"], "packages/two"));
    }

    #[test]
    fn exclusions() {
        assert_eq!(list(&["packages/*", "!packages/two"]), "packages/one");
        assert_eq!(list(&["!packages/two", "packages/*"]), "packages/one");
        assert_eq!(list(&["!packages/two", "packages/*", "!packages/one", "packages/*"]), "");
        assert_eq!(list(&["packages/**", "!packages/two", "packages/two"]), "packages packages/one packages/two!");
        assert_eq!(list(&["!**/two", "packages/**"]), "packages packages/one");
        assert!(is_member(&["packages/*", "!packages/two"], "packages/one"));
        assert!(!is_member(&["packages/*", "!packages/two"], "packages/two"));
        assert!(is_member(&["!packages/two", "./packages/two/"], "packages/two"));
        assert!(!is_member(&["packages/*"], "packages/one/two"));
    }

    #[test]
    fn paths() {
        for (base, path, expected) in [
            ("packages", "../libs/./a/", "libs/a"),
            ("", "..", ".."),
            ("..", "../a", "../../a"),
            ("a/b", "/c/../d", "/d"),
            ("/w/a", "../b", "/w/b"),
            ("/", "..", "/.."),
        ] {
            assert_eq!(resolve(base, path), expected, "{base} {path}");
        }
    }
}

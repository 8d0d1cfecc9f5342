//! Paths as bun.lock has them: relative to the root, with slashes.

/// `path`, if it is absolute, relative to the absolute directory `root`: bun.lock names no place of one machine.
pub(crate) fn relative_to(root: &str, path: &str) -> String {
    if !path.starts_with('/') || !root.starts_with('/') {
        return path.to_owned();
    }
    let (root, path) = (normalize("", &root[1..]), normalize("", path.trim_start_matches('/')));
    if root == path { String::new() } else { relative(&root, &path) }
}

/// `target`, which is relative to the project (or absolute), seen from the directory `from` of the project.
pub(crate) fn relative(from: &str, target: &str) -> String {
    if target.starts_with('/') {
        return target.to_owned();
    }
    let mut ours = from.split('/').filter(|part| !part.is_empty() && *part != ".").peekable();
    let mut theirs = target.split('/').filter(|part| !part.is_empty() && *part != ".").peekable();
    while let (Some(a), Some(b)) = (ours.peek(), theirs.peek())
        && a == b
        && *a != ".."
    {
        ours.next();
        theirs.next();
    }
    let mut parts: Vec<&str> = ours.map(|_| "..").collect();
    parts.extend(theirs);
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// A path relative to the root, without `.` and inner `..`.
pub(crate) fn normalize(base: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_become_relative() {
        let cases = [("/a/b", "/a/b/c", "c"), ("/a/b", "//a/./c", "../c"), ("/a/b", "/a/b", ""), ("/a", "./x", "./x")];
        for (root, path, wanted) in cases {
            assert_eq!(relative_to(root, path), wanted, "{path}");
        }
    }

    #[test]
    fn relative_paths() {
        assert_eq!(relative("node_modules", "packages/a"), "../packages/a");
        assert_eq!(relative("node_modules/@s", "packages/a"), "../../packages/a");
        assert_eq!(relative("packages/b/node_modules", "packages/a"), "../../a");
        assert_eq!(relative("node_modules", "../outside"), "../../outside");
        assert_eq!(relative("node_modules", "/abs"), "/abs");
        assert_eq!(relative("node_modules", ""), "..");
    }
}

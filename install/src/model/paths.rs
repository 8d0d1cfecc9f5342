//! Paths as bun.lock has them: relative to the root, with slashes.

/// `path`, if it is absolute, relative to the absolute directory `root`: bun.lock names no place of one machine.
pub(crate) fn relative_to(root: &str, path: &str) -> String {
    if !path.starts_with('/') || !root.starts_with('/') {
        return path.to_owned();
    }
    let (root, path) = (normalize("", &root[1..]), normalize("", path.trim_start_matches('/')));
    let mut from = root.split('/').filter(|part| !part.is_empty()).peekable();
    let mut to = path.split('/').filter(|part| !part.is_empty()).peekable();
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let mut out: Vec<&str> = from.map(|_| "..").collect();
    out.extend(to);
    out.join("/")
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
}

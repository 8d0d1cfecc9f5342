//! Packages that `bao link` has registered: links in `node_modules` of the global directory, their commands in the global bin directory.

use crate::config::Config;
use crate::error::{Code, Error, Result};
use std::path::{Component, Path, PathBuf};

/// Whether the text after `link:` is a path; otherwise it is a registered name.
pub(crate) fn is_path(text: &str) -> bool {
    text.starts_with('/') || text.starts_with("./") || text.starts_with("../") || matches!(text, "." | "..")
}

/// Where a registered package is: a link to its directory, if there is one.
///
/// # Errors
/// The name cannot be a package's.
pub(crate) fn registered(config: &Config, name: &str) -> Result<PathBuf> {
    if !crate::model::spec::valid_name(name) {
        return Err(Error::new(Code::Usage, format!("\"{}\" is not a package name", name.escape_debug()))
            .hint("link:<name> needs a name that `bao link` has registered, or a path that begins with ./, ../ or /"));
    }
    Ok(config.global_dir.join("node_modules").join(name))
}

pub(crate) fn not_linked(name: &str) -> Error {
    Error::new(Code::Usage, format!("Package \"{name}\" is not linked"))
        .hint("run `bao link` in the package's directory first; the name is that of its package.json, not the folder's")
}

/// A path as bun.lock has it: relative to the root with `./` or `../` in front.
pub(crate) fn from_root(root: &Path, path: &str) -> String {
    let path = if path.starts_with('/') { between(root, Path::new(path)) } else { path.to_owned() };
    if path.starts_with("../") || path == ".." { path } else { format!("./{}", path.trim_start_matches("./")) }
}

/// `to` seen from `from`; both absolute.
pub(crate) fn between(from: &Path, to: &Path) -> String {
    let clean = |path: &Path| {
        let mut parts: Vec<std::ffi::OsString> = Vec::new();
        for part in path.components() {
            match part {
                Component::ParentDir => {
                    parts.pop();
                }
                Component::Normal(name) => parts.push(name.to_owned()),
                _ => {}
            }
        }
        parts
    };
    let (from, to) = (clean(from), clean(to));
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - same);
    let down = to[same..].iter().map(|part| part.to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// What node_modules links to for `link:<value>`, relative to the root: a registered package's own directory, not the registration.
pub(crate) fn target(root: &Path, config: &Config, value: &str) -> String {
    if is_path(value) {
        return value.to_owned();
    }
    let Ok(link) = registered(config, value) else { return value.to_owned() };
    let directory = std::fs::canonicalize(&link).unwrap_or(link);
    let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    between(&root, &directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let root = Path::new("/a/b");
        assert_eq!(between(root, Path::new("/a/c/d")), "../c/d");
        assert_eq!(between(root, Path::new("/a/b/c/../d")), "d");
        assert_eq!(between(root, root), ".");
        assert_eq!(from_root(root, "/a/c"), "../c");
        assert_eq!(from_root(root, "sub"), "./sub");
        assert_eq!(from_root(root, "../x"), "../x");
        assert!(is_path("./x") && is_path("..") && !is_path("x") && !is_path("@s/x"));
    }
}

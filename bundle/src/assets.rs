//! Files that go beside the code as they are, and the names of results.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rolldown_utils::xxhash::xxhash_with_base;

use crate::options::Loader;

/// Digits of `[hash]`.
const HASH_DIGITS: usize = 8;

/// A file of the results.
#[derive(Debug, Clone)]
pub(crate) struct Asset {
    pub bytes: Vec<u8>,
    pub loader: Loader,
    pub hash: String,
    /// The source file.
    pub source: String,
}

/// The assets of a build, by the name of the result.
#[derive(Debug, Default)]
pub(crate) struct Assets(Mutex<BTreeMap<String, Asset>>);

impl Assets {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Asset>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a file and gives the name of its result.
    pub(crate) fn add(&self, template: &str, root: &Path, path: &Path, bytes: Vec<u8>, loader: Loader) -> String {
        let hash = hash_of(&bytes);
        let name = name_of(template, &Parts::of_file(root, path), &hash);
        let source = path.to_string_lossy().into_owned();
        self.lock().entry(name.clone()).or_insert(Asset { bytes, loader, hash, source });
        name
    }

    /// All assets, in the order of their names.
    pub(crate) fn take(&self) -> BTreeMap<String, Asset> {
        std::mem::take(&mut *self.lock())
    }
}

/// What stands for the placeholders of a template besides the hash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    pub dir: String,
    pub name: String,
    /// Without its dot.
    pub ext: String,
}

impl Parts {
    /// The parts of a file's path; `dir` is relative to `root`, and a step out of it is `_.._`, as in Bun.
    pub(crate) fn of_file(root: &Path, path: &Path) -> Parts {
        let text = |part: Option<&std::ffi::OsStr>| part.map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
        Parts {
            dir: path.parent().map(|parent| relative(root, parent).replace("..", "_.._")).unwrap_or_default(),
            name: text(path.file_stem()),
            ext: text(path.extension()),
        }
    }
}

/// The path from one folder to a place, with `/`; empty if they are the same.
pub(crate) fn relative(from: &Path, to: &Path) -> String {
    let a: Vec<Component<'_>> = from.components().collect();
    let b: Vec<Component<'_>> = to.components().collect();
    let common = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let up = std::iter::repeat_n("..".to_string(), a.len() - common);
    let down = b[common..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// The hash of a result, in digits and small letters.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    let mut hash = xxhash_with_base(bytes, 36);
    hash.truncate(HASH_DIGITS);
    while hash.len() < HASH_DIGITS {
        hash.push('0');
    }
    hash
}

/// A template with its placeholders filled in; an empty `[dir]` leaves no slash behind.
pub(crate) fn name_of(template: &str, parts: &Parts, hash: &str) -> String {
    let mut name = template.replace("[dir]", &parts.dir).replace("[name]", &parts.name).replace("[ext]", &parts.ext);
    while let Some(start) = name.find("[hash") {
        let Some(length) = name[start..].find(']') else { break };
        let digits = name[start + 5..start + length].parse().unwrap_or(HASH_DIGITS);
        name.replace_range(start..=start + length, &hash[..digits.min(hash.len())]);
    }
    clean(&name)
}

/// A relative path without empty parts and `.`.
pub(crate) fn clean(path: &str) -> String {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_their_template() {
        let parts = Parts::of_file(Path::new("/p"), Path::new("/p/src/img/a.b.png"));
        assert_eq!(parts, Parts { dir: "src/img".into(), name: "a.b".into(), ext: "png".into() });
        assert_eq!(name_of("[name]-[hash].[ext]", &parts, "01234567"), "a.b-01234567.png");
        assert_eq!(name_of("./[dir]/[name].[ext]", &parts, "01234567"), "src/img/a.b.png");
        let top = Parts::of_file(Path::new("/p"), Path::new("/p/a.ts"));
        assert_eq!(name_of("[dir]/[name]-[hash4].js", &top, "01234567"), "a-0123.js");
        let outside = Parts::of_file(Path::new("/p/q"), Path::new("/p/a.ts"));
        assert_eq!(outside.dir, "_.._");
    }

    #[test]
    fn relative_paths() {
        assert_eq!(relative(Path::new("/a/b"), Path::new("/a/c/d")), "../c/d");
        assert_eq!(relative(Path::new("/a/b"), Path::new("/a/b")), "");
    }

    #[test]
    fn hashes_have_eight_digits() {
        assert_eq!(hash_of(b"").len(), 8);
        assert_ne!(hash_of(b"a"), hash_of(b"b"));
    }
}

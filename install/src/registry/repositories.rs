//! Packages that are repositories: commits of git, and archives of GitHub's API.
//!
//! A GitHub dependency is one request: the archive's top directory (`owner-repo-<commit>`) says which commit it is, and is the name of
//! the folder in the cache, `@GH@<name>@@@1`.

use crate::error::Result;
use crate::model::integrity::Integrity;
use crate::model::plan::Kind;
use rustc_hash::FxHashMap;
use std::path::Path;

/// A repository's state that is in the store.
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    /// `.bun-tag`: the commit, or `owner-repo-<commit>`.
    pub tag: String,
    /// Empty where there is none.
    pub package_json: Vec<u8>,
    pub gyp: bool,
    pub integrity: Integrity,
}

/// What was asked for, by specifier.
#[derive(Default)]
pub(crate) struct Remotes {
    /// Nothing while it is on its way.
    pub(super) found: FxHashMap<String, Option<Result<Remote>>>,
    /// Specifiers that wait for a folder of the store.
    pub(super) unpacking: FxHashMap<String, Vec<String>>,
    /// Digests of archives whose entries in bun.lock have none (older files): folder of the store and digest.
    pub(super) learned: Vec<(String, Integrity)>,
    /// What was asked for, for messages: by specifier the name and the version.
    pub(super) asked: FxHashMap<String, (String, String, String)>,
}

impl Remotes {
    /// What came of a specifier; nothing where it was not asked for, `Some(None)` where it is on its way.
    pub(crate) fn get(&self, key: &str) -> Option<Option<Result<Remote>>> {
        self.found.get(key).cloned()
    }

    /// Writes digests that were learned into entries of bun.lock that end without one.
    pub(crate) fn complete_lockfile(&self, root: &Path) -> Result<()> {
        if self.learned.is_empty() {
            return Ok(());
        }
        let path = root.join("bun.lock");
        let Ok(text) = std::fs::read_to_string(&path) else { return Ok(()) };
        let mut new = text.clone();
        for (cache_dir, integrity) in &self.learned {
            if let Some(tag) = tag_of(cache_dir) {
                new = new.replace(&format!("}}, \"{tag}\"]"), &format!("}}, \"{tag}\", \"{integrity}\"]"));
            }
        }
        if new == text { Ok(()) } else { crate::atomic_write::write_atomic(&path, &new) }
    }

    /// Forgets what failed or was not finished, so that another session can go on from here.
    pub(crate) fn settled(mut self) -> Self {
        self.found.retain(|_, found| matches!(found, Some(Ok(_))));
        self.unpacking.clear();
        self
    }
}

/// Address of GitHub's API, without a slash at the end.
pub(crate) fn github_api() -> String {
    let api = std::env::var("GITHUB_API_URL").ok().filter(|url| !url.is_empty());
    api.as_deref().unwrap_or("https://api.github.com").trim_end_matches('/').to_owned()
}

/// The archive of a commit, branch or tag; of the default branch where `reference` is empty.
pub(crate) fn github_url(repository: &str, reference: &str) -> String {
    format!("{}/repos/{repository}/tarball/{}", github_api(), crate::net::url::encode_path(reference))
}

/// `GITHUB_TOKEN`, as a header's value.
pub(crate) fn github_authorization() -> Option<String> {
    std::env::var("GITHUB_TOKEN").ok().filter(|token| !token.is_empty()).map(|token| format!("Bearer {token}"))
}

/// Folder of a tarball that is named by address or path: by its content. Without a digest (a lockfile of an older version) by where it
/// is; a path means a file of this project then.
pub(crate) fn tarball_cache_dir(root: &Path, value: &str, kind: Kind, integrity: &Integrity) -> String {
    use std::fmt::Write;
    let name = match integrity {
        Integrity::Sha512(_) => "sha512-",
        Integrity::None if kind == Kind::TarballFile => {
            return format!("@T@{:016x}@@@1", crate::model::string_arena::hash(&root.join(value).to_string_lossy()));
        }
        Integrity::None => return format!("@T@{:016x}@@@1", crate::model::string_arena::hash(value)),
        _ => "sha-",
    };
    let mut out = format!("@T@{name}");
    for byte in &integrity.digest()[..16] {
        let _ = write!(out, "{byte:02x}");
    }
    out.push_str("@@@1");
    out
}

/// Folder of an archive below the cache.
pub(crate) fn github_cache_dir(tag: &str) -> String {
    format!("@GH@{tag}@@@1")
}

/// The name of the archive in a folder's name.
pub(super) fn tag_of(cache_dir: &str) -> Option<&str> {
    cache_dir.strip_prefix("@GH@")?.strip_suffix("@@@1")
}

/// Whether the top directory of an archive can be the name of a folder.
pub(super) fn is_tag(tag: &str) -> bool {
    tag.len() < 300
        && tag.contains('-')
        && !tag.starts_with('.')
        && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

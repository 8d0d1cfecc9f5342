//! Packages that are being edited (`patch`) in a project whose packages are in the global store: the project gets a directory of its own
//! in place of the link, and installs leave it alone until the patch is committed.

use crate::error::{Error, Result};
use rustc_hash::FxHashSet;
use std::path::Path;

/// Entries of `.bun` that are being edited, a line each.
const LIST: &str = "node_modules/.bao-patching";

/// The entries that installs leave alone.
pub(super) fn entries(root: &Path) -> FxHashSet<String> {
    std::fs::read_to_string(root.join(LIST)).map(|text| text.lines().map(str::to_owned).collect()).unwrap_or_default()
}

fn write(root: &Path, entries: &FxHashSet<String>) -> std::io::Result<()> {
    let path = root.join(LIST);
    if entries.is_empty() {
        return std::fs::remove_file(path);
    }
    let mut list: Vec<&str> = entries.iter().map(String::as_str).collect();
    list.sort_unstable();
    std::fs::write(path, list.join("\n") + "\n")
}

/// The entry of `.bun` that the package at `real` (a path without links) belongs to, where `path` in the project leads out of it.
fn entry(root: &Path, path: &str, real: &Path) -> Option<String> {
    let here = std::fs::canonicalize(root).ok()?;
    if real.starts_with(&here) {
        return None;
    }
    let bun = root.join("node_modules/.bun");
    // The way to the package names its entry, or the link to it does.
    let named = path.strip_prefix("node_modules/.bun/").map(str::to_owned).or_else(|| {
        let target = std::fs::read_link(root.join(path)).ok()?;
        let target = target.to_str()?;
        Some(target[target.find(".bun/")? + ".bun/".len()..].to_owned())
    })?;
    let name = named.split('/').next()?.to_owned();
    bun.join(&name).is_symlink().then_some(name)
}

/// Gives the project its own copy of a package in the global store; whether there was one.
///
/// # Errors
/// The file system refused something; the link is there as before then.
pub(crate) fn detach(root: &Path, path: &str, real: &Path) -> Result<bool> {
    let Some(name) = entry(root, path, real) else { return Ok(false) };
    let link = root.join("node_modules/.bun").join(&name);
    let failed = |error| Error::io("cannot copy the package out of the global store to", &link, error);
    let shared = std::fs::canonicalize(&link).map_err(failed)?;
    let staged = link.with_file_name(format!(".bao-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&staged);
    let mut list = entries(root);
    list.insert(name);
    let result = copy(&shared, &staged, &shared).and_then(|()| {
        write(root, &list)?;
        std::fs::remove_file(&link)?;
        std::fs::rename(&staged, &link)
    });
    result.map_err(|error| {
        let _ = std::fs::remove_dir_all(&staged);
        failed(error)
    })?;
    Ok(true)
}

/// Copies a tree; links between entries of the store become links to the project's.
fn copy(from: &Path, to: &Path, shared: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&source, &target, shared)?;
        } else if kind.is_symlink() {
            let mut link = std::fs::read_link(&source)?;
            if let Ok(real) = std::fs::canonicalize(&source)
                && !real.starts_with(shared)
            {
                link = real;
            }
            std::os::unix::fs::symlink(link, &target)?;
        } else {
            std::fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

/// The edits are committed: the next install puts the entry in order.
pub(crate) fn attach(root: &Path, path: &str) {
    let mut list = entries(root);
    if list.is_empty() {
        return;
    }
    let real = std::fs::canonicalize(root.join(path)).unwrap_or_default();
    let before = list.len();
    list.retain(|name| !real.components().any(|part| part.as_os_str() == name.as_str()));
    if list.len() != before {
        let _ = write(root, &list);
    }
}

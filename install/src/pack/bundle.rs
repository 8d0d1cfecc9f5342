//! `bundleDependencies`: installed packages, and what they depend on, that travel in the tarball.

use json::{Node, Value};

use super::{Entry, list};
use crate::error::{Code, Error, Result};
use crate::project;
use std::path::{Path, PathBuf};

/// A package that was chosen: where it is, and where it goes.
struct Place {
    real: PathBuf,
    /// `node_modules/a`, `node_modules/a/node_modules/b`
    path: String,
}

/// The names in `bundledDependencies` or `bundleDependencies`; `true` stands for all dependencies.
fn names(manifest: &Value<'_>) -> Result<Vec<String>> {
    let field =
        ["bundledDependencies", "bundleDependencies"].into_iter().find_map(|key| Some((key, manifest.get(key)?)));
    let Some((key, field)) = field else { return Ok(Vec::new()) };
    let wrong = || Error::new(Code::Parse, format!("expected `{key}` to be a boolean or an array of strings"));
    match &field.node {
        Node::Bool(false) => Ok(Vec::new()),
        Node::Bool(true) => {
            let members = manifest.get("dependencies").map_or(&[][..], Value::members);
            Ok(members.iter().map(|member| member.key.to_string()).collect())
        }
        Node::Array(items) => items.iter().map(|item| item.str().map(str::to_owned).ok_or_else(wrong)).collect(),
        _ => Err(wrong()),
    }
}

/// Finds a package as Node does, from `from` upwards to `top`.
fn find(from: &Path, top: &Path, name: &str) -> Option<PathBuf> {
    for dir in from.ancestors() {
        if dir.file_name().is_none_or(|last| last != "node_modules") {
            let candidate = dir.join("node_modules").join(name);
            if packages::is_dir(&candidate) {
                return Some(candidate);
            }
        }
        if dir == top {
            return None;
        }
    }
    None
}

/// Finds a package on the disk. One that is in an archive of the store is put there.
///
/// # Errors
/// It cannot be.
fn find_on_disk(from: &Path, top: &Path, name: &str) -> Result<Option<PathBuf>> {
    let found = find(from, top, name);
    match found {
        Some(found) if !found.is_dir() => {
            let failed = |error| Error::io("cannot unpack the bundled dependency", &found, error);
            packages::directory_on_disk(found.as_os_str().as_encoded_bytes()).transpose().map_err(failed)?;
            Ok(Some(found))
        }
        found => Ok(found),
    }
}

/// Adds the files of the bundled dependencies; gives the names of the packages.
///
/// Directories keep their place in node_modules. What is a link on the disk (an isolated installation, a workspace member) goes to the
/// top, or below the package that needs it where another one has its place.
pub(crate) fn collect(dir: &Path, manifest: &Value<'_>, entries: &mut Vec<Entry>) -> Result<Vec<String>> {
    let names = names(manifest)?;
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let top = std::fs::canonicalize(dir).map_err(|error| Error::io("cannot read", dir, error))?;
    // Workspace members find packages in the root's node_modules too.
    let limit = project::Project::find(&top)?.map_or_else(|| top.clone(), |(root, _)| root);
    let mut places: Vec<Place> = Vec::new();
    let mut packed = Vec::new();
    for name in &names {
        if crate::model::spec::valid_name(name)
            && let Some(found) = find_on_disk(&top, &limit, name)?
        {
            place(&top, found, name, None, &mut places);
            packed.push(name.clone());
        }
    }
    let mut done = 0;
    let mut files: Vec<Entry> = Vec::new();
    while done < places.len() {
        let (real, path) = (places[done].real.clone(), places[done].path.clone());
        done += 1;
        let Some(text) = project::read_manifest(&real)? else { continue };
        let file = real.join("package.json");
        let value = project::parse(&text, &file)?;
        for group in ["dependencies", "optionalDependencies"] {
            for member in value.get(group).map_or(&[][..], Value::members) {
                if !crate::model::spec::valid_name(&member.key) {
                    continue;
                }
                let stop = if real.starts_with(&limit) { &limit } else { Path::new("/") };
                if let Some(found) = find_on_disk(&real, stop, &member.key)?
                    && place(&top, found, &member.key, Some(&path), &mut places)
                {
                    packed.push(member.key.to_string());
                }
            }
        }
        let linked = !real.components().any(|part| part.as_os_str() == "node_modules");
        let root = list::Root {
            dir: &real,
            manifest: &value,
            members: Vec::new(),
            bundled: !linked,
            outer_ignores: Vec::new(),
        };
        for name in list::files(&root)? {
            let source = real.join(&name);
            let size = std::fs::metadata(&source).map_err(|error| Error::io("cannot read", &source, error))?.len();
            files.push(Entry { path: format!("{path}/{name}"), source, size, bundled: true });
        }
    }
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    entries.append(&mut files);
    Ok(packed)
}

/// Chooses the place of a package; whether it is a new one.
fn place(top: &Path, found: PathBuf, name: &str, parent: Option<&str>, places: &mut Vec<Place>) -> bool {
    let real = packages::real_path(&found).unwrap_or_else(|_| found.clone());
    let here = found.strip_prefix(top).ok().filter(|_| real == found).map(|path| path.to_string_lossy().into_owned());
    let mut path = here.unwrap_or_else(|| format!("node_modules/{name}"));
    if let Some(other) = places.iter().find(|place| place.path == path) {
        if other.real == real {
            return false;
        }
        let Some(parent) = parent else { return false };
        path = format!("{parent}/node_modules/{name}");
        if places.iter().any(|place| place.path == path) {
            return false;
        }
    }
    places.push(Place { real, path });
    true
}

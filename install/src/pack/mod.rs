//! Packs a package into a tarball as `npm pack` and `bun pm pack` do.

pub(crate) mod bundle;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod rewrite;
pub(crate) mod tarball;

use json::Value;

use crate::error::{Code, Error, Result};
use crate::model::integrity::Integrity;
use crate::project;
use std::path::{Path, PathBuf};

/// A file of the tarball.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// In the tarball, below `package/`.
    pub path: String,
    /// On the disk.
    pub source: PathBuf,
    pub size: u64,
    /// Part of a bundled dependency.
    pub bundled: bool,
}

/// What a package's tarball holds, in its order: package.json, the other files by name, bundled dependencies by name.
#[derive(Debug)]
pub(crate) struct Contents {
    pub name: String,
    pub version: String,
    /// package.json without `workspace:` and `catalog:`.
    pub manifest: String,
    pub entries: Vec<Entry>,
    /// Names of the bundled dependencies.
    pub bundled: Vec<String>,
    bins: Vec<String>,
    bin_dir: Option<String>,
}

/// A finished tarball.
#[derive(Debug)]
pub(crate) struct Tarball {
    pub bytes: Vec<u8>,
    /// Hexadecimal SHA-1.
    pub shasum: String,
    pub integrity: Integrity,
    /// Bytes of all files.
    pub unpacked: u64,
}

/// Whether a file is the readme: `README` with any extension.
pub(crate) fn is_readme(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "readme" || name.starts_with("readme.")
}

/// Name and version of a package.json that is to be packed.
///
/// # Errors
/// One is missing, or could lead the tarball's name out of its directory.
pub(crate) fn identity(manifest: &Value<'_>) -> Result<(String, String)> {
    let (Some(name), Some(version)) = (manifest.get("name"), manifest.get("version")) else {
        return Err(Error::new(Code::Usage, "package.json must have `name` and `version` fields"));
    };
    let bad = |text: &str| {
        text.is_empty() || text.split('/').any(|part| part == "." || part == "..") || text.contains(['\\', ':', '\0'])
    };
    match (name.str(), version.str()) {
        (Some(name), Some(version)) if !bad(name) && !bad(version) => Ok((name.to_owned(), version.to_owned())),
        _ => Err(Error::new(Code::Usage, "package.json `name` and `version` fields must be non-empty strings")),
    }
}

/// `name-1.0.0.tgz`, `scope-name-1.0.0.tgz`.
pub(crate) fn file_name(name: &str, version: &str) -> String {
    format!("{}-{version}.tgz", name.strip_prefix('@').unwrap_or(name).replacen('/', "-", 1))
}

/// Collects what the package in `dir` consists of.
pub(crate) fn contents(dir: &Path) -> Result<Contents> {
    let path = dir.join("package.json");
    let Some(text) = project::read_manifest(dir)? else {
        return Err(Error::new(Code::Usage, format!("No package.json was found for directory \"{}\"", dir.display()))
            .hint("Run \"bao init\" to initialize a project"));
    };
    let bare = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let manifest = project::parse(bare, &path)?;
    let (name, version) = identity(&manifest)?;
    let edited = rewrite::rewrite(bare, &manifest, dir)?;
    let (members, outer_ignores) = surroundings(dir)?;
    let root = list::Root { dir, manifest: &manifest, members, bundled: false, outer_ignores };
    let mut files = list::files(&root)?;
    files.retain(|file| file != "package.json");
    files.sort_unstable();
    files.dedup();
    let mut entries = Vec::with_capacity(files.len());
    for path in files {
        let source = dir.join(&path);
        let found = std::fs::metadata(&source).map_err(|error| Error::io("cannot read", &source, error))?;
        entries.push(Entry { path, source, size: found.len(), bundled: false });
    }
    let bundled = bundle::collect(dir, &manifest, &mut entries)?;
    let bin_dir = match manifest.get("bin") {
        Some(_) => None,
        None => manifest.get("directories").and_then(|value| value.get("bin")).and_then(Value::str).map(list::normal),
    };
    Ok(Contents { name, version, bins: list::bins(&manifest), bin_dir, manifest: edited, entries, bundled })
}

/// Members below a workspace's root, and ignore files between it and a member.
fn surroundings(dir: &Path) -> Result<(Vec<String>, Vec<String>)> {
    let Some((root, own)) = project::Project::find(dir)? else { return Ok((Vec::new(), Vec::new())) };
    if root == own {
        let text = project::read_manifest(dir)?.unwrap_or_default();
        if !text.contains("\"workspaces\"") {
            return Ok((Vec::new(), Vec::new()));
        }
        // Members that are missing here (an unpacked package that was a workspace's root) cannot be packed by mistake.
        let Ok(project) = project::Project::load(dir) else { return Ok((Vec::new(), Vec::new())) };
        let members = project.manifests.into_iter().map(|manifest| manifest.path);
        return Ok((members.filter(|path| !path.is_empty() && !path.starts_with("..")).collect(), Vec::new()));
    }
    let mut texts = Vec::new();
    let mut between: Vec<&Path> = own.ancestors().skip(1).take_while(|dir| dir.starts_with(&root)).collect();
    between.reverse();
    for dir in between {
        texts.extend(list::ignore_file(dir)?);
    }
    Ok((Vec::new(), texts))
}

impl Contents {
    fn is_bin(&self, path: &str) -> bool {
        self.bins.iter().any(|bin| bin == path)
            || self.bin_dir.as_ref().is_some_and(|dir| {
                path.strip_prefix(dir.as_str())
                    .and_then(|rest| rest.strip_prefix('/'))
                    .is_some_and(|rest| !rest.contains('/'))
            })
    }

    /// Reads the files and compresses them with `level` (0 to 9).
    pub(crate) fn pack(&self, dir: &Path, level: u8) -> Result<Tarball> {
        use std::os::unix::fs::PermissionsExt;
        // What the umask took or gave must not be in the tarball.
        let portable = |mode: u32| (mode & 0o777 | 0o600) & !0o022;
        let mode_of = |path: &Path| std::fs::metadata(path).map_or(0o644, |found| found.permissions().mode());
        let mut writer = tarball::Writer::default();
        let mut unpacked = self.manifest.len() as u64;
        writer.file("package/package.json", portable(mode_of(&dir.join("package.json"))), self.manifest.as_bytes())?;
        for entry in &self.entries {
            let failed = |error| Error::io("failed to open file:", &entry.source, error);
            let content = std::fs::read(&entry.source).map_err(failed)?;
            let mut mode = portable(mode_of(&entry.source));
            if self.is_bin(&entry.path) {
                mode |= 0o111;
            }
            unpacked += content.len() as u64;
            writer.file(&format!("package/{}", entry.path), mode, &content)?;
        }
        Ok(Tarball::new(writer.finish(level)?, unpacked))
    }
}

impl Tarball {
    /// Digests of a tarball.
    pub(crate) fn new(bytes: Vec<u8>, unpacked: u64) -> Self {
        let sha1 = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA1_FOR_LEGACY_USE_ONLY, &bytes);
        let shasum = sha1.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        let integrity = crate::store::tarball::digest::sha512(&bytes);
        Self { bytes, shasum, integrity, unpacked }
    }
}

/// A size as Bun prints it: below 512 in bytes, then with a thousand to each step.
pub(crate) fn size(bytes: u64) -> String {
    if bytes == 0 {
        return "0KB".to_owned();
    }
    let step = (bytes.ilog2() / 9).min(8);
    if step == 0 {
        return format!("{bytes}B");
    }
    let value = bytes as f64 / 1000f64.powi(step as i32);
    let precision = if (value - value.trunc()).abs() <= 0.1 { 1 } else { 2 };
    format!("{value:.precision$}{}B", ["", "K", "M", "G", "T", "P", "E", "Z", "Y"][step as usize])
}

/// The first 13 and the last 15 characters of a digest.
pub(crate) fn short(integrity: Integrity) -> String {
    let text = integrity.to_string();
    let digest = text.strip_prefix("sha512-").unwrap_or(&text);
    format!("sha512-{}[...]{}", &digest[..13.min(digest.len())], &digest[digest.len().saturating_sub(15)..])
}

#[cfg(test)]
mod tests;

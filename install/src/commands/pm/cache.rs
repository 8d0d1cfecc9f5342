//! `pm cache rm | prune | pack | unpack` and `pm fetch`.
//!
//! A pack is what a lockfile needs from the cache as one file, for machines that start without one:
//!
//! ```text
//! "BAOPACK1" { u32 length of the folder's name, name, u32 files { u8 executable, u32 length, path, u64 length, content }, u64 XXH3 } u32 0
//! ```
//!
//! Numbers are little-endian; the hash covers everything of its package before it. A package is checked before it becomes visible.

use crate::commands::install;
use crate::commands::installed;
use crate::commands::style::{count, size};
use crate::config::{Config, Options};
use crate::error::{Code, Error, Result};
use crate::model::plan::{Kind, PackageId, Plan};
use crate::registry::session::Session;
use crate::store::Store;
use crate::store::archives::archives_in;
use crate::store::tarball::extract::Listing;
use packages::Archive;
use std::borrow::Cow;
use std::io::{BufReader, BufWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use xxhash_rust::xxh3::Xxh3;

const MAGIC: &[u8; 8] = b"BAOPACK1";
/// Longest name or path, and most files of a package.
const LONGEST_PATH: u32 = 4096;
const MOST_FILES_OF_A_PACKAGE: u32 = 1 << 20;
/// Largest file.
const LARGEST_FILE: u64 = 2 << 30;

/// `pm cache [word]`.
pub(super) fn cache(options: &Options, rest: &[String]) -> Result<u8> {
    let (_, _, config) = crate::commands::context(options)?;
    let file = |word: &str| match &rest[1..] {
        [file] => Ok(PathBuf::from(file)),
        _ => Err(Error::new(Code::Usage, "expected exactly one <file>").hint(format!("bao pm cache {word} <file>"))),
    };
    match rest.first().map(String::as_str) {
        None => crate::say!("{}", config.cache_dir.display()),
        Some("rm") => clear(&config)?,
        Some("prune") => prune(options, &config)?,
        Some("pack") => pack(options, &config, &file("pack")?)?,
        Some("unpack") => unpack(&config, &file("unpack")?)?,
        Some(other) => {
            return Err(Error::new(Code::Usage, format!("unexpected argument \"{other}\""))
                .hint("bao pm cache [rm | prune | pack <file> | unpack <file>]"));
        }
    }
    Ok(0)
}

fn clear(config: &Config) -> Result<()> {
    let user = rustix::process::getuid().as_raw();
    let prefix = format!("bunx-{user}-");
    let temporary = std::env::temp_dir();
    let packages: Vec<PathBuf> = std::fs::read_dir(&temporary)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| entry.path())
        .collect();
    let product = crate::ui::product();
    let plural = if packages.len() == 1 { "" } else { "s" };
    let number = format!("{} cached '{product} x' package{plural}", packages.len());
    if config.dry_run {
        crate::say!("dry run: would delete '{product} install' cache at {}", config.cache_dir.display());
        crate::say!("Would clear {number}");
        return Ok(());
    }
    match std::fs::remove_dir_all(&config.cache_dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io("cannot remove", &config.cache_dir, error));
        }
        _ => crate::say!("Cleared '{product} install' cache"),
    }
    for path in &packages {
        std::fs::remove_dir_all(path).map_err(|error| Error::io("cannot remove", path, error))?;
    }
    crate::say!("Cleared {number}");
    Ok(())
}

/// Folders of packages in the cache.
fn packages(cache: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(cache) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(Error::io("cannot read", cache, error)),
    };
    let is_package = |name: &str| name[usize::from(name.starts_with('@'))..].contains('@');
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        if is_package(&name) {
            found.push(name);
        } else if name.starts_with('@') {
            for inner in std::fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                if let Ok(below) = inner.file_name().into_string()
                    && is_package(&below)
                    && inner.file_type().is_ok_and(|kind| kind.is_dir())
                {
                    found.push(format!("{name}/{below}"));
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Bytes of the files in a directory.
fn weigh(dir: &Path) -> u64 {
    let mut total = 0;
    let mut stack = vec![dir.to_owned()];
    while let Some(dir) = stack.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => stack.push(entry.path()),
                Ok(metadata) => total += metadata.len(),
                Err(_) => {}
            }
        }
    }
    total
}

fn prune(options: &Options, config: &Config) -> Result<()> {
    let text = options.value("max-age").unwrap_or("30");
    let days: f64 =
        text.parse().ok().filter(|days: &f64| *days >= 0.0 && days.is_finite() && *days < 1e6).ok_or_else(|| {
            Error::new(Code::Usage, format!("invalid --max-age value: {text}, expected a number of days"))
        })?;
    let limit = Duration::from_secs_f64(days * 86_400.0);
    let now = SystemTime::now();
    let folders = packages(&config.cache_dir)?;
    let folders = folders.into_iter().map(|name| (config.cache_dir.join(&name), name));
    let archives = archives_in(&config.cache_dir).into_iter().map(|(name, path)| (path, name));
    let all: Vec<(PathBuf, String)> = folders.chain(archives).collect();
    // What only marks a package as a directory is no package.
    let is_package = |(_, name): &&(PathBuf, String)| !name.is_empty();
    let age = if days.fract() == 0.0 { format!("{days:.0} days") } else { format!("{days} days") };
    let old: Vec<&(PathBuf, String)> = all
        .iter()
        .filter(|(path, _)| {
            let Ok(metadata) = std::fs::metadata(path) else { return false };
            let changed = metadata.modified().ok();
            // An archive is read where it is: installs note there that a project uses it.
            let used = if metadata.is_file() { changed.max(metadata.accessed().ok()) } else { changed };
            used.is_some_and(|time| now.duration_since(time).is_ok_and(|age| age >= limit))
        })
        .collect();
    let all = all.iter().filter(is_package).count();
    let checked = count(all, "package");
    if old.is_empty() {
        crate::say!("Done! Checked {checked}, none older than {age} (nothing to prune)");
        return Ok(());
    }
    let number = count(old.iter().copied().filter(is_package).count(), "package");
    if config.dry_run {
        let list: String = old.iter().copied().filter(is_package).map(|(_, name)| format!("- {name}\n")).collect();
        crate::say!(
            "{list}{number} older than {age} can be removed (checked {})\nRun without --dry-run to remove them.",
            all
        );
        return Ok(());
    }
    let mut bytes = 0;
    let mut archives = 0;
    for (path, name) in old {
        if path.is_file() {
            archives += usize::from(!name.is_empty());
            // A program that reads it keeps what it has mapped.
            bytes += std::fs::metadata(path).map_or(0, |metadata| metadata.len());
            std::fs::remove_file(path).map_err(|error| Error::io("cannot remove", path, error))?;
            continue;
        }
        bytes += weigh(path);
        // First out of the way in one step: a package in the cache is whole or absent.
        let aside = config.cache_dir.join(format!(".prune-{}", std::process::id()));
        std::fs::rename(path, &aside)
            .and_then(|()| std::fs::remove_dir_all(&aside))
            .map_err(|error| Error::io("cannot remove", path, error))?;
        if let Some((scope, _)) = name.split_once('/') {
            // Fails where something is left.
            let _ = std::fs::remove_dir(config.cache_dir.join(scope));
        }
    }
    crate::say!("Removed {number} older than {age} ({})", size(bytes));
    if archives > 0 {
        crate::say!("Projects of the store linker that use one of them need `bao install`");
    }
    Ok(())
}

/// Cache folders that the lockfile's packages need here.
fn needed(plan: &Plan) -> Vec<(PackageId, String)> {
    let wanted = install::wanted(plan);
    let mut out: Vec<(PackageId, String)> = (0..plan.packages.len() as PackageId)
        .filter(|&id| {
            let package = &plan.packages[id as usize];
            wanted[id as usize] && !package.cache_dir.is_empty() && package.flags & crate::model::plan::DISABLED == 0
        })
        .map(|id| (id, plan.str(plan.packages[id as usize].cache_dir).to_owned()))
        .collect();
    out.sort_by(|a, b| a.1.cmp(&b.1));
    out.dedup_by(|a, b| a.1 == b.1);
    out
}

fn pack(options: &Options, config: &Config, file: &Path) -> Result<()> {
    let start = Instant::now();
    let (root, _, _) = crate::commands::context(options)?;
    let wanted = installed::present(options, config, &root, "pack")?;
    let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
    let failed = |error| Error::io("cannot write", file, error);
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(&temporary).map_err(failed)?);
    let store = Store::open(&config.cache_dir, 1, Box::new(|_| {}))?;
    store.take_archives();
    let result: Result<_> = (|| {
        out.write_all(MAGIC).map_err(failed)?;
        let (mut done, mut files, mut bytes, mut missing) = (0, 0, 0, 0);
        for (id, name) in needed(&wanted.plan) {
            let dir = config.cache_dir.join(&name);
            store.expect_integrity(&name, &wanted.plan.packages[id as usize].integrity);
            let archive = store.archive_path(&name).and_then(|path| Archive::open(&path).ok());
            let (number, length) = if dir.is_dir() {
                pack_one(&name, &dir, &mut out)?
            } else if let Some(archive) = archive {
                pack_archive(&name, &archive, &mut out)?
            } else {
                missing += 1;
                continue;
            };
            done += 1;
            files += number;
            bytes += length;
        }
        out.write_all(&0u32.to_le_bytes()).and_then(|()| out.flush()).map_err(failed)?;
        std::fs::rename(&temporary, file).map_err(failed)?;
        Ok((done, files, bytes, missing))
    })();
    let (done, files, bytes, missing) = result.inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary);
    })?;
    store.close();
    if missing > 0 {
        crate::warn_line!(
            "<r><yellow>warn<r>: skipping {} not in cache (run bao install first)",
            count(missing, "package")
        );
    }
    crate::say!(
        "Packed {} ({}, {}) into {} [{}]",
        count(done, "package"),
        count(files, "file"),
        size(bytes),
        file.display(),
        crate::ui::elapsed(start)
    );
    Ok(())
}

/// Files of a directory, sorted, with whether they may be executed. Links are left out: unpacking refuses them in tarballs too.
pub(super) fn files_of(dir: &Path) -> Result<Vec<(String, bool)>> {
    let mut out = Vec::new();
    let mut stack = vec![String::new()];
    while let Some(below) = stack.pop() {
        let here = dir.join(&below);
        for entry in std::fs::read_dir(&here).map_err(|error| Error::io("cannot read", &here, error))?.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => stack.push(path),
                Ok(metadata) if metadata.is_file() => out.push((path, metadata.permissions().mode() & 0o100 != 0)),
                _ => {}
            }
        }
    }
    out.sort();
    Ok(out)
}

fn pack_one(name: &str, dir: &Path, out: &mut impl Write) -> Result<(usize, u64)> {
    let files = files_of(dir)?;
    pack_files(name, &files, out, |path| {
        let full = dir.join(path);
        std::fs::read(&full).map_err(|error| Error::io("cannot read", &full, error)).map(Into::into)
    })
}

/// The same from an archive of the store linker.
fn pack_archive(name: &str, archive: &Archive, out: &mut impl Write) -> Result<(usize, u64)> {
    let files = archive.entries().filter(|entry| entry.kind == packages::Kind::File);
    let files: Vec<(String, bool)> = files
        .map(|entry| (String::from_utf8_lossy(archive.name(&entry)).into_owned(), entry.mode & 0o100 != 0))
        .collect();
    pack_files(name, &files, out, |path| {
        let entry = archive.get(path.as_bytes()).ok_or_else(|| broken("a name of an archive is no text"))?;
        archive.content(&entry).map(Into::into).map_err(|damage| Error::new(Code::Damaged, format!("{name}: {damage}")))
    })
}

/// Files in the order of `files`, with what `read` gives for each.
fn pack_files<'a>(
    name: &str,
    files: &[(String, bool)],
    out: &mut impl Write,
    read: impl Fn(&str) -> Result<Cow<'a, [u8]>>,
) -> Result<(usize, u64)> {
    let mut hash = Xxh3::new();
    let mut total = 0;
    let failed = |error| Error::new(Code::Io, format!("cannot write the pack of {name}")).cause(error);
    let mut put = |bytes: &[u8]| {
        hash.update(bytes);
        out.write_all(bytes).map_err(failed)
    };
    put(&(name.len() as u32).to_le_bytes())?;
    put(name.as_bytes())?;
    put(&(files.len() as u32).to_le_bytes())?;
    for (path, executable) in files {
        let content = read(path)?;
        put(&[u8::from(*executable)])?;
        put(&(path.len() as u32).to_le_bytes())?;
        put(path.as_bytes())?;
        put(&(content.len() as u64).to_le_bytes())?;
        put(&content)?;
        total += content.len() as u64;
    }
    let digest = hash.digest();
    out.write_all(&digest.to_le_bytes()).map_err(failed)?;
    Ok((files.len(), total))
}

/// Reads a pack; everything read goes into the hash.
struct Reader<R> {
    inner: R,
    hash: Xxh3,
}

fn broken(what: &str) -> Error {
    Error::new(Code::Parse, format!("the cache pack is damaged: {what}"))
}

impl<R: Read> Reader<R> {
    fn exact(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.inner.read_exact(bytes).map_err(|_| broken("it ends too early"))?;
        self.hash.update(bytes);
        Ok(())
    }

    fn number(&mut self, most: u32) -> Result<u32> {
        let mut bytes = [0; 4];
        self.exact(&mut bytes)?;
        Some(u32::from_le_bytes(bytes)).filter(|number| *number <= most).ok_or_else(|| broken("a length is too large"))
    }

    fn text(&mut self, length: u32) -> Result<String> {
        let mut bytes = vec![0; length as usize];
        self.exact(&mut bytes)?;
        let text = String::from_utf8(bytes).map_err(|_| broken("a name is no text"))?;
        let plain = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\0', '\\']);
        if text.split('/').all(plain) { Ok(text) } else { Err(broken("a name leaves its directory")) }
    }

    fn bytes(&mut self, length: u64) -> Result<Vec<u8>> {
        if length > LARGEST_FILE {
            return Err(broken("a file is too large"));
        }
        // Not more than is really there, whatever the length says.
        let mut bytes = Vec::new();
        let got = (&mut self.inner).take(length).read_to_end(&mut bytes).map_err(|_| broken("it cannot be read"))?;
        if got as u64 != length {
            return Err(broken("it ends too early"));
        }
        self.hash.update(&bytes);
        Ok(bytes)
    }
}

fn unpack(config: &Config, file: &Path) -> Result<()> {
    let start = Instant::now();
    let opened = std::fs::File::open(file).map_err(|error| Error::io("cannot read", file, error))?;
    let mut reader = Reader { inner: BufReader::with_capacity(1 << 20, opened), hash: Xxh3::new() };
    let mut magic = [0; 8];
    if reader.exact(&mut magic).is_err() || magic != *MAGIC {
        return Err(Error::new(Code::Parse, format!("{} is not a cache pack", file.display()))
            .hint("bao pm cache pack <file> makes one; packs of other tools are not read"));
    }
    let store = Store::open(&config.cache_dir, 1, Box::new(|_| {}))?;
    let (mut fresh, mut known, mut bytes) = (0, 0, 0);
    loop {
        reader.hash = Xxh3::new();
        let length = reader.number(LONGEST_PATH)?;
        if length == 0 {
            break;
        }
        let name = reader.text(length)?;
        let parts = name.matches('/').count();
        if !name.contains('@') || parts > 1 || (parts == 1 && !name.starts_with('@')) || name.starts_with('.') {
            return Err(broken("a folder's name is none of the cache"));
        }
        let there = store.contains(&name);
        let mut total = 0;
        if there {
            read_package(&mut reader, |_, _, content| {
                total += content.len();
                Ok(())
            })?;
            known += 1;
        } else {
            store.stage_at(&name, |_, dir| {
                let mut listing = Listing::default();
                let mut last = String::new();
                read_package(&mut reader, |path, executable, content| {
                    let full = dir.join(path);
                    let failed = |error| Error::io("cannot write", &full, error);
                    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
                    if above != last {
                        make_dirs(dir, above, &mut listing)?;
                        above.clone_into(&mut last);
                    }
                    std::fs::write(&full, content).map_err(failed)?;
                    if executable {
                        std::fs::set_permissions(&full, PermissionsExt::from_mode(0o755)).map_err(failed)?;
                    }
                    total += content.len();
                    let crlf = content.starts_with(b"#!")
                        && content.iter().position(|byte| *byte == b'\n').is_some_and(|at| content[at - 1] == b'\r');
                    listing.push_file(u8::from(executable) | if crlf { 2 } else { 0 }, path.as_bytes());
                    Ok(())
                })?;
                listing.group_files();
                Ok(listing)
            })?;
            fresh += 1;
            bytes += total as u64;
        }
    }
    store.close();
    crate::say!(
        "Unpacked {} ({fresh} new, {known} already cached, {}) [{}]",
        count(fresh + known, "package"),
        size(bytes),
        crate::ui::elapsed(start)
    );
    Ok(())
}

fn make_dirs(dir: &Path, path: &str, listing: &mut Listing) -> Result<()> {
    for (at, _) in path.match_indices('/').chain([(path.len(), "")]) {
        let full = dir.join(&path[..at]);
        match std::fs::create_dir(&full) {
            Ok(()) => listing.push_dir(&path.as_bytes()[..at]),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io("cannot make", &full, error)),
        }
    }
    Ok(())
}

/// The files of one package and its hash.
fn read_package<R: Read>(reader: &mut Reader<R>, mut each: impl FnMut(&str, bool, &[u8]) -> Result<()>) -> Result<()> {
    let files = reader.number(MOST_FILES_OF_A_PACKAGE)?;
    for _ in 0..files {
        let mut executable = [0];
        reader.exact(&mut executable)?;
        let length = reader.number(LONGEST_PATH)?;
        let path = reader.text(length)?;
        let mut length = [0; 8];
        reader.exact(&mut length)?;
        let content = reader.bytes(u64::from_le_bytes(length))?;
        each(&path, executable[0] & 1 != 0, &content)?;
    }
    let expected = reader.hash.digest();
    let mut digest = [0; 8];
    reader.exact(&mut digest)?;
    if u64::from_le_bytes(digest) == expected { Ok(()) } else { Err(broken("a package's hash is another one")) }
}

/// `pm fetch`: everything of the lockfile into the cache, nothing into node_modules.
pub(super) fn fetch(options: &Options) -> Result<u8> {
    let start = Instant::now();
    let (root, _, config) = crate::commands::context(options)?;
    if !config.silent {
        crate::commands::style::banner("pm fetch");
    }
    let wanted = installed::present(options, &config, &root, "fetch")?;
    let mut session = Session::new(&config, &root);
    let store = session.store()?.clone();
    let all = needed(&wanted.plan);
    let missing: Vec<&(PackageId, String)> = all
        .iter()
        .filter(|(id, dir)| wanted.plan.packages[*id as usize].kind != Kind::TarballFile && !store.contains(dir))
        .collect();
    let (total, absent) = (all.len(), missing.len());
    install::request(&wanted.plan, &mut session)?;
    while session.downloading > 0 {
        session.wait()?;
    }
    let mut failures: Vec<(&String, &Error)> = session.failed.iter().collect();
    failures.sort_by(|a, b| a.0.cmp(b.0));
    for (_, error) in &failures {
        crate::ui::error(error);
    }
    store.close();
    if !failures.is_empty() {
        return Err(Error::new(
            Code::Network,
            format!("{} of {total} could not be fetched", count(failures.len(), "package")),
        ));
    }
    let time = crate::ui::elapsed(start);
    match (total, absent) {
        (0, _) => crate::say!("Done! No packages to fetch [{time}]"),
        (_, 0) => crate::say!("Done! {} already in cache [{time}]", count(total, "package")),
        _ => crate::say!("Fetched {} into cache [{time}]", count(absent, "package")),
    }
    crate::say!("Cache: {}", config.cache_dir.display());
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_is_checked() {
        let dir = crate::testing::Temp::new("cache-pack");
        std::fs::create_dir_all(dir.path("p/lib")).unwrap();
        std::fs::write(dir.path("p/lib/a.js"), "one").unwrap();
        let mut bytes = Vec::new();
        assert_eq!(pack_one("p@1.0.0@@@1", &dir.path("p"), &mut bytes).unwrap(), (1, 3));
        let read = |bytes: &[u8]| {
            let mut reader = Reader { inner: bytes, hash: Xxh3::new() };
            let length = reader.number(LONGEST_PATH)?;
            let mut out = vec![reader.text(length)?];
            read_package(&mut reader, |path, _, content| {
                out.push(format!("{path}={}", String::from_utf8_lossy(content)));
                Ok(())
            })?;
            Ok::<_, Error>(out)
        };
        assert_eq!(read(&bytes).unwrap(), ["p@1.0.0@@@1", "lib/a.js=one"]);
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut]).is_err());
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x55;
            assert!(read(&other).is_err(), "byte {at}");
        }
    }
}

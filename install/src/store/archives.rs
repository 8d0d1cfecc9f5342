//! Packages as archives in the cache (`--linker=store`): `.bao-archives-1/NAME@VERSION@@@1-DIGEST.bao`.
//!
//! The digest in the name is the beginning of the lockfile's, with which the tarball was compared, so that a lockfile that wants
//! other bytes under the same version does not find them. A package with machine code has an empty file `….real` instead, and its
//! directory in the cache. Archives are written beside their name and renamed; what a killed process left is removed an hour later.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use packages::{Archive, Kind, Writer, write_atomically};
use rustc_hash::{FxHashMap, FxHashSet};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, utimensat};
use tar::{Inflater, Limits};

use super::{Place, Slot, Source, Store, TarballJob, Unpacked};
use crate::error::{Error, Result};
use crate::model::integrity::Integrity;
use crate::store::fs;
use crate::store::index::Stamp;
use crate::store::tarball::digest;
use crate::store::tarball::pack::{Packed, is_native, pack};

const DIR: &str = ".bao-archives-1";

pub(super) struct Archives {
    dir: PathBuf,
    /// The files that are there.
    names: Mutex<FxHashSet<String>>,
    /// By key of a package: the digest that the lockfile has.
    digests: Mutex<FxHashMap<Box<str>, String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Other packages are made of what may change, or have a file of our own.
fn takes(key: &str) -> bool {
    !["@G@", "@GH@", "@T@"].iter().any(|start| key.starts_with(start))
}

impl Archives {
    fn open(cache: &Path) -> Archives {
        let dir = cache.join(DIR);
        let _ = std::fs::create_dir(&dir);
        let mut names = FxHashSet::default();
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with(".tmp-") {
                let age =
                    entry.metadata().and_then(|status| status.modified()).ok().and_then(|time| time.elapsed().ok());
                if age.is_some_and(|age| age.as_secs() > 3600) {
                    let _ = std::fs::remove_file(entry.path());
                }
            } else {
                names.insert(name);
            }
        }
        Archives { dir, names: Mutex::new(names), digests: Mutex::default() }
    }

    fn name(&self, key: &str, extension: &str) -> String {
        let digests = lock(&self.digests);
        let digest = digests.get(key).map_or("", String::as_str);
        format!("{}{digest}.{extension}", key.replace('/', "+"))
    }

    fn has(&self, key: &str, extension: &str) -> bool {
        lock(&self.names).contains(&self.name(key, extension))
    }

    fn write(&self, key: &str, extension: &str, parts: &[&[u8]]) -> Result<()> {
        let name = self.name(key, extension);
        let path = self.dir.join(&name);
        write_atomically(&path, parts).map_err(|error| {
            Error::io("Could not put the package into the cache as", &path, error)
                .hint("the store linker needs a cache that can be written to: choose one with --cache-dir")
        })?;
        lock(&self.names).insert(name);
        Ok(())
    }
}

/// The archives in a cache, sorted: what they are called there and their files. Marks of packages that are directories are among them,
/// with an empty name.
pub(crate) fn archives_in(cache: &Path) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = std::fs::read_dir(cache.join(DIR))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let label = if name.ends_with(".real") { "" } else { name.strip_suffix(".bao")? };
            Some((label.to_owned(), entry.path()))
        })
        .collect();
    found.sort();
    found
}

/// Notes that a project uses an archive, for `pm cache prune`: as the time of its last access, since that of its last change is what
/// programs see of the files in it. Failure is no error: a cache of somebody else is theirs to prune.
pub(crate) fn mark_used(archive: &Path) {
    let time = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
    let times = Timestamps { last_access: time(UTIME_NOW), last_modification: time(UTIME_OMIT) };
    let _ = utimensat(CWD, archive, &times, AtFlags::empty());
}

const ARCHIVED: Source = Source { place: Place::Archive, stamp: Stamp { inode: 0, time: 0 }, listing: None };

impl Source {
    /// Whether the package is an archive and not a directory.
    pub(crate) fn is_archive(&self) -> bool {
        self.place == Place::Archive
    }
}

impl Store {
    /// From now on packages are archives.
    pub(crate) fn take_archives(&self) {
        self.archives.get_or_init(|| Archives::open(&self.path));
    }

    pub(super) fn has_archives(&self) -> bool {
        self.archives.get().is_some()
    }

    /// Notes which bytes of a package are wanted.
    pub(crate) fn expect_integrity(&self, key: &str, integrity: &Integrity) {
        if let Some(archives) = self.archives.get()
            && !integrity.is_none()
        {
            let digest: String = integrity.digest().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            lock(&archives.digests).insert(key.into(), format!("-{digest}"));
        }
    }

    /// Where the archive of a package is.
    pub(crate) fn archive_path(&self, key: &str) -> Option<PathBuf> {
        self.archives.get().map(|archives| archives.dir.join(archives.name(key, "bao")))
    }

    /// What there is on the disk of a package: an archive, if archives are wanted.
    pub(super) fn find_source(&self, key: &str) -> Option<Source> {
        let Some(archives) = self.archives.get().filter(|_| takes(key)) else { return self.probe(key) };
        if archives.has(key, "bao") {
            return Some(ARCHIVED);
        }
        let there = self.probe(key)?;
        if archives.has(key, "real") {
            return Some(there);
        }
        // Unpacked for another linker: an archive is made of the directory.
        match self.pack_directory(archives, key) {
            Ok(true) => Some(there),
            Ok(false) => Some(ARCHIVED),
            Err(_) => None,
        }
    }

    /// True: it has machine code, and stays a directory.
    fn pack_directory(&self, archives: &Archives, key: &str) -> Result<bool> {
        let root = self.path.join(key);
        let mut writer = Writer::new();
        let mut native = false;
        let mut stack = vec![String::new()];
        let failed = |error| Error::io("Could not read", &root, error);
        while let Some(below) = stack.pop() {
            for entry in std::fs::read_dir(root.join(&below)).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let name = if below.is_empty() { name } else { format!("{below}/{name}") };
                let kind = entry.file_type().map_err(failed)?;
                if kind.is_dir() {
                    writer.add(name.as_bytes(), Kind::Dir, 0o755, b"");
                    stack.push(name);
                } else if kind.is_symlink() {
                    let target = std::fs::read_link(entry.path()).map_err(failed)?;
                    writer.add(name.as_bytes(), Kind::Link, 0o777, target.as_os_str().as_encoded_bytes());
                } else if kind.is_file() {
                    use std::os::unix::fs::PermissionsExt as _;
                    let content = std::fs::read(entry.path()).map_err(failed)?;
                    native |= is_native(name.as_bytes(), &content);
                    let mode = entry.metadata().map_err(failed)?.permissions().mode();
                    writer.add(name.as_bytes(), Kind::File, mode, &content);
                }
            }
        }
        if native {
            archives.write(key, "real", &[])?;
        } else {
            let (head, data) = writer.finish();
            archives.write(key, "bao", &[&head, &data])?;
        }
        Ok(native)
    }

    /// Makes an archive of a tarball whose digest is right; nothing if the package is to be a directory.
    pub(super) fn pack(
        &self,
        inflater: &mut Inflater,
        job: &TarballJob,
        tarball: &[u8],
    ) -> Result<Option<(Unpacked, Source)>> {
        let Some(archives) = self.archives.get().filter(|_| takes(&job.cache_dir)) else { return Ok(None) };
        self.expect_integrity(&job.cache_dir, &job.integrity);
        let Packed { writer, native, files, bytes } = pack(inflater, tarball, Limits::for_tarball(tarball.len()))?;
        if native {
            archives.write(&job.cache_dir, "real", &[])?;
            return Ok(None);
        }
        let integrity = job.want_integrity.then(|| match job.integrity {
            Integrity::Sha512(_) => job.integrity,
            _ => digest::sha512(tarball),
        });
        let package_json = job.want_manifest.then(|| writer.content(b"package.json").map(<[u8]>::to_vec)).flatten();
        let (head, data) = writer.finish();
        archives.write(&job.cache_dir, "bao", &[&head, &data])?;
        Ok(Some((Unpacked { integrity, package_json, files, bytes }, ARCHIVED)))
    }

    /// Sees to it that a package is a directory of the cache: what is on the disk, or else the files of the archive.
    ///
    /// # Errors
    /// The archive is damaged, or the cache cannot be written to.
    pub(crate) fn unarchive(&self, key: &str) -> Result<()> {
        let source = match self.probe(key) {
            Some(source) => source,
            None => {
                let path = self.archive_path(key).unwrap_or_default();
                let failed = |error| Error::io("Could not unpack", &path, error);
                let archive = Archive::open(&path).map_err(failed)?;
                let staging = self.staging_dir()?;
                self.stage_in(key, |root, name| {
                    archive.unpack(&staging.join(name)).map_err(failed)?;
                    let dir = fs::open_dir(root, c".").map_err(|error| failed(error.into()))?;
                    let (listing, _) = fs::walk(dir.as_fd(), &[]).map_err(|error| failed(error.into()))?;
                    Ok(listing)
                })?
            }
        };
        self.lock().slots.insert(key.into(), Slot::Ready(source));
        Ok(())
    }
}

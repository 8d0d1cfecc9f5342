//! Manifests on disk: `<hash of registry and name>.npm` in the cache.
//!
//! A file is written beside its place and renamed, so that a reader sees a whole one or none. One that is damaged or of another
//! version reads as absent.

use super::{Bytes, Inner, Manifest};
use rustix::fd::OwnedFd;
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use std::sync::Arc;

/// The directory of the manifests.
pub struct Cache {
    dir: OwnedFd,
}

/// Name of the file for `name` at `registry`.
fn file_name(registry: &str, name: &str) -> String {
    let mut key = String::with_capacity(registry.len() + name.len());
    key.push_str(registry);
    key.push_str(name);
    let mut file = String::with_capacity(24);
    use std::fmt::Write;
    let _ = write!(file, "{:016x}.bao", crate::text::hash(&key));
    file
}

impl Cache {
    pub fn new(dir: OwnedFd) -> Self {
        Self { dir }
    }

    /// The stored manifest, or nothing where there is no usable one.
    pub fn load(&self, registry: &str, name: &str) -> Option<Manifest> {
        let file =
            fs::openat(&self.dir, file_name(registry, name), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let length = usize::try_from(fs::fstat(&file).ok()?.st_size).ok()?;
        if length < size_of::<super::Header>() {
            return None;
        }
        use rustix::mm::{MapFlags, ProtFlags, mmap};
        // SAFETY: a new private mapping; files of the cache are replaced by renaming, never truncated.
        let at = unsafe {
            mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::PRIVATE | MapFlags::POPULATE, &file, 0)
                .ok()?
        };
        let manifest =
            Manifest(Arc::new(Inner { bytes: Bytes::Map(at.cast_const().cast(), length), checked: 0.into() }));
        if !manifest.check() || manifest.name() != name {
            return None;
        }
        manifest.0.checked.store(manifest.header().checked, std::sync::atomic::Ordering::Relaxed);
        Some(manifest)
    }

    /// Stores a manifest. Failing to is no error: the next run asks the registry again.
    pub fn store(&self, registry: &str, manifest: &Manifest) {
        let file = file_name(registry, manifest.name());
        let temporary = format!(".{file}.{}", std::process::id());
        let write = || -> Result<(), Errno> {
            let out = fs::openat(
                &self.dir,
                &temporary,
                OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC,
                Mode::from_raw_mode(0o644),
            )?;
            let mut rest = manifest.bytes();
            while !rest.is_empty() {
                let done = rustix::io::write(&out, rest)?;
                rest = &rest[done..];
            }
            fs::renameat(&self.dir, &temporary, &self.dir, &file)
        };
        if write().is_err() {
            let _ = fs::unlinkat(&self.dir, &temporary, fs::AtFlags::empty());
        }
    }

    /// The registry has confirmed the stored manifest at `now`.
    pub fn confirm(&self, registry: &str, manifest: &Manifest, now: u64) {
        manifest.0.checked.store(now, std::sync::atomic::Ordering::Relaxed);
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        if let Ok(file) = fs::openat(&self.dir, file_name(registry, manifest.name()), flags, Mode::empty()) {
            // The time is outside of what the checksum covers: eight bytes at 8.
            let _ = rustix::io::pwrite(&file, &now.to_ne_bytes(), 8);
        }
    }
}

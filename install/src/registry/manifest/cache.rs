//! Manifests on disk: `<hash of registry and name>.npm` in the cache.
//!
//! A file is written beside its place and renamed, so that a reader sees a whole one or none. One that is damaged or of another
//! version reads as absent.

use super::{Bytes, Inner, Manifest};
use rustix::fd::OwnedFd;
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use std::cell::RefCell;
use std::sync::Arc;

/// Manifests up to this size are read, larger ones are mapped: setting up and taking down a mapping costs more than copying a few pages.
const READ_BYTES: usize = 32 << 10;

/// The directory of the manifests.
pub struct Cache {
    dir: OwnedFd,
}

thread_local! {
    /// Where a file is read to before its size is known.
    static SCRATCH: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Name of the file for `name` at `registry`.
pub fn file_name(registry: &str, name: &str) -> String {
    let mut key = String::with_capacity(registry.len() + name.len());
    key.push_str(registry);
    key.push_str(name);
    let mut file = String::with_capacity(24);
    use std::fmt::Write;
    let _ = write!(file, "{:016x}.bao", crate::model::string_arena::hash(&key));
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
        let manifest = Manifest(Arc::new(Inner { bytes: Self::bytes(&file)?, checked: 0.into() }));
        if !manifest.check() || manifest.name() != name {
            return None;
        }
        manifest.0.checked.store(manifest.header().checked, std::sync::atomic::Ordering::Relaxed);
        Some(manifest)
    }

    fn bytes(file: &OwnedFd) -> Option<Bytes> {
        let read = SCRATCH.with_borrow_mut(|scratch| {
            scratch.resize(READ_BYTES / 8, 0);
            // SAFETY: the words are initialised, READ_BYTES long, and bytes have no invalid values.
            let buffer = unsafe { std::slice::from_raw_parts_mut(scratch.as_mut_ptr().cast::<u8>(), READ_BYTES) };
            let length = rustix::io::read(file, buffer).ok()?;
            // A regular file gives less than asked for only at its end. One that is cut short fails the checks of its sizes.
            let whole = length < READ_BYTES;
            Some((length, if whole { scratch[..length.div_ceil(8)].to_vec() } else { Vec::new() }))
        });
        let (length, words) = read?;
        if length < size_of::<super::Header>() {
            return None;
        }
        if length < READ_BYTES {
            return Some(Bytes::Owned(words, length));
        }
        let length = usize::try_from(fs::fstat(file).ok()?.st_size).ok()?;
        if length < READ_BYTES {
            return None;
        }
        use rustix::mm::{MapFlags, ProtFlags, mmap};
        // SAFETY: a new private mapping; files of the cache are replaced by renaming, never truncated.
        let at = unsafe {
            mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::PRIVATE | MapFlags::POPULATE, file, 0).ok()?
        };
        Some(Bytes::Map(at.cast_const().cast(), length))
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

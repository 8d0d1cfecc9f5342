//! A package's manifest (all its versions) as the binary file of the cache.
//!
//! The JSON of the registry is read once; what the resolver needs is stored as fixed-size records and one string buffer in which
//! every string is stored once. The file is mapped and read by offset.
//!
//! ```text
//! Header | Version × n | Dep × n | Bin × n | Tag × n | text
//! ```
//!
//! Versions are sorted: releases ascending, then prereleases ascending. All numbers are little-endian (the machine's order; the
//! header's magic number differs on another one). `checksum` is XXH3 of everything after the first 32 bytes, so that the time of the
//! last check can be rewritten in place.

mod age;
mod bins;
pub(crate) mod cache;
mod parse;
pub(crate) mod workers;

pub(crate) use age::AgeLimit;
pub(crate) use parse::{Source, parse};

use crate::model::integrity::Integrity;
use crate::model::string_arena::Str;
use semver::{Range, Version};
use std::sync::Arc;

const MAGIC: u32 = 0x4e4d_4142;
const VERSION: u32 = 2;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Header {
    magic: u32,
    version: u32,
    /// When the registry last confirmed it, in seconds since 1970.
    pub checked: u64,
    checksum: u64,
    reserved: u64,
    versions: u32,
    releases: u32,
    deps: u32,
    bins: u32,
    tags: u32,
    text: u32,
    name: Str,
    etag: Str,
    modified: Str,
    /// Publication times and libc are there.
    full: u32,
    latest: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct VersionRecord {
    major: u64,
    minor: u64,
    patch: u64,
    /// Milliseconds since 1970, 0 where unknown.
    pub published: u64,
    pre: Str,
    build: Str,
    /// Where it differs from the registry's usual place.
    pub tarball: Str,
    deps: u32,
    deps_len: u32,
    bins: u32,
    bins_len: u32,
    pub bin_dir: Str,
    pub engine: Str,
    integrity: [u8; 64],
    pub os: u16,
    pub cpu: u16,
    pub libc: u16,
    integrity_tag: u8,
    pub flags: u8,
}

pub(crate) const VERSION_INSTALL_SCRIPT: u8 = 1;
pub(crate) const VERSION_DEPRECATED: u8 = 2;
/// `bin` was a string: the command has the package's name.
pub(crate) const VERSION_BIN_FILE: u8 = 4;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct DepRecord {
    pub name: Str,
    pub range: Str,
    /// [`crate::model::graph::Behavior`].
    pub behavior: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct BinRecord {
    pub name: Str,
    pub path: Str,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct TagRecord {
    pub name: Str,
    /// Index of the version, or `u32::MAX`.
    pub version: u32,
}

/// The bytes of a manifest: mapped, or just made.
enum Bytes {
    Map(*const u8, usize),
    Owned(Vec<u64>, usize),
}

/// A manifest in memory. Cheap to clone.
#[derive(Clone)]
pub struct Manifest(Arc<Inner>);

struct Inner {
    bytes: Bytes,
    /// Overrides the header's, after a 304.
    checked: std::sync::atomic::AtomicU64,
}

// SAFETY: the mapping is private and read-only; nothing writes to it after it was made.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Bytes::Map(at, length) = self.bytes {
            // SAFETY: `at` and `length` are what mmap gave; nothing refers to the mapping any more.
            let _ = unsafe { rustix::mm::munmap(at.cast_mut().cast(), length) };
        }
    }
}

/// Why no version was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotFound {
    NoMatch,
    TooRecent,
}

impl Manifest {
    fn bytes(&self) -> &[u8] {
        match &self.0.bytes {
            // SAFETY: the mapping has this length and lives as long as `self.0`.
            Bytes::Map(at, length) => unsafe { std::slice::from_raw_parts(*at, *length) },
            // SAFETY: `length` is at most eight times the number of words.
            Bytes::Owned(words, length) => unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), *length) },
        }
    }

    /// Checks the structure: afterwards every access is within bounds.
    fn check(&self) -> bool {
        let bytes = self.bytes();
        if bytes.len() < size_of::<Header>() {
            return false;
        }
        let header = self.header();
        if header.magic != MAGIC || header.version != VERSION {
            return false;
        }
        let sizes = [
            size_of::<Header>() as u64,
            u64::from(header.versions) * size_of::<VersionRecord>() as u64,
            u64::from(header.deps) * size_of::<DepRecord>() as u64,
            u64::from(header.bins) * size_of::<BinRecord>() as u64,
            u64::from(header.tags) * size_of::<TagRecord>() as u64,
            u64::from(header.text),
        ];
        if sizes.iter().sum::<u64>() != bytes.len() as u64
            || header.releases > header.versions
            || xxhash_rust::xxh3::xxh3_64(&bytes[32..]) != header.checksum
        {
            return false;
        }
        let within = |off: u32, len: u32, all: u32| off.checked_add(len).is_some_and(|end| end <= all);
        std::str::from_utf8(&bytes[bytes.len() - header.text as usize..]).is_ok()
            && self.versions().iter().all(|version| {
                within(version.deps, version.deps_len, header.deps)
                    && within(version.bins, version.bins_len, header.bins)
            })
    }

    fn owned(words: Vec<u64>, length: usize) -> Self {
        let manifest = Self(Arc::new(Inner { bytes: Bytes::Owned(words, length), checked: 0.into() }));
        manifest.0.checked.store(manifest.header().checked, std::sync::atomic::Ordering::Relaxed);
        manifest
    }

    pub fn header(&self) -> &Header {
        // SAFETY: callers have made sure of the size; the start is aligned to 8 (page or Vec<u64>); any bits are a valid Header.
        unsafe { &*self.bytes().as_ptr().cast() }
    }

    /// Seconds since 1970 of the last confirmation by the registry.
    pub fn checked(&self) -> u64 {
        self.0.checked.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn table<T>(&self, at: usize, count: u32) -> &[T] {
        let bytes = self.bytes();
        assert!(at + count as usize * size_of::<T>() <= bytes.len());
        // SAFETY: within bounds (above), aligned (all records are multiples of their alignment, in falling order of it), and any
        // bits are valid records.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().add(at).cast(), count as usize) }
    }

    fn versions_at(&self) -> usize {
        size_of::<Header>()
    }

    fn deps_at(&self) -> usize {
        self.versions_at() + self.header().versions as usize * size_of::<VersionRecord>()
    }

    fn bins_at(&self) -> usize {
        self.deps_at() + self.header().deps as usize * size_of::<DepRecord>()
    }

    fn tags_at(&self) -> usize {
        self.bins_at() + self.header().bins as usize * size_of::<BinRecord>()
    }

    pub fn versions(&self) -> &[VersionRecord] {
        self.table(self.versions_at(), self.header().versions)
    }

    pub fn tags(&self) -> &[TagRecord] {
        self.table(self.tags_at(), self.header().tags)
    }

    /// The string buffer.
    fn text(&self) -> &str {
        let bytes = self.bytes();
        // SAFETY: check() has verified it, or it was copied from a str by the parser.
        unsafe { std::str::from_utf8_unchecked(&bytes[bytes.len() - self.header().text as usize..]) }
    }

    /// Number of versions.
    pub fn header_versions(&self) -> u32 {
        self.header().versions
    }

    /// How many of the versions are releases; they come first.
    pub fn releases(&self) -> u32 {
        self.header().releases
    }

    pub fn str(&self, at: Str) -> &str {
        at.of(self.text())
    }

    pub fn name(&self) -> &str {
        self.str(self.header().name)
    }

    pub fn etag(&self) -> &str {
        self.str(self.header().etag)
    }

    pub fn modified(&self) -> &str {
        self.str(self.header().modified)
    }

    pub fn is_full(&self) -> bool {
        self.header().full != 0
    }

    pub fn version(&self, index: u32) -> Version<'_> {
        let record = &self.versions()[index as usize];
        Version {
            major: record.major,
            minor: record.minor,
            patch: record.patch,
            pre: self.str(record.pre),
            build: self.str(record.build),
        }
    }

    pub fn record(&self, index: u32) -> &VersionRecord {
        &self.versions()[index as usize]
    }

    pub fn integrity(&self, record: &VersionRecord) -> Integrity {
        let length = [0, 20, 32, 48, 64].get(record.integrity_tag as usize).copied().unwrap_or(0);
        Integrity::from_parts(record.integrity_tag, &record.integrity[..length])
    }

    pub fn deps(&self, record: &VersionRecord) -> &[DepRecord] {
        &self.table(self.deps_at(), self.header().deps)[record.deps as usize..(record.deps + record.deps_len) as usize]
    }

    pub fn bins(&self, record: &VersionRecord) -> &[BinRecord] {
        &self.table(self.bins_at(), self.header().bins)[record.bins as usize..(record.bins + record.bins_len) as usize]
    }

    /// Index of the version that a dist-tag names.
    pub fn tag(&self, name: &str) -> Option<u32> {
        self.tags().iter().find(|tag| self.str(tag.name) == name).map(|tag| tag.version).filter(|at| *at != u32::MAX)
    }

    pub fn latest(&self) -> Option<u32> {
        Some(self.header().latest).filter(|at| *at < self.header().versions)
    }

    fn deprecated(&self, index: u32) -> bool {
        self.record(index).flags & VERSION_DEPRECATED != 0
    }

    /// Index of exactly this version.
    pub fn find(&self, version: &Version<'_>) -> Option<u32> {
        (0..self.header().versions).find(|&at| self.version(at).order(version).is_eq())
    }

    /// The version to install for a range: what `latest` names if the range holds it, else the newest release, else the newest
    /// prerelease where the range names one; a deprecated version only where there is no other. The age limit holds for all of
    /// them, exact versions too.
    pub fn best(&self, range: &Range<'_>, limit: AgeLimit<'_>) -> Result<u32, NotFound> {
        let limit = limit.of_package(self.name());
        if let Some(exact) = range.exact()
            && let Some(found) = self.find(&exact)
        {
            return if self.young(found, limit) { Err(NotFound::TooRecent) } else { Ok(found) };
        }
        let mut young = false;
        if let Some(latest) = self.latest() {
            let version = self.version(latest);
            if range.contains(&version)
                && !self.deprecated(latest)
                && (!range.has_prerelease() || range.first().is_some_and(|(_, first)| first.order(&version).is_eq()))
            {
                if !self.young(latest, limit) {
                    return Ok(latest);
                }
                young = true;
            }
        }
        let releases = self.header().releases;
        let within = |at: &u32| range.contains(&self.version(*at));
        if let Some(found) = self.settled((0..releases).rev().filter(within), None, limit, &mut young) {
            return Ok(found);
        }
        if range.has_prerelease()
            && let Some(found) =
                self.settled((releases..self.header().versions).rev().filter(within), None, limit, &mut young)
        {
            return Ok(found);
        }
        Err(if young { NotFound::TooRecent } else { NotFound::NoMatch })
    }

    /// The version that a dist-tag names, or one before it that is old enough; for a prerelease one of the same kind (`beta`).
    pub fn best_tag(&self, tag: &str, limit: AgeLimit<'_>) -> Result<u32, NotFound> {
        let limit = limit.of_package(self.name());
        let Some(at) = self.tag(tag) else { return Err(NotFound::NoMatch) };
        if !self.young(at, limit) {
            return Ok(at);
        }
        let wanted = self.version(at);
        let releases = self.header().releases;
        let list = if wanted.pre.is_empty() { 0..releases } else { releases..self.header().versions };
        let kind =
            |version: &Version<'_>| version.pre.split_once('.').map_or(version.pre.to_owned(), |pre| pre.0.to_owned());
        let before = list.rev().filter(|&other| {
            let version = self.version(other);
            version.order(&wanted).is_lt() && kind(&version) == kind(&wanted)
        });
        self.settled(before, Some(at), limit, &mut false).ok_or(NotFound::TooRecent)
    }
}

//! Records: what a program reads of archives when it starts, as one file.
//!
//! The first run of a program notes the indexes of the archives that it opens, the files that it reads of them and the code that
//! they compile to, and writes that as an archive of its own ([`begin`] says where). The next run maps the record instead of some
//! hundred files. A record is a cache: everything in it is compared with the same hashes as in the archive that it came from, what
//! it does not have is read there, and it is written anew when it lacks more than a few of the archives or of the code that a run
//! wants.
//!
//! ```text
//! ARCHIVE/i   when the archive was made (8 bytes, seconds since the epoch) and what is before its contents;
//!             ARCHIVE is its path without the first slash
//! ARCHIVE/f/N the content of its entry N
//! c/KEY       compiled code, by the key of the code cache in hexadecimal
//! a           what the program reads beside the record, see `ahead.rs`
//! ```
//!
//! Only archives whose name has a digest of their package are recorded: for others the same path may stand for other bytes.

use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use crate::ahead::{self, Noted};
use crate::archive::{Archive, Kind, u64_at};
use crate::writer::{Writer, write_atomically};

/// Larger files and larger code are read where they are: one file more costs little beside them.
pub const LARGEST: usize = 1 << 20;
/// A record is not larger than this, nor is a file that is fetched ahead.
const MOST: usize = 48 << 20;
/// Fewer files than these are not worth a record.
const FEWEST: usize = 4;
/// As many files of the program's own, of which the record does not know, are worth a new one if they are a quarter of all.
const FEWEST_FILES: usize = 16;
/// The start of a program is over after so long: files that it reads later are not noted.
const START: Duration = Duration::from_secs(20);
/// How many records there are in a folder; the oldest make room.
const RECORDS: usize = 128;
/// A program that goes on has its record written when it has read nothing new for so long.
const QUIET: Duration = Duration::from_millis(700);

/// The notes of this process.
struct Recording {
    file: PathBuf,
    /// The record of an earlier run, mapped when the first archive is wanted.
    old: OnceLock<Option<&'static Archive>>,
    /// Archives in the order of their opening, with their paths.
    archives: Mutex<Vec<(&'static [u8], &'static Archive)>>,
    code: Mutex<Code>,
    /// Archives and code that the old record did not have, or not with all files.
    missed: AtomicU32,
    /// Grows with everything that is noted.
    steps: AtomicUsize,
    begin: Instant,
    /// Files that are in no archive.
    files: Mutex<Noted>,
    /// Those that the old record's list has; nothing if that is of another working directory.
    known_files: OnceLock<Option<FxHashSet<u64>>>,
    /// How many it lacks.
    new_files: AtomicUsize,
    written: AtomicBool,
    watched: AtomicBool,
}

#[derive(Default)]
struct Code {
    known: FxHashSet<u128>,
    list: Vec<(u128, Cow<'static, [u8]>)>,
    bytes: usize,
}

static RECORDING: OnceLock<Recording> = OnceLock::new();

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where an archive that came from a record finds its files.
pub(crate) struct Part {
    record: &'static Archive,
    /// Of the names in the record.
    prefix: Vec<u8>,
}

impl Part {
    /// The content of an entry, not compared with its hash; nothing if the record does not have it.
    pub(crate) fn file(&self, number: u32) -> Option<&'static [u8]> {
        let mut name = self.prefix.clone();
        name.extend_from_slice(format!("/f/{number}").as_bytes());
        self.record.unchecked_content(&self.record.get(&name)?)
    }
}

/// Opens a file that code comes from: nobody but the user of this process and root may have written it.
///
/// # Errors
/// Those of the system; `PermissionDenied` for a file of another user, or that others can write to.
pub fn open_private(path: &Path) -> std::io::Result<File> {
    let file = File::open(path)?;
    let status = rustix::fs::fstat(&file)?;
    let is_trusted = status.st_uid == 0 || status.st_uid == rustix::process::geteuid().as_raw();
    if !is_trusted || status.st_mode & 0o022 != 0 {
        return Err(std::io::ErrorKind::PermissionDenied.into());
    }
    Ok(file)
}

/// From now on the archives and the code of this process are noted for the record `file`, and come from there if it exists. The
/// first call of a process counts.
pub fn begin(file: PathBuf) {
    let _ = RECORDING.set(Recording {
        file,
        old: OnceLock::new(),
        archives: Mutex::default(),
        code: Mutex::default(),
        missed: AtomicU32::new(0),
        steps: AtomicUsize::new(0),
        begin: Instant::now(),
        files: Mutex::default(),
        known_files: OnceLock::new(),
        new_files: AtomicUsize::new(0),
        written: AtomicBool::new(false),
        watched: AtomicBool::new(false),
    });
}

/// Whether code is noted: the program has a record or will have one, and a project with archives was met or the executable has files.
pub fn is_on() -> bool {
    RECORDING.get().is_some() && crate::is_active()
}

impl Recording {
    fn old(&self) -> Option<&'static Archive> {
        *self.old.get_or_init(|| {
            let (record, is_cold) = Archive::open_record(&self.file).ok()?;
            let record = Box::leak(Box::new(record));
            if is_cold {
                ahead::fetch(record);
            }
            Some(record)
        })
    }

    /// Something was noted; `missed`: the old record does not have it.
    fn step(&'static self, missed: bool) {
        self.steps.fetch_add(1, Ordering::Relaxed);
        if !missed {
            return;
        }
        let missed = self.missed.fetch_add(1, Ordering::Relaxed) as usize;
        if missed >= FEWEST {
            self.watch();
        }
    }

    /// Writes the record when nothing new has been read for a while. A process that ends before writes it itself.
    fn watch(&'static self) {
        if self.watched.swap(true, Ordering::Relaxed) {
            return;
        }
        let _ = std::thread::Builder::new().name("record".to_owned()).stack_size(256 << 10).spawn(move || {
            let mut before = 0;
            loop {
                std::thread::sleep(QUIET);
                let steps = self.steps.load(Ordering::Relaxed) + self.new_files.load(Ordering::Relaxed);
                if steps == before {
                    return self.write();
                }
                before = steps;
            }
        });
    }

    fn note_file(&'static self, path: &[u8], length: u64) {
        // The lock is not held while the old record is opened.
        let is_first = lock(&self.files).add(path, length);
        if is_first && self.is_new(path) && self.new_files.fetch_add(1, Ordering::Relaxed) >= FEWEST_FILES {
            self.watch();
        }
    }

    /// Whether the old record's list lacks a file. A list of another working directory lacks nothing: a program that is used in several
    /// of them would have its record written again and again.
    fn is_new(&self, path: &[u8]) -> bool {
        let Some(old) = self.old() else { return true };
        let known = self.known_files.get_or_init(|| ahead::known(old));
        known.as_ref().is_some_and(|known| !known.contains(&xxh3_64(path)))
    }

    /// Whether the old record lacks so much that another one is worth its writing.
    fn is_outdated(&self) -> bool {
        let (missed, steps) = (self.missed.load(Ordering::Relaxed) as usize, self.steps.load(Ordering::Relaxed));
        let new = self.new_files.load(Ordering::Relaxed);
        (missed >= FEWEST && missed * 8 >= steps) || (new >= FEWEST_FILES && new * 4 >= lock(&self.files).len())
    }

    /// Writes the record, unless the old one is good enough.
    fn write(&self) {
        if self.written.swap(true, Ordering::AcqRel) {
            return;
        }
        if !self.is_outdated() {
            return;
        }
        let mut writer = Writer::new();
        let mut left = MOST;
        let mut add = |writer: &mut Writer, name: &[u8], content: &[u8]| {
            if content.len() <= LARGEST.min(left) && writer.add(name, Kind::File, 0o644, content) {
                left -= content.len();
            }
        };
        let archives = std::mem::take(&mut *lock(&self.archives));
        let large = archives
            .iter()
            .flat_map(|&(path, archive)| archive.large(LARGEST).map(move |(offset, length)| (offset, length, path)));
        let list = std::mem::take(&mut *lock(&self.files)).finish(&ahead::current_dir(), large);
        add(&mut writer, ahead::LIST, &list);
        for (path, archive) in archives {
            let Some(prefix) = prefix_of(path) else { continue };
            let name = |rest: &str| [prefix, rest.as_bytes()].concat();
            add(&mut writer, &name("/i"), &[&archive.modified.to_le_bytes(), archive.head()].concat());
            for entry in archive.entries().filter(|entry| matches!(entry.kind, Kind::File | Kind::Link)) {
                if let Some(content) = archive.checked_content(&entry) {
                    add(&mut writer, &name(&format!("/f/{}", entry.number)), content);
                }
            }
        }
        let code = std::mem::take(&mut *lock(&self.code));
        for (key, bytes) in code.list {
            add(&mut writer, format!("c/{key:032x}").as_bytes(), &bytes);
        }
        if writer.is_empty() {
            return;
        }
        let Some(dir) = self.file.parent() else { return };
        let (head, data) = writer.finish();
        // Failure is no error: the next run reads the archives again.
        if std::fs::create_dir_all(dir).and_then(|()| write_atomically(&self.file, &[&head, &data])).is_ok() {
            collect(dir);
        }
    }
}

/// Removes the oldest records of a folder where there are too many.
fn collect(dir: &Path) {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<_> = files
        .filter_map(|file| Some((file.metadata().and_then(|status| status.modified()).ok()?, file.path())))
        .collect();
    if files.len() > RECORDS {
        files.sort();
        for (_, path) in &files[..files.len() - RECORDS] {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The name of an archive in a record; nothing if its own name has no digest (`NAME-0123456789abcdef.bao`).
fn prefix_of(path: &[u8]) -> Option<&[u8]> {
    let stem = path.strip_suffix(b".bao")?;
    let digest = stem.get(stem.len().checked_sub(17)?..)?;
    let is_digest = digest[0] == b'-' && digest[1..].iter().all(u8::is_ascii_hexdigit);
    path.strip_prefix(b"/").filter(|_| is_digest)
}

/// The archive at `path` as the record has it.
pub(crate) fn archive(path: &'static [u8]) -> Option<Archive> {
    archive_of(RECORDING.get()?.old()?, path)
}

pub(crate) fn archive_of(record: &'static Archive, path: &'static [u8]) -> Option<Archive> {
    let prefix = prefix_of(path)?;
    let bytes = record.content(&record.get(&[prefix, b"/i"].concat())?).ok()?;
    let modified = u64_at(bytes, 0)?.cast_signed();
    let part = Part { record, prefix: prefix.to_vec() };
    Archive::recorded(&bytes[8..], part, crate::mounts::path_of(path), modified).ok()
}

/// An archive was opened.
pub(crate) fn opened(path: &'static [u8], archive: &'static Archive) {
    if let Some(recording) = RECORDING.get()
        && !recording.written.load(Ordering::Relaxed)
    {
        lock(&recording.archives).push((path, archive));
        recording.step(!archive.is_recorded());
    }
}

/// An archive that came from the record had to be opened for a file of `size` bytes.
pub(crate) fn missed_file(size: u64) {
    if size <= LARGEST as u64
        && let Some(recording) = RECORDING.get()
    {
        recording.step(true);
    }
}

/// What notes the files of this process, while its start lasts and packages of it are in archives.
fn noting() -> Option<&'static Recording> {
    let recording = RECORDING.get().filter(|_| crate::is_active())?;
    let is_open = !recording.written.load(Ordering::Relaxed) && recording.begin.elapsed() < START;
    is_open.then_some(recording)
}

/// A file that is in no archive was opened to be read: the next run has it fetched before.
pub fn read_file(path: &[u8]) {
    if let Some(recording) = noting() {
        recording.note_file(path, ahead::LONGEST_FILE);
    }
}

/// The same for a file that is read to its end, or mapped, if it is no longer than a record may be. More than a mebibyte is fetched in
/// whatever directory the program runs.
pub fn read_whole(path: &[u8]) {
    if let Some(recording) = noting()
        && let Ok(status) = rustix::fs::stat(path)
        && let Ok(size) = u64::try_from(status.st_size)
        && size <= MOST as u64
    {
        recording.note_file(path, size);
    }
}

/// The code under a key of the code cache, if the record has it. It lives as long as the process.
pub fn code(key: u128) -> Option<&'static [u8]> {
    let recording = RECORDING.get().filter(|_| crate::is_active())?;
    let record = recording.old()?;
    let bytes = record.unchecked_content(&record.get(format!("c/{key:032x}").as_bytes())?)?;
    note(recording, key, Cow::Borrowed(bytes), false);
    Some(bytes)
}

/// Notes code that the record does not have, or not whole, as the code cache stores it: with a checksum of its own.
pub fn keep_code(key: u128, bytes: Vec<u8>) {
    if let Some(recording) = RECORDING.get().filter(|_| crate::is_active()) {
        note(recording, key, Cow::Owned(bytes), true);
    }
}

fn note(recording: &'static Recording, key: u128, bytes: Cow<'static, [u8]>, missed: bool) {
    if bytes.len() > LARGEST || recording.written.load(Ordering::Relaxed) {
        return;
    }
    let mut code = lock(&recording.code);
    if code.bytes + bytes.len() > MOST {
        return;
    }
    if !code.known.insert(key) {
        if missed && let Some(spoiled) = code.list.iter_mut().find(|(known, _)| *known == key) {
            spoiled.1 = bytes;
            recording.missed.store(u32::MAX / 16, Ordering::Relaxed);
        }
        return;
    }
    code.bytes += bytes.len();
    code.list.push((key, bytes));
    drop(code);
    recording.step(missed);
}

/// The process ends: writes the record if that is worth it.
pub fn finish() {
    if let Some(recording) = RECORDING.get() {
        recording.write();
    }
}

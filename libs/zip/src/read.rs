//! Reading: the directory, then the entries that are asked for.

use libdeflater::{Crc, Decompressor};
use tar::{Error, Kind, Limits, Sink};

use crate::{
    CENTRAL, CENTRAL_LENGTH, DEFLATED, ENCRYPTED, END, END_64, END_64_LENGTH, END_LENGTH, EXTRA_64, EXTRA_TIME, LOCAL,
    LOCAL_LENGTH, LOCATOR_64, LOCATOR_64_LENGTH, STORED, UNIX, UTF8, cp437, damaged, dos_time, extra, u16_at, u32_at,
    u64_at,
};

/// The longest comment at the end.
const MAX_COMMENT: usize = u16::MAX as usize;
/// DEFLATE packs at most so many bytes into one: what claims more is not what it says.
const MAX_RATIO: u64 = 1032;
/// What a name that ends in `/` gets, and what a file gets, from systems without modes.
const DIRECTORY_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;
const TYPE_OF_MODE: u32 = 0o170_000;
const SYMLINK_MODE: u32 = 0o120_000;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Directory,
    Symlink,
}

/// One line of the directory.
#[derive(Clone, Debug)]
pub struct Entry {
    /// As UTF-8, not checked further.
    pub name: Vec<u8>,
    pub kind: EntryKind,
    /// Permissions.
    pub mode: u32,
    /// Seconds since 1970.
    pub modified: i64,
    /// Bytes of the content.
    pub size: u64,
    packed: u64,
    method: u16,
    crc: u32,
    encrypted: bool,
    /// Of the local header, from the first byte of the archive.
    offset: u64,
}

/// An archive in memory, with its directory.
pub struct Archive<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry>,
    decompressor: Decompressor,
}

/// Where the directory is.
struct Directory {
    start: usize,
    count: u64,
    /// What stands before the archive, such as the program of one that unpacks itself: offsets do not count it.
    shift: u64,
}

/// Finds the end of the directory: the last one whose comment fills the file.
fn find_end(bytes: &[u8]) -> Option<usize> {
    let tail = bytes.len().saturating_sub(END_LENGTH + MAX_COMMENT);
    memchr::memmem::rfind_iter(&bytes[tail..], &END.to_le_bytes())
        .map(|at| tail + at)
        .find(|at| u16_at(bytes, at + 20).is_some_and(|comment| at + END_LENGTH + usize::from(comment) == bytes.len()))
}

fn find_directory(bytes: &[u8]) -> Result<Directory, Error> {
    let end = find_end(bytes).ok_or_else(|| damaged("its directory is missing or cut off"))?;
    let broken = || damaged("the end of its directory is broken");
    let short = |at: usize| u16_at(bytes, end + at).map(u64::from).ok_or_else(broken);
    let long = |at: usize| u32_at(bytes, end + at).map(u64::from).ok_or_else(broken);
    let (disk, first_disk, here, mut count) = (short(4)?, short(6)?, short(8)?, short(10)?);
    let (mut size, mut offset) = (long(12)?, long(16)?);
    let mut behind = end;
    let locator = end.checked_sub(LOCATOR_64_LENGTH).filter(|at| u32_at(bytes, *at) == Some(LOCATOR_64));
    let wide = count == 0xffff || size == 0xffff_ffff || offset == 0xffff_ffff;
    if let Some(locator) = locator.filter(|_| wide) {
        // The offset does not count what stands before the archive; without such a thing it is right, else it stands before its locator.
        let said = u64_at(bytes, locator + 8).and_then(|at| usize::try_from(at).ok());
        let before = locator.checked_sub(END_64_LENGTH);
        let is_end = |at: &usize| u32_at(bytes, *at) == Some(END_64);
        let at = said.filter(is_end).or(before.filter(is_end)).ok_or_else(broken)?;
        let field = |from: usize| u64_at(bytes, at + from).ok_or_else(broken);
        (count, size, offset) = (field(32)?, field(40)?, field(48)?);
        behind = at;
    } else if disk != 0 || first_disk != 0 || here != count {
        return Err(Error {
            message: "The archive is one of several disks, which is not supported".to_owned(),
            cause: None,
            kind: Kind::Refused,
        });
    }
    let start = (behind as u64).checked_sub(size).ok_or_else(broken)?;
    let shift = start.checked_sub(offset).ok_or_else(broken)?;
    // Every entry of the directory has that many bytes at least.
    if count.checked_mul(CENTRAL_LENGTH as u64).is_none_or(|least| least > size) {
        return Err(damaged("its directory has fewer entries than it says"));
    }
    Ok(Directory { start: start as usize, count, shift })
}

/// Reads the entry of the directory at `at`; gives it and where the next one begins.
fn central(bytes: &[u8], at: usize, shift: u64) -> Option<(Entry, usize)> {
    if u32_at(bytes, at)? != CENTRAL {
        return None;
    }
    let short = |from: usize| u16_at(bytes, at + from);
    let long = |from: usize| u32_at(bytes, at + from);
    let (system, flags, method) = (*bytes.get(at + 5)?, short(8)?, short(10)?);
    let (time, date, crc) = (short(12)?, short(14)?, long(16)?);
    let (mut packed, mut size) = (u64::from(long(20)?), u64::from(long(24)?));
    let (name_length, extra_length, comment_length) =
        (usize::from(short(28)?), usize::from(short(30)?), usize::from(short(32)?));
    let (attributes, mut offset) = (long(38)?, u64::from(long(42)?));
    let name_start = at + CENTRAL_LENGTH;
    let name = bytes.get(name_start..name_start + name_length)?;
    let fields = bytes.get(name_start + name_length..)?.get(..extra_length)?;
    if let Some(wide) = extra(fields, EXTRA_64) {
        let mut from = 0;
        for value in [&mut size, &mut packed, &mut offset] {
            if *value == 0xffff_ffff {
                *value = u64_at(wide, from)?;
                from += 8;
            }
        }
    }
    let told = extra(fields, EXTRA_TIME).filter(|data| data.first().is_some_and(|flags| flags & 1 == 1));
    let modified = match told.and_then(|data| u32_at(data, 1)) {
        // Signed: dates before 1970 exist.
        Some(seconds) => i64::from(seconds as i32),
        None => dos_time::to_seconds(time, date),
    };
    let mut name = if flags & UTF8 != 0 { name.to_vec() } else { cp437::decode(name) };
    if system != UNIX {
        // Of DOS and Windows, whose separator is forbidden in the format and used all the same.
        name.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    }
    let mode = if system == UNIX { attributes >> 16 } else { 0 };
    let kind = if name.ends_with(b"/") {
        EntryKind::Directory
    } else if mode & TYPE_OF_MODE == SYMLINK_MODE {
        EntryKind::Symlink
    } else {
        EntryKind::File
    };
    let permissions = match (mode & 0o7777, kind) {
        (0, EntryKind::Directory) => DIRECTORY_MODE,
        (0, _) => FILE_MODE,
        (mode, _) => mode,
    };
    let entry = Entry {
        name,
        kind,
        mode: permissions,
        modified,
        size,
        packed,
        method,
        crc,
        encrypted: flags & ENCRYPTED != 0,
        offset: offset.checked_add(shift)?,
    };
    Some((entry, name_start + name_length + extra_length + comment_length))
}

impl<'a> Archive<'a> {
    /// Reads the directory of an archive.
    ///
    /// # Errors
    /// [`Kind::Damaged`] for what is no archive or a broken one, [`Kind::Entries`] and [`Kind::Bomb`] for one beyond `limits`, and
    /// [`Kind::Refused`] for what is not supported and for entries that lie on top of each other.
    pub fn open(bytes: &'a [u8], limits: Limits) -> Result<Self, Error> {
        let directory = find_directory(bytes)?;
        if directory.count > u64::from(limits.entries) {
            return Err(Error {
                message: format!("The archive was refused: it holds more than {} entries", limits.entries),
                cause: None,
                kind: Kind::Entries,
            });
        }
        let mut entries = Vec::with_capacity(directory.count as usize);
        let mut at = directory.start;
        let mut total = 0u64;
        for _ in 0..directory.count {
            let read = central(bytes, at, directory.shift);
            let (entry, next) = read.ok_or_else(|| damaged("an entry of its directory is broken"))?;
            total = total.saturating_add(entry.size);
            if total > limits.bytes {
                return Err(Error {
                    message: format!("The archive was refused: it unpacks to more than {} MiB", limits.bytes >> 20),
                    cause: None,
                    kind: Kind::Bomb,
                });
            }
            entries.push(entry);
            at = next;
        }
        let archive = Self { bytes, entries, decompressor: Decompressor::new() };
        archive.refuse_overlaps(directory.start)?;
        Ok(archive)
    }

    /// Entries that share bytes make a small archive large: the bombs of <https://www.bamsoftware.com/hacks/zipbomb/>.
    fn refuse_overlaps(&self, end: usize) -> Result<(), Error> {
        let mut places: Vec<(u64, u64)> =
            self.entries.iter().map(|entry| (entry.offset, LOCAL_LENGTH as u64 + entry.packed)).collect();
        places.sort_unstable();
        let ends = places.iter().skip(1).map(|place| place.0).chain([end as u64]);
        for ((start, length), next) in places.iter().zip(ends) {
            if start.checked_add(*length).is_none_or(|stop| stop > next) {
                return Err(Error {
                    message: "The archive was refused: its entries lie on top of each other".to_owned(),
                    cause: None,
                    kind: Kind::Refused,
                });
            }
        }
        Ok(())
    }

    /// The entries, in the order of the directory.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Reads an entry by its place, and gives its content.
    ///
    /// # Errors
    /// [`Kind::Damaged`] for content that does not fit to the directory, [`Kind::Refused`] for an encrypted entry or another method.
    pub fn read(&mut self, place: usize) -> Result<Vec<u8>, Error> {
        let entry = &self.entries[place];
        let quoted = || entry.name.escape_ascii().to_string();
        let broken = |why: &str| damaged(&format!("\"{}\" {why}", quoted()));
        let refused = |what: &str| Error {
            message: format!("The archive holds \"{}\", which {what}", quoted()),
            cause: None,
            kind: Kind::Refused,
        };
        if entry.encrypted {
            return Err(refused("is encrypted"));
        }
        let packed = self.data(entry).ok_or_else(|| broken("lies outside of it"))?;
        let content = match entry.method {
            STORED if entry.size == entry.packed => packed.to_vec(),
            STORED => return Err(broken("has two sizes")),
            DEFLATED => {
                if entry.size > entry.packed.saturating_mul(MAX_RATIO) {
                    return Err(broken("is larger than its data can say"));
                }
                let mut content = Vec::new();
                let length = usize::try_from(entry.size).map_err(|_| broken("is too large"))?;
                content.try_reserve_exact(length).map_err(|_| broken("is too large for the memory"))?;
                content.resize(length, 0);
                match self.decompressor.deflate_decompress(packed, &mut content) {
                    Ok(written) if written == length => content,
                    _ => return Err(broken("does not follow the format")),
                }
            }
            method => return Err(refused(&format!("is compressed by method {method}"))),
        };
        let mut crc = Crc::new();
        crc.update(&content);
        if crc.sum() == entry.crc { Ok(content) } else { Err(broken("has a wrong checksum")) }
    }

    /// The data of an entry: behind its local header, whose name and extra field may have other lengths than those of the directory.
    fn data(&self, entry: &Entry) -> Option<&'a [u8]> {
        let at = usize::try_from(entry.offset).ok()?;
        if u32_at(self.bytes, at)? != LOCAL {
            return None;
        }
        let (name, fields) = (u16_at(self.bytes, at + 26)?, u16_at(self.bytes, at + 28)?);
        let start = at + LOCAL_LENGTH + usize::from(name) + usize::from(fields);
        self.bytes.get(start..)?.get(..usize::try_from(entry.packed).ok()?)
    }

    /// Gives the entries that `sink` wants to it, in the order of the directory. Nothing else is inflated.
    ///
    /// # Errors
    /// Those of [`Archive::read`], and what `sink` returned.
    pub fn walk<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        for place in 0..self.entries.len() {
            let entry = self.entries[place].clone();
            if !sink.wants(&entry.name) {
                continue;
            }
            sink.attributes(entry.mode, entry.modified as f64);
            match entry.kind {
                EntryKind::Directory => sink.directory(&entry.name)?,
                EntryKind::Symlink => sink.symlink(&entry.name, &self.read(place)?)?,
                EntryKind::File => {
                    // Nothing of a file is there before its content is known to be right.
                    let content = self.read(place)?;
                    sink.file(&entry.name, entry.mode, entry.size)?;
                    sink.data(&content)?;
                    sink.end()?;
                }
            }
        }
        Ok(())
    }
}

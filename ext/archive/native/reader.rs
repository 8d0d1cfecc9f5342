//! Random access to the entries of an archive file: those of the store (`docs/store.md`), whose index is used as it lies on the disk,
//! and tar archives, of which opening reads the headers. Only gzip makes it necessary to inflate everything at once.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::sync::Arc;

use engine::{OpError, Resource, op};
use store::Damage;
use tar::{Error, Inflater, Kind, Limits, Parser, Sink};

use crate::{Failure, MAX_ENTRIES, names, unrecognized};

/// Numbers of the kinds of entries, as `reader.ts` has them.
const FILE: u8 = 0;
const DIRECTORY: u8 = 1;
const LINK: u8 = 2;

/// Bytes of a tar file that are read at once when headers are looked for.
const WINDOW: usize = 16 << 10;
const BLOCK: usize = 512;
const ZEROS: &[u8] = &[0; 64 << 10];
/// How long all names of an archive may be together, those of directories that only names of files tell of among them: this many times
/// its size, and this many bytes more.
const NAMES_TO_SIZE: u64 = 16;
const ALWAYS_NAMES: u64 = 64 << 20;
/// The beginning of an archive of the store.
const STORE_MAGIC: &[u8] = b"baopack";

/// An open archive.
pub(crate) enum ArchiveReader {
    Store(store::Archive),
    Tar { source: Source, entries: Vec<TarEntry>, by_name: HashMap<Arc<[u8]>, u32>, gzip: bool },
}

/// Where the contents of a tar archive are.
pub(crate) enum Source {
    File(File),
    Bytes(Vec<u8>),
}

/// An entry of a tar archive.
pub(crate) struct TarEntry {
    name: Arc<[u8]>,
    kind: u8,
    mode: u32,
    size: u64,
    /// Seconds since 1970.
    modified: f64,
    offset: u64,
    target: Box<[u8]>,
    children: Vec<u32>,
}

/// The entries of a tar archive while it is walked. Of two with one name the later one is kept, at the place of the earlier.
struct Index {
    entries: Vec<TarEntry>,
    by_name: HashMap<Arc<[u8]>, u32>,
    /// Bytes that further names may have.
    room: u64,
    mode: u32,
    modified: f64,
    /// The content that follows: the entry that it belongs to and its size.
    body: Option<(Option<u32>, u64)>,
}

impl Index {
    /// The entries of an archive file of `size` bytes.
    fn new(size: u64) -> Index {
        let room = size.saturating_mul(NAMES_TO_SIZE).saturating_add(ALWAYS_NAMES);
        let (entries, by_name) = (Vec::new(), HashMap::new());
        let mut index = Index { entries, by_name, room, mode: 0o755, modified: 0.0, body: None };
        index.push(Arc::default(), DIRECTORY, 0, b"");
        index
    }

    /// Counts an entry with a name of `length` bytes. The parser counts those that the archive has; the directories above them, which
    /// it need not have, cost as much.
    fn count(&mut self, length: usize) -> Result<(), Failure> {
        let refused = |kind, why: &str| {
            Failure::Archive(Error { message: format!("The archive was refused: {why}"), cause: None, kind })
        };
        if self.entries.len() > MAX_ENTRIES as usize {
            return Err(refused(Kind::Entries, &format!("it holds more than {MAX_ENTRIES} entries")));
        }
        let left = self.room.checked_sub(length as u64);
        self.room = left.ok_or_else(|| refused(Kind::Bomb, "the names in it are too long for its size"))?;
        Ok(())
    }

    fn push(&mut self, name: Arc<[u8]>, kind: u8, size: u64, target: &[u8]) -> u32 {
        let number = self.entries.len() as u32;
        self.by_name.insert(name.clone(), number);
        let (mode, modified) = (self.mode & 0o7777, self.modified);
        self.entries.push(TarEntry {
            name,
            kind,
            mode,
            size,
            modified,
            offset: 0,
            target: target.into(),
            children: Vec::new(),
        });
        number
    }

    /// The number of a directory, which is made with those above it where it has no entry of its own.
    fn directory_of(&mut self, name: &[u8]) -> Result<Option<u32>, Failure> {
        if let Some(&number) = self.by_name.get(name) {
            return Ok((self.entries[number as usize].kind == DIRECTORY).then_some(number));
        }
        let Some(parent) = self.directory_of(above(name))? else { return Ok(None) };
        self.count(name.len())?;
        let (mode, modified) = (std::mem::replace(&mut self.mode, 0o755), self.modified);
        let number = self.push(name.into(), DIRECTORY, 0, b"");
        (self.mode, self.modified) = (mode, modified);
        self.entries[parent as usize].children.push(number);
        Ok(Some(number))
    }

    /// Adds an entry; nothing for a name that no system has, or below something that is not a directory.
    fn add(&mut self, path: &[u8], kind: u8, size: u64, target: &[u8]) -> Result<Option<u32>, Failure> {
        let Some(parts) = names::components(path) else { return Ok(None) };
        let name: Arc<[u8]> = parts.join(&b'/').into();
        if let Some(&number) = self.by_name.get(&name) {
            let entry = &mut self.entries[number as usize];
            if entry.kind == DIRECTORY && kind != DIRECTORY && !entry.children.is_empty() {
                return Ok(None);
            }
            (entry.kind, entry.mode, entry.size, entry.modified) = (kind, self.mode & 0o7777, size, self.modified);
            entry.target = target.into();
            return Ok(Some(number));
        }
        let Some(parent) = self.directory_of(above(&name))? else { return Ok(None) };
        self.count(name.len())?;
        let number = self.push(name, kind, size, target);
        self.entries[parent as usize].children.push(number);
        Ok(Some(number))
    }
}

/// The name of the directory that an entry is in.
fn above(name: &[u8]) -> &[u8] {
    name.iter().rposition(|&byte| byte == b'/').map_or(&[][..], |at| &name[..at])
}

impl Sink for Index {
    type Error = Failure;

    fn attributes(&mut self, mode: u32, modified: f64) {
        (self.mode, self.modified) = (mode, modified);
    }

    fn directory(&mut self, path: &[u8]) -> Result<(), Failure> {
        self.add(path, DIRECTORY, 0, b"")?;
        Ok(())
    }

    fn file(&mut self, path: &[u8], _mode: u32, size: u64) -> Result<(), Failure> {
        let number = self.add(path, FILE, size, b"")?;
        self.body = Some((number, size));
        Ok(())
    }

    fn data(&mut self, _bytes: &[u8]) -> Result<(), Failure> {
        Ok(())
    }

    fn symlink(&mut self, path: &[u8], target: &[u8]) -> Result<(), Failure> {
        self.add(path, LINK, target.len() as u64, target)?;
        Ok(())
    }

    fn hardlink(&mut self, path: &[u8], target: &[u8]) -> Result<(), Failure> {
        // The same file under one more name: where the content is, is known by now.
        let Some(parts) = names::components(target) else { return Ok(()) };
        let Some(&there) = self.by_name.get(parts.join(&b'/').as_slice()) else { return Ok(()) };
        let (size, offset) = (self.entries[there as usize].size, self.entries[there as usize].offset);
        if self.entries[there as usize].kind == FILE
            && let Some(number) = self.add(path, FILE, size, b"")?
        {
            self.entries[number as usize].offset = offset;
        }
        Ok(())
    }

    fn device(&mut self, _path: &[u8]) -> Result<(), Failure> {
        Ok(())
    }
}

impl Source {
    /// Reads up to `bytes.len()` bytes at `at`; fewer only at the end.
    fn read(&self, at: u64, bytes: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Source::Bytes(all) => {
                let rest = usize::try_from(at).ok().and_then(|at| all.get(at..)).unwrap_or(&[]);
                let count = rest.len().min(bytes.len());
                bytes[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            }
            Source::File(file) => {
                let mut done = 0;
                while done < bytes.len() {
                    match file.read_at(&mut bytes[done..], at + done as u64) {
                        Ok(0) => break,
                        Ok(count) => done += count,
                        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(done)
            }
        }
    }

    /// All bytes, from the first one on.
    fn into_bytes(self) -> std::io::Result<Vec<u8>> {
        match self {
            Source::Bytes(bytes) => Ok(bytes),
            Source::File(mut file) => {
                let mut bytes = Vec::new();
                std::io::copy(&mut file, &mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// When the file was modified, in seconds since 1970; 0 for bytes.
    fn modified(&self) -> i64 {
        match self {
            Source::Bytes(_) => 0,
            Source::File(file) => file.metadata().map_or(0, |status| status.mtime()),
        }
    }

    /// How many bytes there are.
    fn len(&self) -> u64 {
        match self {
            Source::Bytes(bytes) => bytes.len() as u64,
            Source::File(file) => file.metadata().map_or(0, |status| status.len()),
        }
    }

    /// Walks the headers of a tar archive. Contents are stepped over. `size` is that of its file.
    fn index(&self, path: &str, size: u64) -> Result<Index, Failure> {
        let failed = |error| Failure::Io(error, "read", path.to_owned());
        let mut parser = Parser::new(Limits { bytes: u64::MAX, entries: MAX_ENTRIES, links: true });
        let mut index = Index::new(size);
        let mut window = vec![0; WINDOW];
        let (mut start, mut filled) = (0u64, 0usize);
        let mut at = 0u64;
        loop {
            let inside = at >= start && at + BLOCK as u64 <= start + filled as u64;
            if !inside {
                filled = self.read(at, &mut window).map_err(failed)?;
                start = at;
            }
            let from = (at - start) as usize;
            let block = &window[from..filled.min(from + BLOCK)];
            if block.is_empty() {
                break;
            }
            let fed = parser.feed(block, &mut index);
            if at == 0 && matches!(&fed, Err(Failure::Archive(error)) if error.kind == Kind::Damaged) {
                return Err(unrecognized());
            }
            fed?;
            at += block.len() as u64;
            if let Some((number, size)) = index.body.take() {
                if let Some(number) = number {
                    index.entries[number as usize].offset = at;
                }
                let whole = size.checked_next_multiple_of(BLOCK as u64).ok_or_else(unrecognized)?;
                let mut left = whole;
                while left > 0 {
                    let count = left.min(ZEROS.len() as u64);
                    parser.feed(&ZEROS[..count as usize], &mut index)?;
                    left -= count;
                }
                at = at.checked_add(whole).ok_or_else(unrecognized)?;
            }
            if block.len() < BLOCK {
                break;
            }
        }
        if at < BLOCK as u64 {
            return Err(unrecognized());
        }
        // An archive of nothing is one.
        if parser.entries() > 0 {
            parser.finish()?;
        }
        Ok(index)
    }
}

fn damaged(name: &str, damage: Damage) -> OpError {
    OpError::error(format!("{name}: {damage}")).code("ERR_ARCHIVE_DAMAGED")
}

/// Opens an archive file: of the store, tar, or tar compressed with gzip.
#[op(blocking)]
pub(crate) fn open_reader(path: String) -> Result<Resource<ArchiveReader>, OpError> {
    let failed = |error: std::io::Error, call| OpError::io(error, call).path(path.clone());
    // A file of a package that is in an archive itself.
    let inner = store::cat(path.as_bytes()).transpose().map_err(|errno| failed(errno.into(), "open"))?;
    let mut source = match inner {
        Some(bytes) => Source::Bytes(bytes.into_owned()),
        None => Source::File(File::open(&path).map_err(|error| failed(error, "open"))?),
    };
    let mut magic = [0; 8];
    let count = source.read(0, &mut magic).map_err(|error| failed(error, "read"))?;
    if magic[..count].starts_with(STORE_MAGIC) {
        // Not mapped: nobody says that this file is never truncated, as those of the cache are not.
        let modified = source.modified();
        let bytes = source.into_bytes().map_err(|error| failed(error, "read"))?;
        let mut archive = store::Archive::from_bytes(bytes).map_err(|damage| damaged(&path, damage))?;
        archive.modified = modified;
        return Ok(Resource::new(ArchiveReader::Store(archive)));
    }
    let (gzip, size) = (tar::is_gzip(&magic[..count]), source.len());
    if gzip {
        let packed = source.into_bytes().map_err(|error| failed(error, "read"))?;
        let mut bytes = Vec::new();
        let limit = Limits::for_tarball(packed.len()).bytes;
        Inflater::new().inflate::<Failure>(&packed, limit, &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        source = Source::Bytes(bytes);
    }
    let Index { entries, by_name, .. } = source.index(&path, size)?;
    Ok(Resource::new(ArchiveReader::Tar { source, entries, by_name, gzip }))
}

impl ArchiveReader {
    fn content(&self, number: u32) -> Result<Vec<u8>, OpError> {
        let missing = || OpError::range_error("no such entry");
        match self {
            ArchiveReader::Store(archive) => {
                let entry = archive.entry(number).ok_or_else(missing)?;
                let name = String::from_utf8_lossy(archive.name(&entry)).into_owned();
                archive.content(&entry).map(<[u8]>::to_vec).map_err(|damage| damaged(&name, damage))
            }
            ArchiveReader::Tar { source, entries, .. } => {
                let entry = entries.get(number as usize).ok_or_else(missing)?;
                if entry.kind == LINK {
                    return Ok(entry.target.to_vec());
                }
                let name = || String::from_utf8_lossy(&entry.name).into_owned();
                let truncated = || damaged(&name(), Damage::Truncated);
                let size = usize::try_from(entry.size).map_err(|_| truncated())?;
                let mut bytes = Vec::new();
                let too_much = |_| OpError::range_error(format!("{}: {size} bytes do not fit in memory", name()));
                bytes.try_reserve_exact(size).map_err(too_much)?;
                bytes.resize(size, 0);
                let count =
                    source.read(entry.offset, &mut bytes).map_err(|error| OpError::io(error, "read").path(name()))?;
                if count == size { Ok(bytes) } else { Err(truncated()) }
            }
        }
    }
}

/// The format: `store`, `tar` or `tar.gz`.
#[op]
pub(crate) fn reader_format(reader: &Resource<ArchiveReader>) -> &'static str {
    match &**reader {
        ArchiveReader::Store(_) => "store",
        ArchiveReader::Tar { gzip: true, .. } => "tar.gz",
        ArchiveReader::Tar { .. } => "tar",
    }
}

/// How many entries there are, with the archive's own directory, which is entry 0.
#[op]
pub(crate) fn reader_count(reader: &Resource<ArchiveReader>) -> u32 {
    match &**reader {
        ArchiveReader::Store(archive) => archive.len(),
        ArchiveReader::Tar { entries, .. } => entries.len() as u32,
    }
}

/// The number of the entry with a name, -1 if there is none.
#[op]
pub(crate) fn reader_find(reader: &Resource<ArchiveReader>, name: String) -> i32 {
    let number = match &**reader {
        ArchiveReader::Store(archive) => archive.get(name.as_bytes()).map(|entry| entry.number),
        ArchiveReader::Tar { by_name, .. } => by_name.get(name.as_bytes()).copied(),
    };
    number.and_then(|number| i32::try_from(number).ok()).unwrap_or(-1)
}

/// An entry: its whole name, its kind (0 file, 1 directory, 2 link), permission bits, size in bytes, and when it was modified in
/// milliseconds since 1970.
#[op]
pub(crate) fn reader_entry(
    reader: &Resource<ArchiveReader>,
    number: u32,
) -> Result<(String, u8, u32, f64, f64), OpError> {
    let missing = || OpError::range_error("no such entry");
    match &**reader {
        ArchiveReader::Store(archive) => {
            let entry = archive.entry(number).ok_or_else(missing)?;
            let name = String::from_utf8_lossy(archive.name(&entry)).into_owned();
            let kind = match entry.kind {
                store::Kind::Dir | store::Kind::Real => DIRECTORY,
                store::Kind::Link | store::Kind::Mount => LINK,
                store::Kind::File => FILE,
            };
            Ok((name, kind, entry.mode, entry.size as f64, archive.modified as f64 * 1000.0))
        }
        ArchiveReader::Tar { entries, .. } => {
            let entry = entries.get(number as usize).ok_or_else(missing)?;
            let name = String::from_utf8_lossy(&entry.name).into_owned();
            Ok((name, entry.kind, entry.mode, entry.size as f64, entry.modified * 1000.0))
        }
    }
}

/// The numbers of the entries that are directly in a directory.
#[op]
pub(crate) fn reader_children(reader: &Resource<ArchiveReader>, number: u32) -> Vec<f64> {
    match &**reader {
        ArchiveReader::Store(archive) => archive
            .entry(number)
            .map_or_else(Vec::new, |dir| archive.children(&dir).map(|entry| f64::from(entry.number)).collect()),
        ArchiveReader::Tar { entries, .. } => entries
            .get(number as usize)
            .map_or_else(Vec::new, |dir| dir.children.iter().copied().map(f64::from).collect()),
    }
}

/// The content of a file, or the target of a link.
#[op]
pub(crate) fn reader_read(reader: &Resource<ArchiveReader>, number: u32) -> Result<Vec<u8>, OpError> {
    reader.content(number)
}

/// The same off the thread.
#[op(blocking)]
pub(crate) fn reader_read_later(reader: Resource<ArchiveReader>, number: u32) -> Result<Vec<u8>, OpError> {
    reader.content(number)
}

/// The names of the files whose content is not what was written. Those of a tar archive have no hashes of their own: of them only
/// those are named that are not there to their end.
#[op(blocking)]
pub(crate) fn reader_verify(reader: Resource<ArchiveReader>) -> Vec<String> {
    match &*reader {
        ArchiveReader::Store(archive) => archive
            .entries()
            .filter(|entry| entry.kind != store::Kind::Dir && archive.content(entry).is_err())
            .map(|entry| String::from_utf8_lossy(archive.name(&entry)).into_owned())
            .collect(),
        ArchiveReader::Tar { source, entries, .. } => {
            let length = source.len();
            let is_short = |entry: &&TarEntry| entry.kind == FILE && entry.offset.saturating_add(entry.size) > length;
            entries.iter().filter(is_short).map(|entry| String::from_utf8_lossy(&entry.name).into_owned()).collect()
        }
    }
}

//! The ways to read the corpus. Each gives the content of every file, by name, in the order of the list.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::OnceLock;

use io_uring::{IoUring, opcode, squeue, types};
use store::Archive;

use crate::Failure;
use crate::corpus::Corpus;
use crate::{limits, whole};

/// What is called with the name and the content of a file.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&str, &[u8]);

type Read = fn(&Corpus, Visit<'_>) -> Result<(), Failure>;

pub(crate) struct Way {
    pub name: &'static str,
    pub read: Read,
    /// It keeps something of the reading before the one that is measured.
    pub only_warm: bool,
    /// Of the rows of `--limits`, and of no other table.
    pub is_limit: bool,
}

impl Way {
    const fn new(name: &'static str, read: Read) -> Way {
        Way { name, read, only_warm: false, is_limit: false }
    }

    const fn warm(self) -> Way {
        Way { only_warm: true, ..self }
    }

    const fn limit(self) -> Way {
        Way { is_limit: true, ..self }
    }
}

/// Single files come first: the others are compared with them.
pub(crate) const ALL: &[Way] = &[
    Way::new("single files (open, read, close)", files),
    Way::new("single files (io_uring, 64 at once)", ring),
    Way::new("tar.gz a package", tar_gz),
    Way::new("tar.zst a package", tar_zst),
    Way::new("tar a package", plain_tar),
    Way::new("zip a package", zip),
    Way::new("SQLite, one database", sqlite),
    Way::new("store archives, by name", store),
    Way::new("store archives, 32 fetched ahead", store_ahead),
    Way::new("store archives, open and compared", store_again).warm(),
    Way::new("one store archive of everything", whole::store),
    Way::new("LZ4 blocks in one file, 2 threads unpack", whole::lz4),
    Way::new("archives, MAP_POPULATE", limits::populated).limit(),
    Way::new("archives, MADV_RANDOM", limits::random).limit(),
    Way::new("archives, MADV_SEQUENTIAL", limits::sequential).limit(),
    Way::new("archives, MADV_WILLNEED", limits::will_need).limit(),
    Way::new("archives, read into one buffer", limits::buffered).limit(),
    Way::new("archives, no names, no hashes", limits::touched).limit(),
    Way::new("one archive, no names, no hashes", limits::touched_whole).limit(),
    Way::new("one archive, by name, pages of 2 MiB", limits::huge).limit().warm(),
];

/// Single files and the archives as bao reads them.
pub(crate) fn is_base(way: &Way) -> bool {
    [files as Read, store].iter().any(|read| std::ptr::fn_addr_eq(*read, way.read))
}

fn c_path(path: &Path) -> Result<CString, Failure> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

fn check(result: isize) -> Result<usize, Failure> {
    usize::try_from(result).map_err(|_| std::io::Error::last_os_error().into())
}

/// The fewest calls that a file can be read with: open, read up to its end, close.
fn files(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    let mut buffer = vec![0u8; 1 << 20];
    for (package, names) in &corpus.packages {
        for name in names {
            let path = c_path(&corpus.loose(package, name))?;
            // SAFETY: a path that ends in NUL.
            let fd = check(unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) } as isize)? as i32;
            let mut filled = 0;
            loop {
                // SAFETY: the free part of the buffer.
                let count =
                    check(unsafe { libc::read(fd, buffer[filled..].as_mut_ptr().cast(), buffer.len() - filled) })?;
                filled += count;
                // A regular file gives less than was asked for only at its end.
                if filled < buffer.len() {
                    break;
                }
                buffer.resize(buffer.len() * 2, 0);
            }
            // SAFETY: opened above, closed once.
            unsafe { libc::close(fd) };
            visit(name, &buffer[..filled]);
        }
    }
    Ok(())
}

/// Files that are read at once.
const BATCH: usize = 64;
/// Bytes of a file that come with its opening; what is longer is read to its end by itself.
const FIRST: usize = 64 << 10;

/// Open, read and close of many files handed to the kernel in one call: direct descriptors, linked requests.
fn ring(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    let mut ring = IoUring::new(4 * BATCH as u32)?;
    ring.submitter().register_files(&[-1; BATCH])?;
    let mut buffers = vec![vec![0u8; FIRST]; BATCH];
    let all: Vec<(&str, &str)> = corpus
        .packages
        .iter()
        .flat_map(|(package, names)| names.iter().map(move |name| (package.as_str(), name.as_str())))
        .collect();
    for batch in all.chunks(BATCH) {
        let paths: Vec<CString> =
            batch.iter().map(|(package, name)| c_path(&corpus.loose(package, name))).collect::<Result<_, Failure>>()?;
        for (at, path) in paths.iter().enumerate() {
            let slot = types::DestinationSlot::try_from_slot_target(at as u32).map_err(|_| "no such slot")?;
            let open = opcode::OpenAt::new(types::Fd(libc::AT_FDCWD), path.as_ptr())
                .flags(libc::O_RDONLY)
                .file_index(Some(slot))
                .build()
                .flags(squeue::Flags::IO_LINK)
                .user_data(at as u64 * 4);
            let read = opcode::Read::new(types::Fixed(at as u32), buffers[at].as_mut_ptr(), FIRST as u32)
                .build()
                // A short read ends a chain that is linked softly.
                .flags(squeue::Flags::IO_HARDLINK)
                .user_data(at as u64 * 4 + 1);
            let close = opcode::Close::new(types::Fixed(at as u32)).build().user_data(at as u64 * 4 + 2);
            // SAFETY: paths and buffers live until all completions of the batch have come.
            unsafe { ring.submission().push_multiple(&[open, read, close])? };
        }
        let wanted = paths.len() * 3;
        ring.submit_and_wait(wanted)?;
        let mut lengths = vec![0usize; paths.len()];
        let mut come = 0;
        while come < wanted {
            for event in ring.completion() {
                come += 1;
                let (at, step) = ((event.user_data() / 4) as usize, event.user_data() % 4);
                if event.result() < 0 {
                    return Err(std::io::Error::from_raw_os_error(-event.result()).into());
                }
                if step == 1 {
                    lengths[at] = event.result() as usize;
                }
            }
            if come < wanted {
                ring.submit_and_wait(1)?;
            }
        }
        for (at, (package, name)) in batch.iter().enumerate() {
            if lengths[at] < FIRST {
                visit(name, &buffers[at][..lengths[at]]);
            } else {
                visit(name, &std::fs::read(corpus.loose(package, name))?);
            }
        }
    }
    Ok(())
}

/// Calls back for every file of a tar archive that is one piece.
struct Each<'v> {
    visit: Visit<'v>,
    name: String,
}

enum TarFailure {
    Archive(tar::Error),
}

impl From<tar::Error> for TarFailure {
    fn from(error: tar::Error) -> Self {
        TarFailure::Archive(error)
    }
}

impl tar::Sink for Each<'_> {
    type Error = TarFailure;

    fn file(&mut self, path: &[u8], _mode: u32, size: u64) -> Result<(), TarFailure> {
        self.name = String::from_utf8_lossy(path).into_owned();
        if size == 0 {
            (self.visit)(&self.name, b"");
        }
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> Result<(), TarFailure> {
        (self.visit)(&self.name, bytes);
        Ok(())
    }
}

fn walk(bytes: &[u8], visit: Visit<'_>) -> Result<(), Failure> {
    let limits = tar::Limits { bytes: u64::MAX, entries: u32::MAX, links: true };
    let mut parser = tar::Parser::new(limits);
    let mut each = Each { visit, name: String::new() };
    parser.feed(bytes, &mut each).map_err(|TarFailure::Archive(error)| error)?;
    parser.finish()?;
    Ok(())
}

fn plain_tar(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    for (package, _) in &corpus.packages {
        walk(&std::fs::read(corpus.packed("tar", package))?, visit)?;
    }
    Ok(())
}

fn tar_gz(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    let mut inflater = libdeflater::Decompressor::new();
    let mut out = Vec::new();
    for (package, _) in &corpus.packages {
        let bytes = std::fs::read(corpus.packed("tar.gz", package))?;
        let size = bytes.last_chunk::<4>().map_or(0, |size| u32::from_le_bytes(*size) as usize);
        out.resize(size.max(out.len()), 0);
        inflater.gzip_decompress(&bytes, &mut out[..size])?;
        walk(&out[..size], visit)?;
    }
    Ok(())
}

/// No package is larger than this.
const MOST_IN_ZSTD: usize = 1 << 30;

fn tar_zst(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    let mut inflater = zstd::bulk::Decompressor::new()?;
    // Only what is written of it is memory.
    let mut out = Vec::with_capacity(MOST_IN_ZSTD);
    for (package, _) in &corpus.packages {
        inflater.decompress_to_buffer(&std::fs::read(corpus.packed("tar.zst", package))?, &mut out)?;
        walk(&out, visit)?;
    }
    Ok(())
}

fn zip(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    let limits = tar::Limits { bytes: u64::MAX, entries: u32::MAX, links: true };
    for (package, names) in &corpus.packages {
        let bytes = std::fs::read(corpus.packed("zip", package))?;
        let mut archive = zip::Archive::open(&bytes, limits).map_err(|error| error.message)?;
        for (place, name) in names.iter().enumerate() {
            if archive.entries().get(place).is_none_or(|entry| entry.name != name.as_bytes()) {
                return Err(format!("{package}.zip: {name} is not in its place").into());
            }
            visit(name, &archive.read(place).map_err(|error| error.message)?);
        }
    }
    Ok(())
}

fn sqlite(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = rusqlite::Connection::open_with_flags(corpus.scratch.join("files.sqlite"), flags)?;
    database.execute_batch("pragma mmap_size = 17179869184;")?;
    let mut select = database.prepare("select content from files where name = ?1")?;
    for (package, names) in &corpus.packages {
        for name in names {
            let mut rows = select.query([format!("{package}/{name}")])?;
            let row = rows.next()?.ok_or("a name that is not found")?;
            visit(name, row.get_ref(0)?.as_blob()?);
        }
    }
    Ok(())
}

/// As a program asks: by name, and with the hash of each file compared.
fn store(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    corpus.packages.iter().try_for_each(|(package, names)| read_archive(corpus, package, names, visit))
}

fn read_archive(corpus: &Corpus, package: &str, names: &[String], visit: Visit<'_>) -> Result<(), Failure> {
    read_entries(&Archive::open(&corpus.packed("bao", package))?, names, visit)
}

pub(crate) fn read_entries(archive: &Archive, names: &[String], visit: Visit<'_>) -> Result<(), Failure> {
    for name in names {
        let entry = archive.get(name.as_bytes()).ok_or("a name that is not found")?;
        visit(name, archive.content(&entry).map_err(|damage| damage.to_string())?);
    }
    Ok(())
}

/// A program that reads again what it has read before: archives stay open, and hashes are not compared twice.
fn store_again(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    static OPEN: OnceLock<Vec<Archive>> = OnceLock::new();
    if OPEN.get().is_none() {
        let open = |(package, _): &(String, _)| Archive::open(&corpus.packed("bao", package));
        let _ = OPEN.set(corpus.packages.iter().map(open).collect::<Result<_, _>>()?);
    }
    for (archive, (_, names)) in OPEN.get().into_iter().flatten().zip(&corpus.packages) {
        read_entries(archive, names, visit)?;
    }
    Ok(())
}

/// Archives that a second thread asks the system for before they are opened.
const AHEAD: usize = 32;

/// The same by a program that knows what comes next: while it reads one archive, the system fetches the following ones.
fn store_ahead(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    let (start, starts) = std::sync::mpsc::sync_channel::<()>(AHEAD);
    // The receiver is dropped before the thread is waited for: an error here ends the thread, too.
    std::thread::scope(move |scope| {
        scope.spawn(move || {
            use std::os::fd::AsRawFd as _;
            for (package, _) in &corpus.packages {
                // What cannot be opened is told by the one who reads it.
                if let Ok(file) = std::fs::File::open(corpus.packed("bao", package)) {
                    // SAFETY: a descriptor that is open; advice changes nothing.
                    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_WILLNEED) };
                }
                if start.send(()).is_err() {
                    break;
                }
            }
        });
        for (package, names) in &corpus.packages {
            starts.recv()?;
            read_archive(corpus, package, names, visit)?;
        }
        Ok(())
    })
}

//! What advice, other ways of mapping and larger pages bring, and what is left if nothing is looked for or compared: each row differs in
//! one thing from the archives of the store as bao reads them (`--limits`).

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Mutex;

use store::Archive;

use crate::Failure;
use crate::corpus::Corpus;
use crate::ways::{Visit, read_entries};

/// Header and entry of the format (docs/store.md).
const HEADER: usize = 64;
const ENTRY: usize = 40;
/// Type bits of a file.
const FILE: u16 = 0o100_000;
const HUGE: usize = 2 << 20;

/// A mapping for as long as something is called.
fn mapped<T>(
    file: &File,
    flags: libc::c_int,
    advice: Option<libc::c_int>,
    call: impl FnOnce(&'static [u8]) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let length = usize::try_from(file.metadata()?.len())?;
    // SAFETY: a new private mapping at an address that the system chooses; nobody writes to the file.
    let at = unsafe {
        libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE | flags, file.as_raw_fd(), 0)
    };
    if at == libc::MAP_FAILED {
        return Err(std::io::Error::last_os_error().into());
    }
    if let Some(advice) = advice {
        // SAFETY: the mapping from above. Advice changes no memory.
        unsafe { libc::madvise(at, length, advice) };
    }
    // SAFETY: readable, and unmapped only after the call, which keeps nothing of it.
    let result = call(unsafe { std::slice::from_raw_parts(at.cast::<u8>(), length) });
    // SAFETY: the mapping from above.
    unsafe { libc::munmap(at, length) };
    result
}

fn each(corpus: &Corpus, visit: Visit<'_>, flags: libc::c_int, advice: Option<libc::c_int>) -> Result<(), Failure> {
    for (package, names) in &corpus.packages {
        let file = File::open(corpus.packed("bao", package))?;
        mapped(&file, flags, advice, |bytes| {
            let archive = Archive::from_static(bytes).map_err(|damage| damage.to_string())?;
            read_entries(&archive, names, visit)
        })?;
    }
    Ok(())
}

pub(crate) fn populated(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    each(corpus, visit, libc::MAP_POPULATE, None)
}

pub(crate) fn random(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    each(corpus, visit, 0, Some(libc::MADV_RANDOM))
}

pub(crate) fn sequential(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    each(corpus, visit, 0, Some(libc::MADV_SEQUENTIAL))
}

pub(crate) fn will_need(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    each(corpus, visit, 0, Some(libc::MADV_WILLNEED))
}

/// Each archive is read into the same memory.
pub(crate) fn buffered(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    let mut buffer = Vec::new();
    for (package, names) in &corpus.packages {
        let file = File::open(corpus.packed("bao", package))?;
        let length = usize::try_from(file.metadata()?.len())?;
        buffer.resize(length.max(buffer.len()), 0);
        file.read_exact_at(&mut buffer[..length], 0)?;
        // SAFETY: the archive is dropped at the end of this round, before the buffer changes.
        let bytes: &'static [u8] = unsafe { std::slice::from_raw_parts(buffer.as_ptr(), length) };
        let archive = Archive::from_static(bytes).map_err(|damage| damage.to_string())?;
        read_entries(&archive, names, visit)?;
    }
    Ok(())
}

/// Offset and length of each file, as they lie in the index.
fn contents(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let number = |at: usize| bytes[at..].first_chunk::<8>().map_or(0, |number| u64::from_le_bytes(*number) as usize);
    let count = bytes[8..].first_chunk::<4>().map_or(0, |count| u32::from_le_bytes(*count) as usize);
    (0..count).map(|entry| HEADER + entry * ENTRY).filter_map(move |at| {
        let mode = u16::from_le_bytes([bytes[at + 6], bytes[at + 7]]);
        (mode & 0o170_000 == FILE).then(|| &bytes[number(at + 8)..][..number(at + 16)])
    })
}

/// Nothing is looked for by name and nothing compared: opening, mapping and touching are left.
pub(crate) fn touched(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    for (package, _) in &corpus.packages {
        let file = File::open(corpus.packed("bao", package))?;
        mapped(&file, 0, None, |bytes| {
            contents(bytes).for_each(|content| visit("", content));
            Ok(())
        })?;
    }
    Ok(())
}

/// The same with one mapping.
pub(crate) fn touched_whole(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    mapped(&File::open(corpus.scratch.join("all.bao"))?, 0, None, |bytes| {
        contents(bytes).for_each(|content| visit("", content));
        Ok(())
    })
}

/// One archive in memory of the system that has pages of 2 MiB, as a file system with such pages would give it.
pub(crate) fn huge(corpus: &Corpus, visit: Visit<'_>) -> Result<(), Failure> {
    static COPY: Mutex<Option<File>> = Mutex::new(None);
    let mut copy = COPY.lock().map_err(|_| "poisoned")?;
    if copy.is_none() {
        *copy = Some(huge_copy(&corpus.scratch.join("all.bao"))?);
    }
    let Some(file) = copy.as_ref() else { return Err("no copy".into()) };
    mapped(file, 0, Some(libc::MADV_HUGEPAGE), |bytes| {
        let archive = Archive::from_static(bytes).map_err(|damage| damage.to_string())?;
        crate::whole::read_all(&archive, corpus, visit)
    })
}

fn huge_copy(path: &Path) -> Result<File, Failure> {
    use std::io::Write as _;
    use std::os::fd::FromRawFd as _;
    let enabled = "/sys/kernel/mm/transparent_hugepage/shmem_enabled";
    std::fs::write(enabled, "advise").map_err(|error| format!("{enabled}: {error}"))?;
    // SAFETY: a name that ends in NUL, and a descriptor that nobody else has.
    let mut file = unsafe {
        let fd = libc::memfd_create(c"archive".as_ptr(), libc::MFD_CLOEXEC);
        if fd < 0 {
            return Err(std::io::Error::last_os_error().into());
        }
        File::from_raw_fd(fd)
    };
    let bytes = std::fs::read(path)?;
    file.set_len(bytes.len().next_multiple_of(HUGE) as u64)?;
    // Pages are as large as the mapping that makes them wants them.
    let length = usize::try_from(file.metadata()?.len())?;
    // SAFETY: a new shared mapping of this file, written within its length and unmapped at once.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let at = libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, file.as_raw_fd(), 0);
        if at == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error().into());
        }
        libc::madvise(at, length, libc::MADV_HUGEPAGE);
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), at.cast::<u8>(), bytes.len());
        libc::munmap(at, length);
    }
    file.set_len(bytes.len() as u64)?;
    file.flush()?;
    Ok(file)
}

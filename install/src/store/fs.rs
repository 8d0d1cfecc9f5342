//! Directory work shared by the store and the linkers.

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, StatxFlags};
use rustix::io::Errno;

use crate::store::index::Stamp;
use crate::store::tarball::extract::{Listing, UNKNOWN};

/// Opens a directory for reading its entries.
pub(crate) fn open_dir(at: BorrowedFd<'_>, path: &CStr) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(at, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW, Mode::empty())
}

/// Opens a directory as a starting point for names only.
pub(crate) fn open_path(at: BorrowedFd<'_>, path: &CStr) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(at, path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// Inode and modification time of a directory, or nothing where it is absent or no directory.
pub(crate) fn stamp(at: BorrowedFd<'_>, path: &CStr) -> Option<Stamp> {
    let wanted = StatxFlags::INO | StatxFlags::MTIME | StatxFlags::TYPE;
    let stat = rustix::fs::statx(at, path, AtFlags::SYMLINK_NOFOLLOW, wanted).ok()?;
    if FileType::from_raw_mode(stat.stx_mode.into()) != FileType::Directory {
        return None;
    }
    Some(Stamp { inode: stat.stx_ino, time: stat.stx_mtime.tv_sec * 1_000_000_000 + i64::from(stat.stx_mtime.tv_nsec) })
}

/// Every entry of an open directory, with its kind where the file system tells it.
pub(crate) fn entries(
    dir: BorrowedFd<'_>,
    mut each: impl FnMut(&CStr, FileType) -> Result<(), Errno>,
) -> Result<(), Errno> {
    thread_local! {
        static BUFFER: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    let mut buffer = BUFFER.with(|buffer| std::mem::take(&mut *buffer.borrow_mut()));
    if buffer.capacity() == 0 {
        buffer.reserve_exact(32 << 10);
    }
    buffer.clear();
    let result = (|| {
        let mut list = RawDir::new(dir, buffer.spare_capacity_mut() as &mut [MaybeUninit<u8>]);
        while let Some(entry) = list.next() {
            let entry = entry?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                each(name, entry.file_type())?;
            }
        }
        Ok(())
    })();
    BUFFER.with(|kept| *kept.borrow_mut() = buffer);
    result
}

/// The kind of an entry whose directory did not tell it.
pub(crate) fn kind(dir: BorrowedFd<'_>, name: &CStr, known: FileType) -> FileType {
    if known != FileType::Unknown {
        return known;
    }
    rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
        .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
}

/// Reads the whole tree below `dir`. `skip` names entries of the top directory that are left out.
pub(crate) fn walk(dir: BorrowedFd<'_>, skip: &[&CStr]) -> Result<(Listing, Vec<(CString, CString)>), Errno> {
    let mut listing = Listing::default();
    let mut links = Vec::new();
    walk_below(dir, &mut Vec::new(), skip, &mut listing, &mut links)?;
    listing.links = !links.is_empty();
    Ok((listing, links))
}

fn walk_below(
    dir: BorrowedFd<'_>,
    prefix: &mut Vec<u8>,
    skip: &[&CStr],
    listing: &mut Listing,
    links: &mut Vec<(CString, CString)>,
) -> Result<(), Errno> {
    let mut below = Vec::new();
    entries(dir, |name, known| {
        if skip.contains(&name) {
            return Ok(());
        }
        let length = prefix.len();
        prefix.extend_from_slice(name.to_bytes());
        match kind(dir, name, known) {
            FileType::Directory => below.push(name.to_owned()),
            FileType::RegularFile => listing.push_file(UNKNOWN, prefix),
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(dir, name, Vec::new())?;
                if let Ok(path) = CString::new(prefix.as_slice()) {
                    links.push((path, target));
                }
            }
            _ => {}
        }
        prefix.truncate(length);
        Ok(())
    })?;
    for name in below {
        let length = prefix.len();
        prefix.extend_from_slice(name.to_bytes());
        listing.push_dir(prefix);
        prefix.push(b'/');
        let inner = open_dir(dir, &name)?;
        walk_below(inner.as_fd(), prefix, &[], listing, links)?;
        prefix.truncate(length);
    }
    Ok(())
}

/// Removes a file, a link or a whole directory. What is absent already is no error.
pub(crate) fn remove(at: BorrowedFd<'_>, path: &CStr) -> Result<(), Errno> {
    match rustix::fs::unlinkat(at, path, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error),
    }
    let dir = match open_dir(at, path) {
        Ok(dir) => dir,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut below = Vec::new();
    entries(dir.as_fd(), |name, known| {
        if known == FileType::Directory || known == FileType::Unknown {
            below.push(name.to_owned());
        } else if let Err(error) = rustix::fs::unlinkat(&dir, name, AtFlags::empty())
            && error != Errno::NOENT
        {
            return Err(error);
        }
        Ok(())
    })?;
    for name in below {
        remove(dir.as_fd(), &name)?;
    }
    drop(dir);
    match rustix::fs::unlinkat(at, path, AtFlags::REMOVEDIR) {
        Err(Errno::NOENT) => Ok(()),
        result => result,
    }
}

/// Makes a directory and those above it; what is there already is no error.
pub fn make_dirs(at: BorrowedFd<'_>, path: &str) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(0o755);
    match rustix::fs::mkdirat(at, path, mode) {
        Err(Errno::NOENT) => {}
        Err(Errno::EXIST) => return Ok(()),
        result => return result,
    }
    if let Some((above, _)) = path.rsplit_once('/')
        && !above.is_empty()
    {
        make_dirs(at, above)?;
    }
    match rustix::fs::mkdirat(at, path, mode) {
        Err(Errno::EXIST) => Ok(()),
        result => result,
    }
}

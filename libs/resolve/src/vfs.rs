//! The file system as the resolver sees it.
//!
//! [`Vfs`] is small on purpose so that an indexed archive (a compiled executable, a zipped store)
//! can be mounted in place of the disk. [`OsVfs`] is the disk, with as few system calls as the
//! questions allow.

use std::io;

/// What a directory entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Dir,
    Symlink,
    /// Sockets, pipes, devices.
    Other,
    /// The file system does not say in its listing; ask with [`Vfs::entry_kind`].
    Unknown,
}

/// How a listing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    /// Every entry was given.
    Complete(DirStamp),
    /// `limit` was reached and the rest was left unread.
    Truncated,
}

/// Identifies the state of a directory: it differs after entries were added, removed or renamed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirStamp {
    /// Modification time in nanoseconds since the epoch, or any counter that grows with changes.
    pub modified: i128,
    pub inode: u64,
}

/// A read-only file system. Paths are absolute, normalised UTF-8 (see [`crate::paths`]).
///
/// Errors are those of the system; the resolver reads `NotFound` and `NotADirectory` as "is not
/// there" and treats any other error on an entry the same way, as Node does.
pub trait Vfs: Send {
    /// Kind of the entry itself, links not followed.
    fn entry_kind(&self, path: &str) -> io::Result<EntryKind>;

    /// Kind of what the path leads to, links followed.
    fn kind(&self, path: &str) -> io::Result<EntryKind>;

    /// Whole content of a file.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// Target of a symbolic link as it is stored; `InvalidInput` when the path is not a link.
    fn read_link(&self, path: &str) -> io::Result<String>;

    /// Gives every entry but `.` and `..` to `sink`, stopping after `limit` entries.
    fn list(&self, path: &str, limit: usize, sink: &mut dyn FnMut(&str, EntryKind)) -> io::Result<ListEnd>;

    /// State of a directory, for checking whether a listing is still true.
    fn stamp(&self, path: &str) -> io::Result<DirStamp>;

    /// A `node_modules` directory was met in `dir` for the first time.
    fn met_modules(&self, _dir: &str) {}
}

/// The operating system's file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsVfs;

#[cfg(unix)]
mod os {
    use super::{DirStamp, EntryKind, ListEnd, OsVfs, Vfs};
    use rustix::fs::{self, FileType, Mode, OFlags, Stat};
    use std::borrow::Cow;
    use std::io;

    fn kind_of(file_type: FileType) -> EntryKind {
        match file_type {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Dir,
            FileType::Symlink => EntryKind::Symlink,
            FileType::Unknown => EntryKind::Unknown,
            _ => EntryKind::Other,
        }
    }

    #[allow(
        clippy::unnecessary_cast,
        clippy::useless_conversion,
        reason = "the widths of these fields differ between targets"
    )]
    fn stamp_of(stat: &Stat) -> DirStamp {
        DirStamp {
            modified: i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec),
            inode: stat.st_ino as u64,
        }
    }

    /// Where to look: in an archive, or on the disk, there possibly at another path than was asked for.
    enum Seen<'p> {
        Os(Cow<'p, str>),
        Node(store::Node),
    }

    fn archived(path: &str, follow: bool) -> io::Result<Seen<'_>> {
        match store::find(path.as_bytes(), follow) {
            store::Place::Os => Ok(Seen::Os(path.into())),
            store::Place::At(path) => match String::from_utf8(path) {
                Ok(path) => Ok(Seen::Os(path.into())),
                Err(_) => Err(io::ErrorKind::InvalidData.into()),
            },
            store::Place::Node(node) => Ok(Seen::Node(node)),
            store::Place::Missing(errno) => Err(errno.into()),
        }
    }

    fn kind_in_archive(kind: store::Kind) -> EntryKind {
        match kind {
            store::Kind::File => EntryKind::File,
            store::Kind::Link => EntryKind::Symlink,
            _ => EntryKind::Dir,
        }
    }

    impl Vfs for OsVfs {
        fn met_modules(&self, dir: &str) {
            store::discover_at(if dir == "/" { b"" } else { dir.as_bytes() });
        }

        fn entry_kind(&self, path: &str) -> io::Result<EntryKind> {
            let path = match archived(path, false)? {
                Seen::Os(path) => path,
                Seen::Node(node) => return Ok(kind_in_archive(node.kind())),
            };
            let path = &*path;
            let stat = fs::lstat(path)?;
            Ok(kind_of(FileType::from_raw_mode(stat.st_mode)))
        }

        fn kind(&self, path: &str) -> io::Result<EntryKind> {
            let path = match archived(path, true)? {
                Seen::Os(path) => path,
                Seen::Node(node) => return Ok(kind_in_archive(node.kind())),
            };
            let path = &*path;
            let stat = fs::stat(path)?;
            Ok(kind_of(FileType::from_raw_mode(stat.st_mode)))
        }

        fn read(&self, path: &str) -> io::Result<Vec<u8>> {
            let path = match archived(path, true)? {
                Seen::Os(path) => path,
                Seen::Node(node) if node.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
                Seen::Node(node) => return Ok(node.content()?.to_vec()),
            };
            let path = &*path;
            let fd = fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
            let size = fs::fstat(&fd)?.st_size;
            // One byte more than the size, so that the read that fills the file also proves its end.
            let mut data = vec![0; usize::try_from(size).unwrap_or(0) + 1];
            let mut len = 0;
            loop {
                let got = rustix::io::read(&fd, &mut data[len..])?;
                len += got;
                if got == 0 || (len < data.len() && len as i64 >= size && size > 0) {
                    break;
                }
                if len == data.len() {
                    data.resize(len * 2, 0);
                }
            }
            data.truncate(len);
            Ok(data)
        }

        fn read_link(&self, path: &str) -> io::Result<String> {
            let path = match archived(path, false)? {
                Seen::Os(path) => path,
                Seen::Node(node) if node.kind() == store::Kind::Link => {
                    return String::from_utf8(node.content()?.to_vec())
                        .map_err(|_| io::Error::from(io::ErrorKind::InvalidData));
                }
                Seen::Node(_) => return Err(io::ErrorKind::InvalidInput.into()),
            };
            let path = &*path;
            let target = fs::readlink(path, Vec::new())?;
            target.into_string().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
        }

        #[cfg(target_os = "linux")]
        fn list(&self, path: &str, limit: usize, sink: &mut dyn FnMut(&str, EntryKind)) -> io::Result<ListEnd> {
            use std::mem::MaybeUninit;
            let mut count = 0;
            let mut archive_stamp = None;
            let path = match archived(path, true)? {
                Seen::Os(path) => path,
                Seen::Node(node) if !node.is_dir() => return Err(io::ErrorKind::NotADirectory.into()),
                Seen::Node(node) => {
                    for (name, kind) in node.children() {
                        let Ok(name) = std::str::from_utf8(name) else { continue };
                        count += 1;
                        if count > limit {
                            return Ok(ListEnd::Truncated);
                        }
                        sink(name, kind_in_archive(kind));
                    }
                    let stamp = DirStamp { modified: i128::from(node.modified()) * 1_000_000_000, inode: node.inode() };
                    if !node.shared {
                        return Ok(ListEnd::Complete(stamp));
                    }
                    archive_stamp = Some((stamp, node.clone()));
                    String::from_utf8(node.path).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?.into()
                }
            };
            let path = &*path;
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let fd = match (fs::open(path, flags, Mode::empty()), &archive_stamp) {
                (Ok(fd), _) => fd,
                // A directory of the index that is not on the disk.
                (Err(_), Some((stamp, _))) => return Ok(ListEnd::Complete(*stamp)),
                (Err(error), None) => return Err(error.into()),
            };
            // Taken before reading: an entry added meanwhile then makes the stamp differ.
            let stamp = stamp_of(&fs::fstat(&fd)?);
            let mut buffer = [MaybeUninit::<u8>::uninit(); 16 * 1024];
            let mut entries = fs::RawDir::new(&fd, &mut buffer);
            while let Some(entry) = entries.next() {
                let entry = entry?;
                let Ok(name) = entry.file_name().to_str() else {
                    continue;
                };
                if name == "." || name == ".." {
                    continue;
                }
                if let Some((_, node)) = &archive_stamp
                    && node.children().any(|(known, _)| known == name.as_bytes())
                {
                    continue;
                }
                count += 1;
                if count > limit {
                    return Ok(ListEnd::Truncated);
                }
                sink(name, kind_of(entry.file_type()));
            }
            Ok(ListEnd::Complete(stamp))
        }

        #[cfg(not(target_os = "linux"))]
        fn list(&self, path: &str, limit: usize, sink: &mut dyn FnMut(&str, EntryKind)) -> io::Result<ListEnd> {
            let stamp = stamp_of(&fs::stat(path)?);
            for (count, entry) in std::fs::read_dir(path)?.enumerate() {
                if count >= limit {
                    return Ok(ListEnd::Truncated);
                }
                let entry = entry?;
                let kind = match entry.file_type() {
                    Ok(t) if t.is_symlink() => EntryKind::Symlink,
                    Ok(t) if t.is_dir() => EntryKind::Dir,
                    Ok(t) if t.is_file() => EntryKind::File,
                    Ok(_) => EntryKind::Other,
                    Err(_) => EntryKind::Unknown,
                };
                if let Some(name) = entry.file_name().to_str() {
                    sink(name, kind);
                }
            }
            Ok(ListEnd::Complete(stamp))
        }

        fn stamp(&self, path: &str) -> io::Result<DirStamp> {
            let path = match archived(path, true)? {
                Seen::Os(path) => path,
                Seen::Node(node) => {
                    let stamp = DirStamp { modified: i128::from(node.modified()) * 1_000_000_000, inode: node.inode() };
                    return match fs::stat(node.path.as_slice()).ok().filter(|_| node.shared) {
                        Some(stat) => Ok(stamp_of(&stat)),
                        None => Ok(stamp),
                    };
                }
            };
            let path = &*path;
            Ok(stamp_of(&fs::stat(path)?))
        }
    }
}

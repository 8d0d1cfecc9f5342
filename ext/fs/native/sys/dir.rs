//! Reading directories: names and types in one go, sorted by name as libuv does.

use engine::ts_constants;
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};

use base::permission::Area;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir};
use rustix::io::{Errno, retry_on_intr};

use super::error::{Context, FsResult, permitted};
use super::file::borrow_for;
use super::links::is_dir;
use super::path::{FsPath, join};
use super::stat;
use super::virt::{self, Seen};

/// Node's UV_DIRENT_* numbers.
#[ts_constants]
pub(crate) mod dirent {
    pub(crate) const UNKNOWN: u8 = 0;
    pub(crate) const FILE: u8 = 1;
    pub(crate) const DIR: u8 = 2;
    pub(crate) const LINK: u8 = 3;
    pub(crate) const FIFO: u8 = 4;
    pub(crate) const SOCKET: u8 = 5;
    pub(crate) const CHAR: u8 = 6;
    pub(crate) const BLOCK: u8 = 7;
}

fn kind_of(file_type: FileType) -> u8 {
    match file_type {
        FileType::RegularFile => dirent::FILE,
        FileType::Directory => dirent::DIR,
        FileType::Symlink => dirent::LINK,
        FileType::Fifo => dirent::FIFO,
        FileType::Socket => dirent::SOCKET,
        FileType::CharacterDevice => dirent::CHAR,
        FileType::BlockDevice => dirent::BLOCK,
        FileType::Unknown => dirent::UNKNOWN,
    }
}

/// Entries of one or several directories.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// The names, each followed by NUL.
    pub names: Vec<u8>,
    /// The type of each (see [`kind`]).
    pub kinds: Vec<u8>,
}

impl Listing {
    /// The names with NUL between them: what JavaScript splits. Empty when there is no entry.
    pub(crate) fn joined(mut self) -> (Vec<u8>, Vec<u8>) {
        self.names.pop();
        (self.names, self.kinds)
    }

    fn push(&mut self, parts: [&[u8]; 3], kind: u8) {
        for part in parts {
            self.names.extend_from_slice(part);
        }
        self.names.push(0);
        self.kinds.push(kind);
    }
}

/// One directory's entries before they are put in order.
#[derive(Default)]
pub(crate) struct Entries {
    names: Vec<u8>,
    list: Vec<Entry>,
}

struct Entry {
    /// Eight bytes of the name, big-endian, behind what all names begin with: decides most comparisons without a look at the names. Set
    /// when the entries are sorted.
    key: u64,
    start: u32,
    len: u16,
    kind: u8,
}

impl Entries {
    fn push(&mut self, name: &[u8], kind: u8) {
        let entry = Entry { key: 0, start: self.names.len() as u32, len: name.len() as u16, kind };
        self.names.extend_from_slice(name);
        self.list.push(entry);
    }

    fn name(&self, entry: &Entry) -> &[u8] {
        &self.names[entry.start as usize..][..entry.len as usize]
    }

    /// Puts the entries in the order of their names' bytes.
    pub(crate) fn sort(&mut self) {
        let Entries { names, list } = self;
        let name = |entry: &Entry| &names[entry.start as usize..][..entry.len as usize];
        // Large directories hold names like `file-1234.txt`.
        let mut common = list.first().map_or(&[][..], name);
        for entry in list.iter() {
            let same = common.iter().zip(name(entry)).take_while(|(one, other)| one == other).count();
            common = &common[..same];
        }
        for entry in list.iter_mut() {
            let rest = &name(entry)[common.len()..];
            let mut key = [0; 8];
            let length = rest.len().min(8);
            key[..length].copy_from_slice(&rest[..length]);
            entry.key = u64::from_be_bytes(key);
        }
        list.sort_unstable_by(|a, b| a.key.cmp(&b.key).then_with(|| name(a).cmp(name(b))));
    }

    /// Names and types, in the present order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], u8)> {
        self.list.iter().map(|entry| (self.name(entry), entry.kind))
    }
}

/// Opens a directory for reading its entries.
pub(crate) fn open_dir(at: BorrowedFd<'_>, path: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    retry_on_intr(|| rustix::fs::openat(at, path, flags, Mode::empty()))
}

/// All entries of an open directory except "." and "..", as the file system orders them. Where it does not tell an
/// entry's type, and `types` are wanted, one status call finds out.
pub(crate) fn read_entries(dir: BorrowedFd<'_>, types: bool) -> Result<Entries, Errno> {
    read_wanted(dir, types, |_| true)
}

/// The same of those whose names are wanted: the others are not copied out of what the kernel has given.
fn read_wanted(dir: BorrowedFd<'_>, types: bool, wanted: impl Fn(&[u8]) -> bool) -> Result<Entries, Errno> {
    let mut buffer = [MaybeUninit::uninit(); 32 * 1024];
    let mut entries = Entries::default();
    let mut raw = RawDir::new(dir, &mut buffer);
    while let Some(entry) = raw.next() {
        let entry = match entry {
            Err(Errno::INTR) => continue,
            other => other?,
        };
        let name = entry.file_name();
        if wanted(name.to_bytes()) {
            push_entry(dir, &mut entries, name, entry.file_type(), types);
        }
    }
    Ok(entries)
}

fn push_entry(dir: BorrowedFd<'_>, entries: &mut Entries, name: &CStr, file_type: FileType, types: bool) {
    let bytes = name.to_bytes();
    if bytes == b"." || bytes == b".." {
        return;
    }
    let mut kind = kind_of(file_type);
    if kind == dirent::UNKNOWN && types {
        kind = match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(status) => kind_of(FileType::from_raw_mode(status.st_mode)),
            Err(_) => dirent::UNKNOWN,
        };
    }
    entries.push(bytes, kind);
}

/// What is in a directory and has a name that is wanted, also in one of an archive; not sorted.
fn entries_at(path: &FsPath, types: bool, wanted: impl Fn(&[u8]) -> bool) -> Result<Entries, Errno> {
    let system = |path: &FsPath| open_dir(CWD, path.c_str()).and_then(|dir| read_wanted(dir.as_fd(), types, &wanted));
    match virt::see(path.bytes(), true)? {
        Seen::Os => system(path),
        Seen::At(to) => system(&to),
        Seen::Node(node) if !node.is_dir() => Err(Errno::NOTDIR),
        Seen::Node(node) => {
            let mut entries = Entries::default();
            if node.shared
                && let Ok(there) =
                    FsPath::from_bytes(&node.path).map_err(|_| Errno::INVAL).and_then(|path| system(&path))
            {
                entries = there;
            }
            let known: std::collections::HashSet<Vec<u8>> = entries.iter().map(|(name, _)| name.to_vec()).collect();
            for (name, kind) in node.children().filter(|(name, _)| wanted(name) && !known.contains(*name)) {
                let kind = match kind {
                    store::Kind::File => dirent::FILE,
                    store::Kind::Link => dirent::LINK,
                    _ => dirent::DIR,
                };
                entries.push(name, kind);
            }
            Ok(entries)
        }
    }
}

/// The entries of `path`, sorted by the bytes of their names.
pub(crate) fn read_dir(path: &FsPath, types: bool) -> FsResult<Listing> {
    listing_of(path, types, |_| true)
}

/// The names in `path` that begin with `start` and end with `end`, sorted by their bytes.
pub(crate) fn read_dir_between(path: &FsPath, start: &[u8], end: &[u8]) -> FsResult<Listing> {
    let least = start.len() + end.len();
    // Byte by byte, and from the middle outward: most names of a directory begin and end alike, and the C library's comparison of so few
    // bytes takes 400 cycles on some processors.
    let is_wanted = |name: &[u8]| {
        name.len() >= least
            && name[name.len() - end.len()..].iter().zip(end).all(|(one, other)| one == other)
            && name.iter().zip(start).rev().all(|(one, other)| one == other)
    };
    listing_of(path, false, is_wanted)
}

fn listing_of(path: &FsPath, types: bool, wanted: impl Fn(&[u8]) -> bool) -> FsResult<Listing> {
    permitted(Area::Read, path)?;
    let on = |errno: Errno| Err(errno).on("scandir", path.bytes());
    let mut entries = match entries_at(path, types, wanted) {
        Ok(entries) => entries,
        Err(errno) => return on(errno),
    };
    entries.sort();
    let mut listing = Listing {
        names: Vec::with_capacity(entries.names.len() + entries.list.len()),
        kinds: Vec::with_capacity(if types { entries.list.len() } else { 0 }),
    };
    for (name, kind) in entries.iter() {
        listing.names.extend_from_slice(name);
        listing.names.push(0);
        if types {
            listing.kinds.push(kind);
        }
    }
    Ok(listing)
}

/// The entries of `path` and of all directories below, as paths relative to it, level by level (each directory's
/// entries sorted). As in Node, a symbolic link to a directory is entered, which the kernel's limit on links in a path
/// brings to an end. An entry's type is that of the entry itself.
pub(crate) fn read_dir_recursive(path: &FsPath) -> FsResult<Listing> {
    permitted(Area::Read, path)?;
    let mut listing = Listing::default();
    let mut queue: std::collections::VecDeque<Vec<u8>> = [Vec::new()].into();
    while let Some(relative) = queue.pop_front() {
        let full = if relative.is_empty() { path.bytes().to_vec() } else { join(path.bytes(), &relative) };
        let on = |errno: Errno| Err(errno).on("scandir", &full);
        let Ok(full_path) = FsPath::from_bytes(&full) else { return on(Errno::INVAL) };
        let mut entries = match entries_at(&full_path, true, |_| true) {
            Ok(entries) => entries,
            Err(errno) => return on(errno),
        };
        entries.sort();
        for (name, kind) in entries.iter() {
            let slash: &[u8] = if relative.is_empty() { b"" } else { b"/" };
            listing.push([&relative, slash, name], kind);
            let enter = match kind {
                dirent::DIR => true,
                dirent::LINK => FsPath::from_bytes(&join(&full, name)).is_ok_and(|link| is_dir(link.c_str())),
                _ => false,
            };
            if enter {
                queue.push_back(join(&relative, name));
            }
        }
    }
    Ok(listing)
}

/// Opens a directory for a program, which reads it piece by piece, if that may.
pub(crate) fn open_dir_for_program(path: &FsPath) -> FsResult<OwnedFd> {
    permitted(Area::Read, path)?;
    let opened = match virt::see(path.bytes(), true) {
        Ok(Seen::Os) => open_dir(CWD, path.c_str()),
        Ok(Seen::At(to)) => open_dir(CWD, to.c_str()),
        // What `read_some` reads then is the listing itself.
        Ok(Seen::Node(_)) => entries_at(path, true, |_| true).and_then(|mut entries| {
            entries.sort();
            let records: Vec<u8> = entries.iter().flat_map(|(name, kind)| [&[kind + 1], name, &[0]].concat()).collect();
            virt::open_listing(&records)
        }),
        Err(errno) => Err(errno),
    };
    opened.on("opendir", path.bytes())
}

/// The next entries of an open directory, in the file system's order: none at its end. `room`: how many bytes of
/// kernel records to take (an entry has 24 and its name); at least one entry comes if there is one.
pub(crate) fn read_some(fd: RawFd, room: usize) -> FsResult<Listing> {
    let dir = borrow_for(fd, "scandir")?;
    if store::is_active() && stat::fstat(dir).is_ok_and(|status| !status.is_dir()) {
        let records = super::file::read_to_end(dir, u64::MAX)?;
        let mut listing = Listing::default();
        for record in records.split(|&byte| byte == 0).filter(|record| !record.is_empty()) {
            listing.push([&record[1..], b"", b""], record[0] - 1);
        }
        return Ok(listing);
    }
    // One record of the longest name must fit.
    let mut buffer = vec![MaybeUninit::uninit(); room.clamp(1024, 1 << 20)];
    loop {
        let mut entries = Entries::default();
        let mut raw = RawDir::new(dir, &mut buffer);
        let mut any = false;
        while let Some(entry) = raw.next() {
            let entry = match entry {
                Err(Errno::INTR) => continue,
                other => other.during("scandir")?,
            };
            any = true;
            push_entry(dir, &mut entries, entry.file_name(), entry.file_type(), true);
            if raw.is_buffer_empty() {
                break;
            }
        }
        // A piece of only "." and ".." is not the end.
        if !any || !entries.list.is_empty() {
            let mut listing = Listing::default();
            for (name, kind) in entries.iter() {
                listing.push([name, b"", b""], kind);
            }
            return Ok(listing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::testing::TempDir;

    fn names(listing: Listing) -> Vec<String> {
        let (names, _) = listing.joined();
        if names.is_empty() {
            return Vec::new();
        }
        names.split(|&b| b == 0).map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    #[test]
    fn lists() {
        let dir = TempDir::new();
        assert_eq!(read_dir(&dir.path(""), true).unwrap(), Listing::default());
        std::fs::create_dir_all(dir.text("one/two")).unwrap();
        for name in ["aaa", "one/file", "prefix-b", "prefix-a", "prefix-"] {
            std::fs::write(dir.text(name), "").unwrap();
        }
        std::os::unix::fs::symlink("one", dir.text("lnk")).unwrap();
        std::os::unix::fs::symlink("file", dir.text("one/fl")).unwrap();
        let flat = read_dir(&dir.path(""), true).unwrap();
        assert_eq!(flat.kinds, [dirent::FILE, dirent::LINK, dirent::DIR, dirent::FILE, dirent::FILE, dirent::FILE]);
        assert_eq!(names(flat), ["aaa", "lnk", "one", "prefix-", "prefix-a", "prefix-b"]);
        let deep = names(read_dir_recursive(&dir.path("")).unwrap());
        let expected = [
            "aaa", "lnk", "one", "prefix-", "prefix-a", "prefix-b", "lnk/file", "lnk/fl", "lnk/two", "one/file",
            "one/fl", "one/two",
        ];
        assert_eq!(deep, expected);
        assert_eq!(read_dir(&dir.path("aaa"), false).unwrap_err().errno, Errno::NOTDIR);
    }

    #[test]
    fn piecewise() {
        let dir = TempDir::new();
        for i in 0..500 {
            std::fs::write(dir.text(&format!("file-{i}")), "").unwrap();
        }
        let fd = std::os::fd::IntoRawFd::into_raw_fd(open_dir_for_program(&dir.path("")).unwrap());
        let mut all = Vec::new();
        loop {
            let piece = names(read_some(fd, 1024).unwrap());
            if piece.is_empty() {
                break;
            }
            all.extend(piece);
        }
        super::super::file::close(fd).unwrap();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 500);
    }
}
